package dev.berth.controller.service;

import dev.berth.claim.Claim;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.Adoption;
import dev.berth.loadbalancer.Attempt;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.loadbalancer.IpModes;
import dev.berth.loadbalancer.NamedLoadBalancer;
import dev.berth.loadbalancer.Outcome;
import dev.berth.loadbalancer.PredecessorEffect;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.SayReleasing;
import dev.berth.loadbalancer.ServiceConditions;
import dev.berth.loadbalancer.ServiceEvent;
import dev.berth.loadbalancer.ServiceFailure;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.ServingEffect;
import dev.berth.loadbalancer.SkippingEffect;
import dev.berth.loadbalancer.StatusEvents;
import dev.berth.loadbalancer.TearDownEffect;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.reason.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the status of one Service must say, and the writing of it, in one pass. */
final class StatusEffects {
    private static final Logger LOG = LoggerFactory.getLogger(StatusEffects.class);

    private final ReconcileContext pass;

    StatusEffects(ReconcileContext pass) {
        this.pass = pass;
    }

    /** All is planned again, from what the API server answered. */
    Outcome addFinalizer(ServiceState state, ServingEffect.AddFinalizer effect) {
        return write(
                        state,
                        effect.patch(),
                        "adding the finalizer",
                        effect.mark(),
                        answer -> report(answer, effect.patch(), NamedLoadBalancer.UNNAMED, List.of()))
                .orElseGet(() -> new Outcome.Changed(false));
    }

    List<Outcome> publish(ServiceState state, ServingEffect.Publish effect) {
        countWait(effect.wanted());
        if (effect.inWordsOnly()) {
            pass.memory().status.writesWords(pass.steady());
        }
        if (effect.patch().isEmpty()) {
            rememberPublished(effect.wanted().ingress(), state);
            return List.of(new Outcome.Wrote(effect.wanted()));
        }
        Publication.Difference patch = effect.patch().get();
        Optional<Outcome> hindered = write(state, patch, "publishing the status", patch.timeless(), answer -> {
            rememberPublished(effect.wanted().ingress(), answer);
            report(answer, patch, effect.called(), effect.reports());
        });
        return hindered.<List<Outcome>>map(why -> List.of(new Outcome.Wrote(effect.wanted()), why))
                .orElseGet(() -> List.of(new Outcome.Wrote(effect.wanted())));
    }

    /** Nothing is written yet but metrics. */
    List<Outcome> delayWords(ServingEffect.DelayWords effect) {
        countWait(effect.wanted());
        return List.of(new Outcome.Wrote(effect.wanted()), new Outcome.LookAgain(effect.left()));
    }

    private void countWait(Publication wanted) {
        for (Condition condition : wanted.conditions()) {
            if (condition.type().equals(WellKnownNames.ADDRESS_ASSIGNED)) {
                pass.parts().metrics().waits(pass.key(), ServiceConditions.waitsFor(condition));
            }
        }
    }

    /** Of one that is not served. */
    Outcome publish(SkippingEffect.Publish effect) {
        return write(
                        effect.service(),
                        effect.patch(),
                        effect.doing(),
                        effect.patch().timeless(),
                        answer -> rememberPublished(effect.patch().ingress(), answer))
                .orElseGet(() -> new Outcome.Did(Done.STATUS_WRITTEN));
    }

    /** Of one that waits until what was made for another is deleted. */
    Outcome sayWhy(PredecessorEffect.SayWhy effect) {
        pass.parts()
                .metrics()
                .waits(pass.key(), Optional.of(effect.what().reason().name()));
        effect.patch().ifPresent(patch -> {
            if (effect.inWordsOnly()) {
                pass.memory().status.writesWords(pass.steady());
            }
            write(effect.service(), patch, "saying why it waits");
        });
        return new Outcome.Did(Done.STATUS_WRITTEN);
    }

    /** Remembers what another wrote, and says so. */
    Outcome countOverwrite(ServiceState state, ServingEffect.CountOverwrite effect) {
        effect.news().ifPresent(event -> {
            pass.parts().metrics().statusOverwritten();
            pass.say(state, event);
        });
        pass.memory().status.overwritten(effect.after());
        return new Outcome.OverwriteCounted(effect.standsFor());
    }

    /** A dry run tells whether writing the mode would change anything. One asks for all. */
    List<Outcome> askForIpMode(ServiceState state, Publication.Difference patch) {
        if (!pass.parts().ipMode().beginToAsk()) {
            return List.of(new Outcome.AnotherAsks());
        }
        try {
            Stream<Outcome> hindered =
                    pass.parts().ipMode().known(pass.steady()).isUnknown()
                            ? dryRun(state, patch).stream()
                            : Stream.empty();
            return Stream.concat(Stream.of(new Outcome.Did(Done.IP_MODE_ASKED)), hindered)
                    .toList();
        } finally {
            pass.parts().ipMode().asked();
        }
    }

    private List<Outcome> dryRun(ServiceState state, Publication.Difference patch) {
        return switch (pass.parts().cluster().publish(state, patch, true)) {
            case Write.Done<ServiceState>(ServiceState answer) -> {
                learnIpMode(state, patch.ingress(), answer);
                yield List.of();
            }
            case Write.Conflict<ServiceState> changed -> List.of(new Outcome.Changed(true));
            case Write.NotFound<ServiceState> gone -> List.of(new Outcome.Changed(true));
            case Write.Refused<ServiceState>(String message) -> notAsked(message, patch);
            case Write.Unknown<ServiceState>(String message) -> notAsked(message, patch);
        };
    }

    private static List<Outcome> notAsked(String message, Publication.Difference patch) {
        return List.of(new Outcome.IpModeNotAsked(
                new ServiceFailure("asking for ipMode", Reason.PublishFailed, message, patch.timeless())));
    }

    private void learnIpMode(ServiceState about, @Nullable List<Published> sent, ServiceState answer) {
        IpModes.answer(about.ingress(), sent, answer.ingress())
                .filter(known -> pass.parts().ipMode().learn(known, pass.steady()))
                .ifPresent(news -> {
                    pass.parts().metrics().ipModeDropped(news == IpModes.Answer.DROPPED);
                    if (news == IpModes.Answer.DROPPED) {
                        pass.say(about, IpModes.dropped());
                        LOG.warn("{}", IpModes.dropped().message());
                    }
                });
    }

    /** Writes the Service where nothing had to be written, before it releases addresses. */
    List<Outcome> sayReleasing(SayReleasing effect) {
        return switch (pass.write(
                pass.planned(), () -> pass.parts().cluster().publish(effect.service(), effect.patch(), false))) {
            case Write.Done<ServiceState> done -> List.of(new Outcome.Did(Done.RELEASING_SAID));
            case Write.Conflict<ServiceState> changed -> List.of(new Outcome.Changed(true));
            case Write.NotFound<ServiceState> gone -> List.of(new Outcome.Changed(true));
            case Write.Refused<ServiceState>(String message) -> notSaid(effect, message);
            case Write.Unknown<ServiceState>(String message) -> notSaid(effect, message);
        };
    }

    private static List<Outcome> notSaid(SayReleasing effect, String message) {
        return List.of(
                new Outcome.Did(Done.RELEASING_SAID),
                new Outcome.Failed(effect.trouble().by(message)));
    }

    /** Takes finalizer, ingress and conditions off. */
    Outcome clear(TearDownEffect.Clear effect) {
        List<Claim> claimsBefore = pass.claims();
        pass.memory().status.published(effect.service().uid(), List.of());
        return switch (pass.write(
                claimsBefore, () -> pass.parts().cluster().clear(effect.service(), effect.others()))) {
            case Write.Done<ServiceState> done -> new Outcome.Did(Done.CLEARED);
            case Write.NotFound<ServiceState> gone -> new Outcome.Did(Done.CLEARED);
            case Write.Conflict<ServiceState> changed -> new Outcome.Changed(true);
            case Write.Refused<ServiceState>(String message) -> notCleared(message, effect);
            case Write.Unknown<ServiceState>(String message) -> notCleared(message, effect);
        };
    }

    private static Outcome notCleared(String message, TearDownEffect.Clear effect) {
        return ReconcileContext.failed("taking the status back", Reason.ClearFailed, message, effect.what());
    }

    private Optional<Outcome> write(ServiceState state, Publication.Difference patch, String doing) {
        return write(
                state,
                patch,
                doing,
                patch.timeless(),
                answer -> report(answer, patch, NamedLoadBalancer.UNNAMED, List.of()));
    }

    /**
     * Writes the Service; absent: it is done.
     *
     * @param attempt what is not tried again before its time, if it fails
     * @param done takes what the API server answered
     */
    private Optional<Outcome> write(
            ServiceState state,
            Publication.Difference patch,
            String doing,
            Attempt attempt,
            Consumer<ServiceState> done) {
        List<Claim> claimsBefore = pass.claims();
        Write<ServiceState> outcome =
                pass.write(claimsBefore, () -> pass.parts().cluster().publish(state, patch, false));
        if (patch.ingress() != null
                && (outcome instanceof Write.Conflict<ServiceState>
                        || outcome instanceof Write.Unknown<ServiceState>)) {
            pass.memory().status.unsure(state, Adoption.withheld(patch.ingress()));
        }
        return switch (outcome) {
            case Write.Done<ServiceState>(ServiceState answer) -> {
                learnIpMode(state, patch.ingress(), answer);
                done.accept(answer);
                yield Optional.empty();
            }
            case Write.Conflict<ServiceState> changed -> Optional.of(new Outcome.Changed(true));
            case Write.NotFound<ServiceState> gone -> Optional.of(new Outcome.Changed(true));
            case Write.Refused<ServiceState>(String message) -> notWritten(doing, message, attempt);
            case Write.Unknown<ServiceState>(String message) -> notWritten(doing, message, attempt);
        };
    }

    private static Optional<Outcome> notWritten(String doing, String message, Attempt attempt) {
        return Optional.of(ReconcileContext.failed(doing, Reason.PublishFailed, message, attempt));
    }

    /**
     * In the words of the API server: a mode that it dropped was not overwritten by anybody.
     *
     * @param wanted null: it was left as it is
     */
    private void rememberPublished(@Nullable List<Published> wanted, ServiceState stored) {
        if (wanted != null) {
            pass.memory().status.published(stored.uid(), stored.ingress());
        }
    }

    private void report(
            ServiceState answer, Publication.Difference written, String called, List<ServiceEvent> reports) {
        List<ServiceEvent> events = new ArrayList<>(StatusEvents.of(written, answer, called));
        events.addAll(reports);
        for (ServiceEvent event : events) {
            LOG.info("Service {}: {}: {}", pass.key(), event.reason(), event.message());
            pass.say(answer, event);
        }
    }
}
