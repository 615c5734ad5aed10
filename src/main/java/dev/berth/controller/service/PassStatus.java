package dev.berth.controller.service;

import dev.berth.address.Claim;
import dev.berth.address.Ip;
import dev.berth.controller.Next;
import dev.berth.controller.service.PassClaims.Checked;
import dev.berth.controller.service.PassState.Trouble;
import dev.berth.controller.service.ServicePass.Outcome;
import dev.berth.kube.Events.About;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.Demand;
import dev.berth.loadbalancer.NodePortRules;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.ServedClass;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.WaitReason;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.Capabilities.AddressSource;
import dev.berth.provider.IpMode;
import java.time.Duration;
import java.time.Instant;
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
            conditions.add(ofItsProvider(state, served, pass.now()));
        }
        Optional<Outcome> outcome =
                write(state, new Publication(true, mark(served), null, conditions), "adding the finalizer");
        return outcome.isPresent() || pass.trouble.isPresent() ? outcome : Optional.of(new Outcome.Again(false));
    }

    private static @Nullable String mark(ServedClass served) {
        return served.isMarkedOnServices() ? served.value() : null;
    }

    Optional<Outcome> publish(ServicePlan.Serve serve) {
        ServiceState state = serve.service();
        switch (pass.ingress == null ? Checked.AS_KNOWN : claims.checkPublished(serve, pass.ingress)) {
            case OTHERWISE -> {
                return Optional.of(new Outcome.Again(true));
            }
            case UNSURE -> pass.ingress = null;
            case AS_KNOWN -> {}
        }
        Publication wanted = publication(serve, pass.ingress);
        List<Published> entries = wanted.ingress();
        if (entries != null && isOverwritten(state, entries)) {
            Optional<Duration> wait = overwritten(state, entries);
            if (wait.isPresent()) {
                pass.again = wait;
                wanted = publication(serve, null);
            }
        } else if (entries != null && mustAskForIpMode(state, entries)) {
            Optional<Outcome> asked = askForIpMode(state, wanted);
            if (asked.isPresent() || pass.trouble.isPresent()) {
                return asked;
            }
            wanted = wanted.withIngress(withoutDropped(state, entries));
        }
        switch (claims.confirm(serve, aboutToBePublished(state, wanted))) {
            case OTHERWISE -> {
                return Optional.of(new Outcome.Again(true));
            }
            case UNSURE -> {
                pass.ingress = null;
                wanted = publication(serve, null);
            }
            case AS_KNOWN -> {}
        }
        Optional<Outcome> outcome = write(state, wanted, "publishing the status");
        pass.ingressIsWritten = wanted.ingress() != null && outcome.isEmpty();
        if (isInConflict(state) && pass.again.isEmpty()) {
            // The condition goes by itself when it is over.
            pass.again = Optional.of(StatusWrites.OVERWRITES_WITHIN);
        }
        if (serve.servedClass().ipMode() == IpMode.PROXY
                && pass.parts.ipMode().isMissing(hasModes(wanted.ingress()), pass.steady())
                && pass.again.isEmpty()) {
            pass.again = Optional.of(IpModeSupport.ASK_AGAIN);
        }
        return outcome;
    }

    /** What the Service must say by what is known to this pass; {@code ingress} null: leave it as it is. */
    private Publication publication(ServicePlan.Serve serve, @Nullable List<Published> ingress) {
        boolean holds = !pass.addressesOf(serve.service()).isEmpty()
                || serve.servedClass().capabilities().addresses() == AddressSource.PROVIDER;
        return new Publication(holds, mark(serve.servedClass()), ingress, conditions(serve));
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

    private List<Condition> conditions(ServicePlan.Serve serve) {
        ServiceState state = serve.service();
        List<Condition> conditions = new ArrayList<>();
        Instant now = pass.now();
        List<Ip> own = pass.addressesOf(state);
        String holds = own.stream().map(Ip::toString).collect(Collectors.joining(", "));
        if (serve.servedClass().capabilities().addresses() == AddressSource.POOLS) {
            if (!own.isEmpty()) {
                pass.parts.metrics().waits(pass.key, pass.waiting.map(reason -> assignedReason(state, own)));
                conditions.add(Publication.condition(
                        state,
                        WellKnownNames.ADDRESS_ASSIGNED,
                        true,
                        assignedReason(state, own),
                        "holds " + holds
                                + pass.waiting
                                        .map(reason -> "; " + reason.message())
                                        .orElse(""),
                        now));
            } else {
                String reason = pass.waiting
                        .map(WaitReason::reason)
                        .or(() -> pass.trouble.map(Trouble::reason))
                        .orElse("ClaimFailed");
                String message = pass.waiting
                        .map(WaitReason::message)
                        .or(() -> pass.trouble.map(Trouble::message))
                        .orElse("no address could be claimed");
                pass.parts.metrics().waits(pass.key, Optional.of(reason));
                conditions.add(
                        Publication.condition(state, WellKnownNames.ADDRESS_ASSIGNED, false, reason, message, now));
            }
        } else {
            conditions.add(ofItsProvider(state, serve.servedClass(), now));
        }
        pass.trouble
                .filter(Trouble::isOfEnsuring)
                .ifPresent(what -> conditions.add(Publication.condition(
                        state, WellKnownNames.PROGRAMMED, false, what.reason(), what.message(), now)));
        pass.pending.ifPresent(message -> conditions.add(
                Publication.condition(state, WellKnownNames.PROGRAMMED, false, "Pending", message, now)));
        if (pass.demand != null) {
            conditions.addAll(pass.demand.conditions(state, pass.portErrors(), now));
            if (pass.ingress == null
                    && conditions.stream().noneMatch(other -> other.type().equals(WellKnownNames.PORTS_ERROR))) {
                // What is published says so still.
                state.condition(WellKnownNames.PORTS_ERROR).ifPresent(conditions::add);
            }
        }
        pass.sharingConflict.ifPresent(why -> conditions.add(
                Publication.condition(state, WellKnownNames.SHARING_CONFLICT, true, why.reason(), why.message(), now)));
        if (NodePortRules.of(state, serve.servedClass()) == NodePortRules.Verdict.CAME_BACK) {
            conditions.add(Publication.condition(
                    state,
                    WellKnownNames.NODE_PORTS_CONFLICT,
                    true,
                    "NodePortsCameBack",
                    "node ports were released, and somebody allocated them again; set"
                            + " spec.allocateLoadBalancerNodePorts: false where the Service is kept, or nodePorts: Keep on"
                            + " LoadBalancerClass \"" + serve.servedClass().name() + "\"",
                    now));
        }
        if (isInConflict(state)) {
            conditions.add(Publication.condition(
                    state,
                    WellKnownNames.STATUS_CONFLICT,
                    true,
                    "StatusOverwritten",
                    "another controller keeps writing status.loadBalancer; find it and stop it",
                    now));
        }
        return conditions;
    }

    /** Whether the provider gave it an address. With the finalizer it is the mark that Berth serves the Service. */
    private Condition ofItsProvider(ServiceState state, ServedClass served, Instant now) {
        List<Published> entries = pass.ingress == null ? state.ingress() : pass.ingress;
        String provider = "provider \"" + served.provider() + "\"";
        if (!entries.isEmpty()) {
            pass.parts.metrics().waits(pass.key, Optional.empty());
            return Publication.condition(
                    state,
                    WellKnownNames.ADDRESS_ASSIGNED,
                    true,
                    "Assigned",
                    provider + " gave "
                            + entries.stream()
                                    .map(entry -> entry.withoutIpMode().toString())
                                    .collect(Collectors.joining(", ")),
                    now);
        }
        Optional<Condition> unmet = nothingCanBeDone(state, now);
        String reason = pass.trouble
                .map(Trouble::reason)
                .or(() -> unmet.map(Condition::reason))
                .orElse("Pending");
        String message = pass.trouble
                .map(Trouble::message)
                .or(() -> unmet.map(Condition::message))
                .or(() -> pass.pending)
                .orElse("waiting for " + provider);
        pass.parts.metrics().waits(pass.key, Optional.of(reason));
        return Publication.condition(state, WellKnownNames.ADDRESS_ASSIGNED, false, reason, message, now);
    }

    /** Why its provider is not even asked; absent: it is. */
    private Optional<Condition> nothingCanBeDone(ServiceState state, Instant now) {
        Demand demand = pass.demand;
        return demand == null || demand.isServable()
                ? Optional.empty()
                : demand.conditions(state, pass.portErrors(), now).stream()
                        .filter(condition -> condition.type().equals(WellKnownNames.UNSUPPORTED))
                        .findFirst();
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

    private String assignedReason(ServiceState state, List<Ip> own) {
        if (pass.waiting.isEmpty()) {
            return "Assigned";
        }
        return own.size() < state.wantedFamilies().size() ? "PartiallyAssigned" : "ReplacementPending";
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
                pass.trouble("asking for ipMode", "PublishFailed", message, difference);
                yield Optional.empty();
            }
            case Write.Unknown<ServiceState>(String message) -> {
                pass.trouble("asking for ipMode", "PublishFailed", message, difference);
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
        boolean isOfItsProvider = pass.pending.isPresent()
                || pass.trouble.filter(Trouble::isOfItsProvider).isPresent();
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
                pass.trouble(doing, "PublishFailed", message, request);
                yield Optional.empty();
            }
            case Write.Unknown<ServiceState>(String message) -> {
                pass.trouble(doing, "PublishFailed", message, request);
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
        pass.sharingConflict.ifPresent(
                why -> pass.parts.events().warning(About.service(state), "SharingConflict", why.message()));
        pass.waiting.ifPresent(reason -> {
            LOG.info("Service {} waits: {}", pass.key, reason.message());
            pass.parts.events().warning(About.service(state), "AllocationFailed", reason.message());
        });
    }
}
