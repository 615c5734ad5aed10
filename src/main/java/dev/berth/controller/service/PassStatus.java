package dev.berth.controller.service;

import dev.berth.address.Claim;
import dev.berth.address.Ip;
import dev.berth.controller.Next;
import dev.berth.controller.service.ServicePass.Outcome;
import dev.berth.kube.Events.About;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.Conditions;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.Trouble;
import dev.berth.loadbalancer.Trouble.Reason;
import dev.berth.loadbalancer.WellKnownNames;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the status of one Service must say, and the writing of it, in one pass. */
final class PassStatus {
    private static final Logger LOG = LoggerFactory.getLogger(PassStatus.class);

    private final PassState pass;

    PassStatus(PassState pass) {
        this.pass = pass;
    }

    Optional<Outcome> addFinalizer(ServiceState state, Publication wanted) {
        Optional<Outcome> outcome = write(state, wanted, "adding the finalizer");
        return outcome.isPresent() || pass.facts.trouble().isPresent()
                ? outcome
                : Optional.of(new Outcome.Again(false));
    }

    Optional<Outcome> publish(ServiceState state, Publication wanted) {
        wanted.conditions().stream()
                .filter(condition -> condition.type().equals(WellKnownNames.ADDRESS_ASSIGNED))
                .forEach(assigned -> pass.parts.metrics().waits(pass.key, Conditions.waitsFor(assigned)));
        Optional<Outcome> outcome = write(state, wanted, "publishing the status");
        pass.facts = pass.facts.published(wanted, outcome.isEmpty());
        return outcome;
    }

    /** Also where it was said not long ago: another operator, or this one before a restart, remembers why. */
    boolean isInConflict(ServiceState state) {
        return pass.memory.status.isInConflict(state.uid(), pass.steady())
                || state.condition(WellKnownNames.STATUS_CONFLICT)
                        // What is dated in the future was said by a clock that was ahead.
                        .filter(said -> Duration.between(said.since(), pass.now())
                                        .abs()
                                        .compareTo(StatusWrites.OVERWRITES_WITHIN)
                                < 0)
                        .isPresent();
    }

    /** Counts what another wrote; it is put right, or let stand for a while. */
    void countOverwrite(ServiceState state, List<Published> wanted) {
        pass.parts.metrics().statusOverwritten();
        pass.parts
                .events()
                .warning(
                        About.service(state),
                        "StatusOverwritten",
                        "status.loadBalancer was changed to " + state.ingress() + " by another; it is " + wanted);
        pass.facts = pass.facts.with(Done.OVERWRITE_COUNTED);
        pass.memory
                .status
                .overwritten(state.uid(), pass.parts.backoff(), pass.steady())
                .ifPresent(wait ->
                        pass.facts = pass.facts.with(Done.OVERWRITE_LET_STAND).lookingAgain(wait));
    }

    /** A dry run tells whether writing the mode would change anything. One asks for all. */
    Optional<Outcome> askForIpMode(ServiceState state, Publication wanted) {
        if (!pass.parts.ipMode().mayAsk()) {
            return Optional.of(new Outcome.Finished(Next.after(IpModeSupport.ANOTHER_ASKS)));
        }
        try {
            Optional<Outcome> outcome =
                    pass.parts.ipMode().known(pass.steady()).isUnknown() ? dryRun(state, wanted) : Optional.empty();
            pass.facts = pass.facts.with(Done.IP_MODE_ASKED);
            return outcome;
        } finally {
            pass.parts.ipMode().asked();
        }
    }

    private Optional<Outcome> dryRun(ServiceState state, Publication wanted) {
        Publication.Difference difference = wanted.differenceFrom(state).orElseThrow();
        return switch (pass.parts.cluster().publish(state, difference, true)) {
            case Write.Done<ServiceState>(ServiceState answer) -> {
                learnIpMode(state, difference.ingress(), answer);
                yield Optional.empty();
            }
            case Write.Conflict<ServiceState> changed -> Optional.of(new Outcome.Again(true));
            case Write.NotFound<ServiceState> gone -> Optional.of(new Outcome.Again(true));
            case Write.Refused<ServiceState>(String message) -> notAsked(message, difference);
            case Write.Unknown<ServiceState>(String message) -> notAsked(message, difference);
        };
    }

    /** Nothing is written then. */
    private Optional<Outcome> notAsked(String message, Publication.Difference difference) {
        pass.trouble("asking for ipMode", Reason.PublishFailed, message, difference);
        pass.facts = pass.facts.with(Done.STATUS_WRITTEN);
        return Optional.empty();
    }

    private void learnIpMode(ServiceState about, @Nullable List<Published> sent, ServiceState answer) {
        boolean told = sent != null && Publication.usesIpMode(sent);
        if (!told || Publication.usesIpMode(about.ingress())) {
            // Where it is in use, it is kept in any case.
            return;
        }
        boolean kept = Publication.usesIpMode(answer.ingress());
        boolean news = pass.parts.ipMode().learn(kept, pass.steady());
        if (news && !kept) {
            pass.parts.metrics().ipModeDropped(true);
            String message =
                    "the API server drops status.loadBalancer.ingress[].ipMode (older than 1.29, or its feature gate LoadBalancerIPMode is off); kube-proxy takes every address for ipMode VIP";
            pass.parts.events().warning(About.service(about), "IPModeDropped", message);
            LOG.warn("{}", message);
        } else if (news) {
            pass.parts.metrics().ipModeDropped(false);
        }
    }

    /**
     * Takes finalizer, ingress and conditions off.
     *
     * @param others what stays of the ingress
     * @param request what is not to be tried again before its time
     */
    Optional<Outcome> clear(ServiceState state, List<Published> others, Object request) {
        Map<Ip, Claim> claimsBefore = PassState.claims(pass.parts.ledger(), pass.key);
        pass.memory.status.published(state.uid(), List.of());
        return switch (pass.parts.cluster().clear(state, others)) {
            case Write.Done<ServiceState>(ServiceState answer) -> {
                pass.wrote(answer, claimsBefore);
                yield Optional.empty();
            }
            case Write.NotFound<ServiceState> gone -> Optional.empty();
            case Write.Conflict<ServiceState> changed -> Optional.of(new Outcome.Again(true));
            case Write.Refused<ServiceState>(String message) -> notCleared(state, message, request);
            case Write.Unknown<ServiceState>(String message) -> notCleared(state, message, request);
        };
    }

    private Optional<Outcome> notCleared(ServiceState state, String message, Object request) {
        return Optional.of(
                pass.failed(state, new Trouble("taking the status back", Reason.ClearFailed, message, request)));
    }

    /** Writes what differs, if anything does. */
    Optional<Outcome> write(ServiceState state, Publication wanted, String doing) {
        Optional<Publication.Difference> difference = wanted.differenceFrom(state);
        if (difference.isEmpty()) {
            rememberPublished(wanted, state);
            return Optional.empty();
        }
        boolean isOfItsProvider = pass.facts.pending().isPresent()
                || pass.facts.trouble().filter(Trouble::isOfItsProvider).isPresent();
        if ((isOfItsProvider && difference.get().isInWordsOnly(state))
                || difference.get().isInNumbersOfTargetsOnly(state)) {
            Optional<Duration> delay = pass.memory.status.wordsMustWait(pass.steady());
            if (delay.isPresent()) {
                pass.facts = pass.facts.lookingAgain(delay.get());
                return Optional.empty();
            }
            pass.memory.status.writesWords(pass.steady());
        }
        Publication.Difference request = difference.get().timeless();
        Optional<Duration> mustWait = pass.memory.retries.mustWait(request, pass.steady());
        if (mustWait.isPresent()) {
            return Optional.of(new Outcome.Finished(Next.after(mustWait.get())));
        }
        Map<Ip, Claim> claimsBefore = PassState.claims(pass.parts.ledger(), pass.key);
        return switch (pass.parts.cluster().publish(state, difference.get(), false)) {
            case Write.Done<ServiceState>(ServiceState answer) -> {
                pass.wrote(answer, claimsBefore);
                rememberPublished(wanted, answer);
                learnIpMode(state, difference.get().ingress(), answer);
                tell(answer, difference.get());
                yield Optional.empty();
            }
            case Write.Conflict<ServiceState> changed -> Optional.of(new Outcome.Again(true));
            case Write.NotFound<ServiceState> gone -> Optional.of(new Outcome.Again(true));
            case Write.Refused<ServiceState>(String message) -> {
                pass.trouble(doing, Reason.PublishFailed, message, request);
                yield Optional.empty();
            }
            case Write.Unknown<ServiceState>(String message) -> {
                pass.trouble(doing, Reason.PublishFailed, message, request);
                yield Optional.empty();
            }
        };
    }

    /** In the words of the API server: a mode that it dropped was not overwritten by anybody. */
    private void rememberPublished(Publication wanted, ServiceState stored) {
        if (wanted.ingress() != null) {
            pass.memory.status.published(stored.uid(), stored.ingress());
        }
    }

    /** In the words of the answer: the API server may have dropped the mode, or put one there. */
    private void tell(ServiceState state, Publication.Difference difference) {
        if (difference.ingress() != null && !state.ingress().isEmpty()) {
            String list = state.ingress().stream().map(Published::toString).collect(Collectors.joining(", "));
            LOG.info("Service {} has {}", pass.key, list);
            pass.parts.events().normal(About.service(state), "EnsuredLoadBalancer", "Ensured load balancer: " + list);
        }
        difference.conditions().stream()
                .filter(condition -> condition.type().equals(WellKnownNames.UNSUPPORTED)
                        || condition.type().equals(WellKnownNames.NODE_PORTS_CONFLICT)
                        || (condition.type().equals(WellKnownNames.TARGETS_HEALTHY)
                                && condition.status() == Condition.Status.FALSE))
                .forEach(condition ->
                        pass.parts.events().warning(About.service(state), condition.reason(), condition.message()));
        pass.facts
                .sharingConflict()
                .ifPresent(why -> pass.parts.events().warning(About.service(state), "SharingConflict", why.message()));
        pass.facts.waiting().ifPresent(reason -> {
            LOG.info("Service {} waits: {}", pass.key, reason.message());
            pass.parts.events().warning(About.service(state), "AllocationFailed", reason.message());
        });
    }
}
