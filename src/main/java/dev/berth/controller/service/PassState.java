package dev.berth.controller.service;

import dev.berth.address.AddressConstraints;
import dev.berth.address.Claim;
import dev.berth.address.Holding;
import dev.berth.address.Ip;
import dev.berth.address.Ledger;
import dev.berth.address.Owner;
import dev.berth.address.ServiceKey;
import dev.berth.controller.Next;
import dev.berth.controller.service.ServiceControl.Parts;
import dev.berth.controller.service.ServicePass.Outcome;
import dev.berth.kube.Events.About;
import dev.berth.loadbalancer.Facts;
import dev.berth.loadbalancer.HoldingSelection;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.Trouble;
import dev.berth.loadbalancer.Trouble.Reason;
import dev.berth.loadbalancer.WellKnownNames;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one pass over a Service works with, and what it learns on the way. */
final class PassState {
    private static final Logger LOG = LoggerFactory.getLogger(PassState.class);

    final Parts parts;
    final ProviderGuard.Visit visit;
    final Consumer<Collection<ServiceKey>> due;
    final ServiceMemory memory;
    final ServiceKey key;
    final Optional<ServiceState> service;
    ServicePlan plan;

    /** Whether the Service is as a live read of this pass found it. */
    final boolean live;

    /** The Addresses of its name as they were known before the plan was made. */
    final Map<Ip, Claim> planned;

    /** The same just before the Service was read. */
    private final Map<Ip, Claim> beforeReading;

    /** What came of it so far. */
    Facts facts = Facts.NONE;

    /** The Addresses of its name as they were known before this pass last wrote the Service; null: it has not. */
    private @Nullable Map<Ip, Claim> claimsBefore;

    /** The addresses whose Address object was written for the Service as it is. */
    final Written written;

    /** What Address objects were written while the Service was as it is but for our own writes. */
    static final class Written {
        private @Nullable ServiceState at;
        private final Set<Ip> ips = new HashSet<>();

        private void at(ServiceState now) {
            ServiceState before = at;
            if (before == null
                    || !before.uid().equals(now.uid())
                    || !before.resourceVersion().equals(now.resourceVersion())) {
                ips.clear();
            }
            at = now;
        }

        void add(Ip ip) {
            ips.add(ip);
        }

        boolean contains(Ip ip) {
            return ips.contains(ip);
        }
    }

    PassState(
            Parts parts,
            ProviderGuard.Visit visit,
            Consumer<Collection<ServiceKey>> due,
            ServiceMemory memory,
            ServiceKey key,
            Optional<ServiceState> service,
            ServicePlan plan,
            boolean live,
            Map<Ip, Claim> beforeReading,
            Map<Ip, Claim> planned,
            Written written) {
        this.parts = parts;
        this.visit = visit;
        this.due = due;
        this.memory = memory;
        this.key = key;
        this.service = service;
        this.plan = plan;
        this.live = live;
        this.beforeReading = beforeReading;
        this.planned = planned;
        this.written = written;
        service.ifPresent(written::at);
    }

    /** The Addresses of the Service's name as they are known now. */
    static Map<Ip, Claim> claims(Ledger ledger, ServiceKey key) {
        return ledger.heldFor(key).stream()
                .flatMap(holding -> Optional.ofNullable(holding.claim()).stream())
                .collect(Collectors.toUnmodifiableMap(Claim::ip, claim -> claim));
    }

    /** The Service is as we wrote it; {@code before}: the Addresses as they were known before that. */
    void wrote(ServiceState answer, Map<Ip, Claim> before) {
        memory.version.wrote(answer);
        claimsBefore = before;
        written.at = answer;
    }

    /** The Service as this pass knows it by now; {@code planned} if it has learned nothing since. */
    ServiceState newest(ServiceState planned) {
        return Objects.requireNonNullElse(written.at, planned);
    }

    /** Whether the Service says by now that it gives addresses back. */
    boolean isReleasing(ServiceState planned) {
        return newest(planned).condition(WellKnownNames.RELEASING).isPresent();
    }

    /** Whether the Service was read live when {@code claim} was known already: then it was there before the Service. */
    boolean isReadSince(Claim claim) {
        return live && claim.equals(beforeReading.get(claim.ip()));
    }

    /** Whether this pass has written the Service. */
    boolean hasWritten() {
        return claimsBefore != null;
    }

    /** The Address as it was known before this pass wrote the Service; null: it was not known, or nothing written. */
    @Nullable Claim claimBefore(Ip ip) {
        return claimsBefore == null ? null : claimsBefore.get(ip);
    }

    Owner owner(ServicePlan.Serve serve) {
        return new Owner(key, serve.service().uid());
    }

    /** The addresses that are surely its own: one per family that it wants, in its order of families. */
    List<Ip> addressesOf(ServiceState state) {
        return claimed(state).publishable(state);
    }

    HoldingSelection claimed(ServiceState state) {
        List<Holding> claimed = parts.ledger().heldFor(key).stream()
                .filter(holding -> holding.state() == Holding.State.CLAIMED)
                .toList();
        return HoldingSelection.of(state, claimed, wishes(), parts.ledger().pools());
    }

    AddressConstraints wishes() {
        return plan instanceof ServicePlan.Serve serve ? serve.wishes() : AddressConstraints.NONE;
    }

    /** Something went wrong; nothing more is tried for the Service, but to say so. */
    void trouble(Trouble what) {
        facts = facts.withTrouble(what);
    }

    /** Its provider failed. It is not asked again before its time, also where saying so fails, too. */
    void troubleOfProvider(Trouble what) {
        Duration delay = memory.retries.failed(what, parts.backoff(), steady());
        facts = facts.withTrouble(what).lookingAgain(delay);
    }

    void trouble(String doing, Reason reason, String cause, Object request) {
        trouble(new Trouble(doing, reason, cause, request));
    }

    /** For what others read. */
    Instant now() {
        return parts.clock().instant().truncatedTo(ChronoUnit.SECONDS);
    }

    /** The clock for delays: nobody sets it forward or back. */
    Instant steady() {
        return parts.steady().instant();
    }

    /** Says what went wrong, and when the Service is tried again. */
    Outcome failed(ServiceState about, Trouble what) {
        Duration delay = memory.retries
                .mustWait(what.request(), steady())
                .orElseGet(() -> memory.retries.failed(what, parts.backoff(), steady()));
        return failed(about, what.message(), delay);
    }

    /** The same, where each look found something else than the one before. */
    Outcome overtaken(ServiceState about, int looks) {
        return failed(
                about,
                "the Service, or an Address of it, was changed by others " + looks + " times while it was looked at",
                memory.retries.overtaken(parts.backoff(), steady()));
    }

    private Outcome failed(ServiceState about, String message, Duration delay) {
        parts.metrics().failed();
        parts.events()
                .warning(About.service(about), "SyncLoadBalancerFailed", "Error syncing load balancer: " + message);
        LOG.warn("Service {}: {}; trying again in {} s", key, message, delay.toSeconds());
        return new Outcome.Finished(Next.after(facts.soonest(delay)));
    }
}
