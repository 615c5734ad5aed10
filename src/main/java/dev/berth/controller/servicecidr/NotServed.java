package dev.berth.controller.servicecidr;

import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.controller.Next;
import dev.berth.kube.Cache;
import dev.berth.kube.Conditions;
import dev.berth.kube.NetworkingVersion;
import dev.berth.kube.StatusWriter;
import dev.berth.loadbalancer.Condition.Status;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/** Says on a ServiceCIDRPolicy that nothing can be done for it: the API server has no ServiceCIDRs. */
public final class NotServed implements PolicyReconciler.Control {
    private static final String NONE = NetworkingVersion.NOT_SERVED + "; then restart Berth";

    private final StatusWriter statuses;
    private final InstantSource clock;

    public NotServed(StatusWriter statuses, InstantSource clock) {
        this.statuses = statuses;
        this.clock = clock;
    }

    @Override
    public Next reconcile(Cache<ServiceCIDRPolicy> policies, String name) {
        policies.get(null, name).ifPresent(policy -> {
            ServiceCIDRPolicy.Status status = status(policy, "NotServed", NONE, clock.instant());
            if (!status.equals(policy.getStatus())) {
                statuses.write(policy, status);
            }
        });
        return Next.ON_EVENT;
    }

    /** A status that only says that the policy is not served, and so not ready; the history stays. */
    static ServiceCIDRPolicy.Status status(ServiceCIDRPolicy policy, String reason, String message, Instant now) {
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
                null,
                List.of(served, Conditions.ready(known, List.of(served), generation, now)));
    }
}
