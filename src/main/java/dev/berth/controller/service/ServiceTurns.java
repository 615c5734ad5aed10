package dev.berth.controller.service;

import dev.berth.claim.Ledger;
import dev.berth.claim.QueuePosition;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.StartGate;
import dev.berth.loadbalancer.ServiceState;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The place of each Service among those that wait for an address: it has one from when it first asked for one. */
final class ServiceTurns {
    private final Ledger ledger;
    private final StartGate gate;
    private final InstantSource steady;
    private final Map<ServiceKey, QueuePosition> turns = new ConcurrentHashMap<>();

    /** @param steady how time passes, for the order of those that wait: nobody sets it forward or back */
    ServiceTurns(Ledger ledger, StartGate gate, InstantSource steady) {
        this.ledger = ledger;
        this.gate = gate;
        this.steady = steady;
    }

    /** Before a pass: gives it a place, if it asks for a load balancer and has none; else it loses its own. */
    void note(ServiceState service) {
        if (!service.wantsLoadBalancer()) {
            forget(service.key());
        } else if (known(service).isEmpty()) {
            turns.put(service.key(), first(service));
        }
    }

    /** It goes behind all that wait now. */
    void goLast(ServiceState service) {
        turns.put(service.key(), fromNow(service));
    }

    /** It does not wait: should it again, it gets another place. */
    void forget(ServiceKey key) {
        turns.remove(key);
    }

    /** The place that it has, or would be given now. */
    QueuePosition of(ServiceState service) {
        return service.wantsLoadBalancer() ? known(service).orElseGet(() -> first(service)) : fromNow(service);
    }

    private QueuePosition fromNow(ServiceState service) {
        return new QueuePosition(now(), service.created(), service.uid());
    }

    private Optional<QueuePosition> known(ServiceState service) {
        return ledger.turnOf(service.key())
                .filter(turn -> turn.uid().equals(service.uid()))
                .or(() -> Optional.ofNullable(turns.get(service.key()))
                        .filter(turn -> turn.uid().equals(service.uid())));
    }

    private QueuePosition first(ServiceState service) {
        return new QueuePosition(waitsSince(service), service.created(), service.uid());
    }

    /** At a start, its condition says it. One that comes later is not asked. */
    private Instant waitsSince(ServiceState service) {
        return gate.isOpen() ? now() : service.waitsSince(now()).orElseGet(this::now);
    }

    /** By the clock that nobody sets, as precise as a condition. */
    Instant now() {
        return steady.instant().truncatedTo(ChronoUnit.SECONDS);
    }
}
