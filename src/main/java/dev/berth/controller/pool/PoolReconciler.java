package dev.berth.controller.pool;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.controller.PrimaryCache;
import dev.berth.controller.Wakeups;
import dev.berth.kube.Caches;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.util.List;

/** Hands the operator SDK's events to {@link PoolControl}. */
public final class PoolReconciler implements Reconciler<AddressPool> {
    private final Caches caches;
    private final PoolControl control;
    private final Wakeups<AddressPool> wakeups;

    public PoolReconciler(Caches caches, PoolControl control, Wakeups<AddressPool> wakeups) {
        this.caches = caches;
        this.control = control;
        this.wakeups = wakeups;
    }

    @Override
    public List<EventSource<?, AddressPool>> prepareEventSources(EventSourceContext<AddressPool> context) {
        caches.pools(new PrimaryCache<>(context.getPrimaryCache()));
        return List.of(wakeups);
    }

    @Override
    public UpdateControl<AddressPool> reconcile(AddressPool pool, Context<AddressPool> context) {
        return wakeups.answer(
                pool, context, control.reconcile(pool.getMetadata().getName()));
    }
}
