package dev.berth.controller.service;

import dev.berth.claim.Claim;
import dev.berth.claim.Holding;
import dev.berth.claim.Ledger;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Next;
import dev.berth.controller.address.AddressControl;
import dev.berth.ip.Ip;
import dev.berth.kube.Events.About;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.Attempt;
import dev.berth.loadbalancer.ObservedState;
import dev.berth.loadbalancer.Outcome;
import dev.berth.loadbalancer.ServiceEvent;
import dev.berth.loadbalancer.ServiceFailure;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.SinceLook;
import dev.berth.loadbalancer.TerminalEffect;
import dev.berth.reason.Reason;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one pass over a Service works with.
 *
 * @param due notified which other Services to reconcile
 * @param service as it was read; empty: it is gone
 * @param live whether that was a live read of this pass
 * @param beforeReading the Addresses of its name as they were known just before it was read live; empty: it was not
 * @param planned the same before the plan was made
 * @param writes what was written of it since it was looked at
 */
record ReconcileContext(
        ServiceParts parts,
        AddressControl addresses,
        ProviderGuard.Visit visit,
        Consumer<Collection<ServiceKey>> due,
        ServiceMemory memory,
        ServiceTurns turns,
        ServiceKey key,
        Optional<ServiceState> service,
        ServicePlan plan,
        boolean live,
        List<Claim> beforeReading,
        List<Claim> planned,
        OwnWrites writes) {
    private static final Logger LOG = LoggerFactory.getLogger(ReconcileContext.class);

    /** The Addresses of the Service's name as they are known now. */
    static List<Claim> claims(Ledger ledger, ServiceKey key) {
        List<Claim> claims = new ArrayList<>();
        for (Holding holding : ledger.heldFor(key)) {
            if (holding.claim() != null) {
                claims.add(holding.claim());
            }
        }
        return List.copyOf(claims);
    }

    List<Claim> claims() {
        return claims(parts.ledger(), key);
    }

    /** What is known beside the plan, now. */
    ObservedState situation() {
        return new ObservedState(
                live,
                parts.heldFor(key),
                parts.ledger().pools(),
                memory.provider.state(),
                memory.provider.name.known(),
                memory.retries.waits(),
                memory.status.wordsMustWait(steady()),
                parts.environment().announcements().get(),
                new SinceLook(
                        beforeReading, planned, service.map(writes::newest), writes.claimsBefore(), writes.addresses()),
                service.map(memory.status::mayBePublished).orElse(List.of()),
                parts.ledger().turnOf(key).isPresent(),
                now());
    }

    /**
     * Writes the Service. Its event may come before the answer: that is no news, and any other that comes meanwhile is.
     *
     * @param before the Addresses as they were known before that
     */
    Write<ServiceState> write(List<Claim> before, Supplier<Write<ServiceState>> call) {
        memory.version.begins();
        try {
            Write<ServiceState> write = call.get();
            if (write instanceof Write.Done<ServiceState>(ServiceState answer)) {
                memory.version.wrote(answer);
                writes.wrote(answer, before);
            }
            return write;
        } finally {
            if (memory.version.ends()) {
                due.accept(List.of(key));
            }
        }
    }

    Owner owner(ServicePlan.Serve serve) {
        return new Owner(key, serve.service().uid());
    }

    /** The addresses that are surely its own: one per family that it wants, in its order of families. */
    List<Ip> addressesOf(ServiceState state) {
        return situation()
                .addresses(
                        state,
                        plan.constraints(),
                        plan instanceof ServicePlan.Serve serve
                                ? serve.servedClass().value()
                                : null);
    }

    /** It failed, and is not tried again before its time. */
    Outcome postpone(ServiceFailure what) {
        return new Outcome.BackedOff(what, memory.retries.failed(what));
    }

    static Outcome failed(String doing, Reason reason, String cause, Attempt attempt) {
        return new Outcome.Failed(new ServiceFailure(doing, reason, cause, attempt));
    }

    void say(ServiceState about, ServiceEvent event) {
        About service = About.service(about);
        switch (event.type()) {
            case NORMAL -> parts.events().normal(service, event.reason(), event.message());
            case WARNING -> parts.events().warning(service, event.reason(), event.message());
        }
    }

    /** For what others read. */
    Instant now() {
        return parts.timing().clock().instant().truncatedTo(ChronoUnit.SECONDS);
    }

    /** The clock for delays: nobody sets it forward or back. */
    Instant steady() {
        return parts.timing().steady().instant();
    }

    /** Notes what went wrong, unless it is noted already, and says it. */
    EffectResult.End fail(TerminalEffect.Fail effect) {
        ServiceFailure what = effect.what();
        Duration backOff = memory.retries.mustWait(what.attempt()).orElseGet(() -> memory.retries.failed(what));
        return fail(what.message(), effect.delay(backOff));
    }

    /** The same, where each of so many looks found something else than the one before. */
    EffectResult.End overtaken(int looks) {
        return service.isEmpty()
                ? new EffectResult.Finished(Next.after(parts.timing().backoff().after(1)))
                : fail(
                        "the Service, or an Address of it, was changed by others " + looks
                                + " times while it was reconciled",
                        memory.retries.overtaken());
    }

    private EffectResult.End fail(String message, Duration delay) {
        parts.metrics().failed();
        service.ifPresent(about -> say(about, ServiceEvent.notSynced(message)));
        LOG.warn("Service {}: {}; trying again in {} s", key, message, delay.toSeconds());
        return new EffectResult.Finished(Next.after(delay));
    }
}
