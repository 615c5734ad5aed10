package dev.berth.controller.servicecidr;

import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.controller.Next;
import dev.berth.controller.PrimaryCache;
import dev.berth.controller.StartGate;
import dev.berth.controller.Wakeups;
import dev.berth.kube.Cache;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.util.List;

/** Hands the operator SDK's events on the ServiceCIDRPolicy to who does something about it. */
public final class PolicyReconciler implements Reconciler<ServiceCIDRPolicy> {
    /** Who does something about it. */
    public interface Control {
        /** Does what the policy of this name asks for, if there is one, and what ClusterIPReservations do. */
        Next reconcile(Cache<ServiceCIDRPolicy> policies, String name);
    }

    private final StartGate gate;
    private final Control control;
    private final Wakeups<ServiceCIDRPolicy> wakeups;
    private volatile Cache<ServiceCIDRPolicy> policies = Cache.empty();

    /**
     * @param gate until it is open, ServiceCIDRs may be missing in the cache that one needs to decide
     */
    public PolicyReconciler(StartGate gate, Control control, Wakeups<ServiceCIDRPolicy> wakeups) {
        this.gate = gate;
        this.control = control;
        this.wakeups = wakeups;
    }

    @Override
    public List<EventSource<?, ServiceCIDRPolicy>> prepareEventSources(EventSourceContext<ServiceCIDRPolicy> context) {
        policies = new PrimaryCache<>(context.getPrimaryCache());
        return List.of(wakeups);
    }

    /** Once the gate is open: of a policy that was deleted before the start, nobody is told. */
    public void begin() {
        if (policies.get(null, ServiceCIDRPolicy.NAME).isEmpty()) {
            control.reconcile(policies, ServiceCIDRPolicy.NAME);
        }
    }

    /** A ServiceCIDR, an IPAddress or a ClusterIPReservation came or changed. */
    public void changed() {
        if (gate.isOpen()) {
            begin();
        }
    }

    @Override
    public UpdateControl<ServiceCIDRPolicy> reconcile(ServiceCIDRPolicy policy, Context<ServiceCIDRPolicy> context) {
        gate.await();
        // A schema that was edited may let in another.
        if (!policy.getMetadata().getName().equals(ServiceCIDRPolicy.NAME)) {
            return UpdateControl.noUpdate();
        }
        return wakeups.answer(
                policy,
                context,
                control.reconcile(policies, policy.getMetadata().getName()));
    }
}
