package dev.berth.controller.clusterip;

import dev.berth.controller.Answer;
import dev.berth.controller.PrimaryCache;
import dev.berth.controller.StartGate;
import dev.berth.controller.Wakeups;
import dev.berth.kube.Caches;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Ignore;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.util.List;

/**
 * Hands the operator SDK's events to {@link ServiceCidrControl}.
 *
 * @param <P> ServiceCIDR in the version that the API server has
 */
@Ignore
public final class ServiceCidrReconciler<P extends HasMetadata> implements Reconciler<P> {
    private final Caches caches;
    private final StartGate gate;
    private final ServiceCidrControl control;
    private final Runnable changed;
    private final Wakeups<P> wakeups;

    /**
     * Wires it.
     *
     * @param gate until it is open, the cache may be without ServiceCIDRs that one needs to decide
     * @param changed told of every change of a ServiceCIDR, before anything is done about it
     */
    public ServiceCidrReconciler(
            Caches caches, StartGate gate, ServiceCidrControl control, Runnable changed, Wakeups<P> wakeups) {
        this.caches = caches;
        this.gate = gate;
        this.control = control;
        this.changed = changed;
        this.wakeups = wakeups;
    }

    @Override
    public List<EventSource<?, P>> prepareEventSources(EventSourceContext<P> context) {
        caches.serviceCidrs(new PrimaryCache<>(context.getPrimaryCache()));
        return List.of(wakeups);
    }

    @Override
    public UpdateControl<P> reconcile(P object, Context<P> context) {
        gate.await();
        changed.run();
        return Answer.of(control.reconcile(object.getMetadata().getName()));
    }
}
