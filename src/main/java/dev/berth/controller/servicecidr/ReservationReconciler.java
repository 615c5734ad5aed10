package dev.berth.controller.servicecidr;

import dev.berth.api.v1alpha1.ClusterIPReservation;
import dev.berth.controller.PrimaryCache;
import dev.berth.controller.StartGate;
import dev.berth.kube.Caches;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.util.List;

/**
 * Hands on the operator SDK's events on ClusterIPReservations. All of them are looked at together, with the
 * ServiceCIDRPolicy: who has an address depends on the others.
 */
public final class ReservationReconciler implements Reconciler<ClusterIPReservation> {
    private final Caches caches;
    private final StartGate gate;
    private final Runnable changed;

    /** @param changed notified of every change of one, its end included */
    public ReservationReconciler(Caches caches, StartGate gate, Runnable changed) {
        this.caches = caches;
        this.gate = gate;
        this.changed = changed;
    }

    @Override
    public List<EventSource<?, ClusterIPReservation>> prepareEventSources(
            EventSourceContext<ClusterIPReservation> context) {
        caches.reservations(new PrimaryCache<>(context.getPrimaryCache()));
        return List.of();
    }

    @Override
    public UpdateControl<ClusterIPReservation> reconcile(
            ClusterIPReservation object, Context<ClusterIPReservation> context) {
        gate.await();
        changed.run();
        return UpdateControl.noUpdate();
    }
}
