package dev.berth.controller.pool;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.controller.Answer;
import dev.berth.controller.PrimaryCache;
import dev.berth.kube.Caches;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Ignore;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.util.List;

/** Hands the operator SDK's events to {@link PoolControl}. */
@Ignore
public final class PoolReconciler implements Reconciler<AddressPool> {
    private final Caches caches;
    private final PoolControl control;

    public PoolReconciler(Caches caches, PoolControl control) {
        this.caches = caches;
        this.control = control;
    }

    @Override
    public List<EventSource<?, AddressPool>> prepareEventSources(EventSourceContext<AddressPool> context) {
        caches.pools(new PrimaryCache<>(context.getPrimaryCache()));
        return List.of();
    }

    @Override
    public UpdateControl<AddressPool> reconcile(AddressPool pool, Context<AddressPool> context) {
        return Answer.of(control.reconcile(pool.getMetadata().getName()));
    }
}
