package dev.berth.controller.servicecidr;

import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.controller.Next;
import dev.berth.controller.Timer;
import dev.berth.kube.Cache;
import dev.berth.kube.Caches;
import dev.berth.kube.Conditions;
import dev.berth.kube.NetworkingVersion;
import dev.berth.kube.StatusWriter;
import dev.berth.loadbalancer.Condition.Status;
import dev.berth.reason.Reason;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/**
 * Says on the ServiceCIDRPolicy and on ClusterIPReservations that nothing can be done for them: the API server has no
 * ServiceCIDRs.
 */
public final class NotServed implements PolicyReconciler.Control {
    private static final String NONE = NetworkingVersion.NOT_SERVED + "; then restart Berth";

    private static final Duration UNWRITTEN = Duration.ofSeconds(5);

    private final Caches caches;
    private final StatusWriter statuses;
    private final ReservationStatuses reservations;
    private final InstantSource clock;
    private final Timer later;

    /** Cancels the next look at ClusterIPReservations. */
    private Runnable again = () -> {};

    public NotServed(
            Caches caches, StatusWriter statuses, ReservationStatuses reservations, InstantSource clock, Timer later) {
        this.caches = caches;
        this.statuses = statuses;
        this.reservations = reservations;
        this.clock = clock;
        this.later = later;
    }

    @Override
    public Next reconcile(Cache<ServiceCIDRPolicy> policies, String name) {
        reportReservations();
        policies.get(null, name).ifPresent(policy -> {
            ServiceCIDRPolicy.Status status = status(policy, Reason.NotServed, NONE, clock.instant());
            if (!status.equals(policy.getStatus())) {
                statuses.write(policy, status);
            }
        });
        return Next.ON_EVENT;
    }

    private synchronized void reportReservations() {
        again.run();
        if (!reservations.tell(
                caches.reservations().list().toList(), ReservationStatus.notReady(Reason.NotServed, NONE))) {
            again = later.after(UNWRITTEN, this::reportReservations);
        }
    }

    /** A status that only says that the policy is not served, and so not ready; the history stays. */
    static ServiceCIDRPolicy.Status status(ServiceCIDRPolicy policy, Reason reason, String message, Instant now) {
        ServiceCIDRPolicy.Status before = policy.getStatus();
        List<Condition> known = Conditions.of(before);
        Long generation = policy.getMetadata().getGeneration();
        Condition served = Conditions.of(known, "Served", Status.FALSE, reason, message, generation, now);
        return new ServiceCIDRPolicy.Status(
                generation,
                null,
                null,
                null,
                before == null ? null : before.history(),
                null,
                null,
                null,
                List.of(served, Conditions.ready(known, List.of(served), generation, now)));
    }
}
