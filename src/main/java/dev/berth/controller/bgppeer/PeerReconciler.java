package dev.berth.controller.bgppeer;

import dev.berth.api.v1alpha1.BGPPeer;
import dev.berth.controller.PrimaryCache;
import dev.berth.controller.Wakeups;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.util.List;

/** Hands the operator SDK's events to {@link PeerControl}. */
public final class PeerReconciler implements Reconciler<BGPPeer> {
    private final PeerControl control;
    private final Wakeups<BGPPeer> wakeups;

    public PeerReconciler(PeerControl control, Wakeups<BGPPeer> wakeups) {
        this.control = control;
        this.wakeups = wakeups;
    }

    @Override
    public List<EventSource<?, BGPPeer>> prepareEventSources(EventSourceContext<BGPPeer> context) {
        control.peers(new PrimaryCache<>(context.getPrimaryCache()));
        return List.of(wakeups);
    }

    @Override
    public UpdateControl<BGPPeer> reconcile(BGPPeer peer, Context<BGPPeer> context) {
        return wakeups.answer(
                peer, context, control.reconcile(peer.getMetadata().getName()));
    }
}
