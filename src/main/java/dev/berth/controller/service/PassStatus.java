package dev.berth.controller.service;

import dev.berth.address.Claim;
import dev.berth.address.Ip;
import dev.berth.controller.Next;
import dev.berth.controller.service.PassClaims.Checked;
import dev.berth.controller.service.ServicePass.Outcome;
import dev.berth.kube.Events.About;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.Conditions;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.ServedClass;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.Trouble;
import dev.berth.loadbalancer.Trouble.Reason;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.Capabilities.AddressSource;
import dev.berth.provider.IpMode;
import java.time.Duration;
import java.util.ArrayList;
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
    private final PassClaims claims;

    PassStatus(PassState pass, PassClaims claims) {
        this.pass = pass;
        this.claims = claims;
    }

    /**
     * Alone, before the world is touched; the rest is planned again, from what the API server answered. Where no
     * Address
     * tells that the Service is ours, our condition has to, from the first write on.
     */
    Optional<Outcome> addFinalizer(ServiceState state, ServedClass served) {
        if (served.capabilities().addresses() == AddressSource.POOLS
                && pass.addressesOf(state).isEmpty()) {
            // One that waits has none.
            return Optional.empty();
        }
        List<Condition> conditions = new ArrayList<>(state.conditions());
        if (served.capabilities().addresses() == AddressSource.PROVIDER
                && state.condition(WellKnownNames.ADDRESS_ASSIGNED).isEmpty()) {
            Condition assigned = conditions(state, served).assigned();
            pass.parts.metrics().waits(pass.key, Conditions.waitsFor(assigned));
            conditions.add(assigned);
        }
        Optional<Outcome> outcome =
                write(state, new Publication(true, mark(served), null, conditions), "adding the finalizer");
        return outcome.isPresent() || pass.facts.trouble().isPresent()
                ? outcome
                : Optional.of(new Outcome.Again(false));
    }

    private static @Nullable String mark(ServedClass served) {
        return served.isMarkedOnServices() ? served.value() : null;
    }

    Optional<Outcome> publish(ServicePlan.Serve serve) {
        ServiceState state = serve.service();
        switch (pass.facts
                .ingress()
                .map(entries -> claims.checkPublished(serve, entries))
                .orElse(Checked.AS_KNOWN)) {
            case OTHERWISE -> {
                return Optional.of(new Outcome.Again(true));
            }
            case UNSURE -> pass.facts = pass.facts.withoutIngress();
            case AS_KNOWN -> {}
        }
        Publication wanted = publication(serve, pass.facts.ingress());
        List<Published> entries = wanted.ingress();
        if (entries != null && isOverwritten(state, entries)) {
            Optional<Duration> wait = overwritten(state, entries);
            if (wait.isPresent()) {
                pass.facts = pass.facts.lookingAgain(wait.get());
                wanted = publication(serve, Optional.empty());
            }
        } else if (entries != null && mustAskForIpMode(state, entries)) {
            Optional<Outcome> asked = askForIpMode(state, wanted);
            if (asked.isPresent() || pass.facts.trouble().isPresent()) {
                return asked;
            }
            wanted = wanted.withIngress(withoutDropped(state, entries));
        }
        switch (claims.confirm(serve, aboutToBePublished(state, wanted))) {
            case OTHERWISE -> {
                return Optional.of(new Outcome.Again(true));
            }
            case UNSURE -> {
                pass.facts = pass.facts.withoutIngress();
                wanted = publication(serve, Optional.empty());
            }
            case AS_KNOWN -> {}
        }
        Optional<Outcome> outcome = write(state, wanted, "publishing the status");
        if (wanted.ingress() != null && outcome.isEmpty()) {
            pass.facts = pass.facts.published();
        }
        if (isInConflict(state)) {
            // The condition goes by itself when it is over.
            pass.facts = pass.facts.lookingAgainAtLeast(StatusWrites.OVERWRITES_WITHIN);
        }
        if (serve.servedClass().ipMode() == IpMode.PROXY
                && pass.parts.ipMode().isMissing(hasModes(wanted.ingress()), pass.steady())) {
            pass.facts = pass.facts.lookingAgainAtLeast(IpModeSupport.ASK_AGAIN);
        }
        return outcome;
    }

    /** What the Service must say by what is known to this pass; {@code ingress} absent: leave it as it is. */
    private Publication publication(ServicePlan.Serve serve, Optional<List<Published>> ingress) {
        Conditions conditions = conditions(serve.service(), serve.servedClass());
        pass.parts.metrics().waits(pass.key, Conditions.waitsFor(conditions.assigned()));
        boolean holds = !conditions.addresses().isEmpty()
                || serve.servedClass().capabilities().addresses() == AddressSource.PROVIDER;
        return new Publication(holds, mark(serve.servedClass()), ingress.orElse(null), conditions.all());
    }

    /** That the status has one of them already proves nothing: others may have written it. */
    private List<Ip> aboutToBePublished(ServiceState state, Publication wanted) {
        Optional<Publication.Difference> difference = wanted.differenceFrom(state);
        return difference
                        .filter(what -> pass.memory
                                .retries
                                .mustWait(what.timeless(), pass.steady())
                                .isEmpty())
                        .isEmpty()
                ? List.of()
                : PassState.ips(difference.get().ingress());
    }

    private static boolean hasModes(@Nullable List<Published> entries) {
        return entries == null || entries.stream().allMatch(entry -> entry.ip() == null || entry.ipMode() != null);
    }

    private Conditions conditions(ServiceState state, ServedClass served) {
        return new Conditions(
                state,
                served,
                pass.facts,
                pass.addressesOf(state),
                pass.facts.demand().flatMap(demand -> pass.memory.provider().answerTo(demand.request())),
                isInConflict(state),
                pass.now());
    }

    /** Also where it was said not long ago: another operator, or this one before a restart, remembers why. */
    private boolean isInConflict(ServiceState state) {
        return pass.memory.status.isInConflict(pass.steady())
                || state.condition(WellKnownNames.STATUS_CONFLICT)
                        // What is dated in the future was said by a clock that was ahead.
                        .filter(said -> Duration.between(said.since(), pass.now())
                                        .abs()
                                        .compareTo(StatusWrites.OVERWRITES_WITHIN)
                                < 0)
                        .isPresent();
    }

    private boolean isOverwritten(ServiceState state, List<Published> wanted) {
        return pass.memory.status.wasPublished(wanted) && !Publication.sameIngress(wanted, state.ingress());
    }

    private Optional<Duration> overwritten(ServiceState state, List<Published> wanted) {
        pass.parts.metrics().statusOverwritten();
        pass.parts
                .events()
                .warning(
                        About.service(state),
                        "StatusOverwritten",
                        "status.loadBalancer was changed to " + state.ingress() + " by another; it is " + wanted);
        return pass.memory.status.overwritten(pass.parts.backoff(), pass.steady());
    }

    private boolean mustAskForIpMode(ServiceState state, List<Published> wanted) {
        return pass.parts.ipMode().isUnknown(pass.steady()) && Publication.differsInIpModeOnly(wanted, state.ingress());
    }

    /** Only the mode differs: a dry run tells whether writing it would change anything. One asks for all. */
    private Optional<Outcome> askForIpMode(ServiceState state, Publication wanted) {
        if (!pass.parts.ipMode().mayAsk()) {
            return Optional.of(new Outcome.Finished(Next.after(IpModeSupport.ANOTHER_ASKS)));
        }
        try {
            return pass.parts.ipMode().isUnknown(pass.steady()) ? dryRun(state, wanted) : Optional.empty();
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
            case Write.Refused<ServiceState>(String message) -> {
                pass.trouble("asking for ipMode", Reason.PublishFailed, message, difference);
                yield Optional.empty();
            }
            case Write.Unknown<ServiceState>(String message) -> {
                pass.trouble("asking for ipMode", Reason.PublishFailed, message, difference);
                yield Optional.empty();
            }
        };
    }

    static boolean usesIpMode(ServiceState state) {
        return state.ingress().stream().anyMatch(entry -> entry.ipMode() != null);
    }

    private List<Published> withoutDropped(ServiceState state, List<Published> wanted) {
        return pass.parts.ipMode().isPublished(usesIpMode(state), pass.steady())
                ? wanted
                : wanted.stream().map(Published::withoutIpMode).toList();
    }

    private void learnIpMode(ServiceState about, @Nullable List<Published> sent, ServiceState answer) {
        boolean told = sent != null && sent.stream().anyMatch(entry -> entry.ipMode() != null);
        if (!told || usesIpMode(about)) {
            // Where it is in use, it is kept in any case.
            return;
        }
        boolean kept = answer.ingress().stream().anyMatch(entry -> entry.ipMode() != null);
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

    /** Writes what differs, if anything does. */
    Optional<Outcome> write(ServiceState state, Publication wanted, String doing) {
        Optional<Publication.Difference> difference = wanted.differenceFrom(state);
        if (difference.isEmpty()) {
            rememberPublished(wanted, state);
            return Optional.empty();
        }
        boolean isOfItsProvider = pass.facts.pending().isPresent()
                || pass.facts.trouble().filter(Trouble::isOfItsProvider).isPresent();
        if (isOfItsProvider && difference.get().isInWordsOnly(state)) {
            if (!pass.memory.status.mayWriteWords(pass.steady())) {
                // It is asked again soon, and they are written then.
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
        List<Published> entries = wanted.ingress();
        if (entries != null && !entries.isEmpty()) {
            pass.memory.status.published(stored.ingress());
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
                        || condition.type().equals(WellKnownNames.NODE_PORTS_CONFLICT))
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
