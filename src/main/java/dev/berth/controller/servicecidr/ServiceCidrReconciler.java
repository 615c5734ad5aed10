package dev.berth.controller.servicecidr;

import dev.berth.controller.PrimaryCache;
import dev.berth.controller.StartGate;
import dev.berth.controller.Wakeups;
import dev.berth.kube.Caches;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Hands the operator SDK's events to {@link ServiceCidrControl}.
 *
 * @param <P> ServiceCIDR in the version that the API server has
 */
public final class ServiceCidrReconciler<P extends HasMetadata> implements Reconciler<P> {
    private final Caches caches;
    private final StartGate gate;
    private final ServiceCidrControl control;
    private final Runnable changed;
    private final Wakeups<P> wakeups;
    private final Map<String, String> seen = new ConcurrentHashMap<>();

    /**
     * @param gate until it is open, the cache may be without ServiceCIDRs that one needs to decide
     * @param changed notified of every change of a ServiceCIDR, its end included, before anything is done about it; not
     *     of
     *     a wakeup, which it may cause itself
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
        if (note(object.getMetadata(), context.isPrimaryResourceDeleted())) {
            changed.run();
        }
        return wakeups.answer(
                object, context, control.reconcile(object.getMetadata().getName()));
    }

    /** Notes which version was seen; returns whether it is another one than before, or none any more. */
    private boolean note(ObjectMeta object, boolean isGone) {
        if (isGone) {
            seen.remove(object.getName());
            return true;
        }
        String version = object.getResourceVersion();
        return !version.equals(seen.put(object.getName(), version));
    }
}
