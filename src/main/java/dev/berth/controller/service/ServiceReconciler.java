package dev.berth.controller.service;

import dev.berth.claim.ServiceKey;
import dev.berth.controller.PrimaryCache;
import dev.berth.controller.Wakeups;
import dev.berth.kube.Caches;
import dev.berth.kube.Events;
import dev.berth.kube.Events.About;
import dev.berth.kube.ServiceStates;
import dev.berth.kube.Unreadable;
import dev.berth.reason.Reason;
import io.fabric8.kubernetes.api.model.Service;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.util.Collection;
import java.util.List;

/** Hands the operator SDK's events to {@link ServiceControl}. */
public final class ServiceReconciler implements Reconciler<Service> {
    private final Caches caches;
    private final ServiceControl control;
    private final Wakeups<Service> wakeups;
    private final Events events;

    public ServiceReconciler(Caches caches, ServiceControl control, Wakeups<Service> wakeups, Events events) {
        this.caches = caches;
        this.control = control;
        this.wakeups = wakeups;
        this.events = events;
    }

    @Override
    public List<EventSource<?, Service>> prepareEventSources(EventSourceContext<Service> context) {
        caches.services(new PrimaryCache<>(context.getPrimaryCache()));
        return List.of(wakeups);
    }

    @Override
    public UpdateControl<Service> reconcile(Service service, Context<Service> context) {
        try {
            return wakeups.answer(service, context, control.reconcile(ServiceStates.keyOf(service)));
        } catch (Unreadable said) {
            events.warning(About.object(service), Reason.Unreadable, said.getMessage() + "; it is left as it is");
            return UpdateControl.noUpdate();
        }
    }

    /** Makes these Services due, those that are there. */
    public static void wake(Caches caches, Wakeups<Service> wakeups, Collection<ServiceKey> services) {
        services.stream()
                .filter(key ->
                        caches.services().get(key.namespace(), key.name()).isPresent())
                .forEach(key -> wakeups.wake(new ResourceID(key.name(), key.namespace())));
    }

    /** Whether an added Service can be any of our business. */
    public static boolean isRelevant(Service service) {
        return EventMapper.isRelevant(
                ServiceStates.isLoadBalancer(service),
                ServiceStates.finalizers(service),
                ServiceStates.conditionTypes(service));
    }

    /**
     * Takes the event on a changed Service. Returns whether the Service is to be reconciled for it: it is, or was, any of
     * our business, and is not just what we wrote. Of one that could not be read until now nothing is known: it may have
     * been.
     */
    public boolean takeUpdate(Service now, Service before) {
        return (isRelevant(now) || isRelevant(before) || !ServiceStates.canBeRead(before))
                && !control.takeEchoOfOurWrite(
                        ServiceStates.keyOf(now),
                        now.getMetadata().getUid(),
                        now.getMetadata().getResourceVersion());
    }
}
