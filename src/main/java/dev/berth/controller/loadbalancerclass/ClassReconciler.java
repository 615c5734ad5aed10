package dev.berth.controller.loadbalancerclass;

import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.controller.PrimaryCache;
import dev.berth.controller.Wakeups;
import dev.berth.kube.Caches;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.util.List;

/** Hands the operator SDK's events to {@link ClassControl}. */
public final class ClassReconciler implements Reconciler<LoadBalancerClass> {
    private final Caches caches;
    private final ClassControl control;
    private final ClassControl.Services services;
    private final Wakeups<LoadBalancerClass> wakeups;

    public ClassReconciler(
            Caches caches, ClassControl control, ClassControl.Services services, Wakeups<LoadBalancerClass> wakeups) {
        this.caches = caches;
        this.control = control;
        this.services = services;
        this.wakeups = wakeups;
    }

    @Override
    public List<EventSource<?, LoadBalancerClass>> prepareEventSources(EventSourceContext<LoadBalancerClass> context) {
        caches.classes(new PrimaryCache<>(context.getPrimaryCache()));
        return List.of(wakeups);
    }

    @Override
    public UpdateControl<LoadBalancerClass> reconcile(LoadBalancerClass object, Context<LoadBalancerClass> context) {
        return wakeups.answer(
                object, context, control.reconcile(object.getMetadata().getName(), services));
    }
}
