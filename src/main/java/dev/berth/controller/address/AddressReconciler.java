package dev.berth.controller.address;

import dev.berth.api.v1alpha1.Address;
import dev.berth.claim.Claim;
import dev.berth.controller.Next;
import dev.berth.controller.PrimaryCache;
import dev.berth.controller.Wakeups;
import dev.berth.ip.Ip;
import dev.berth.kube.Caches;
import dev.berth.kube.Claims;
import dev.berth.kube.Events;
import dev.berth.kube.Events.About;
import dev.berth.reason.Reason;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.util.List;
import java.util.Optional;

/** Hands the operator SDK's events to {@link AddressControl}. */
public final class AddressReconciler implements Reconciler<Address> {
    private final Caches caches;
    private final AddressControl control;
    private final AddressConditions conditions;
    private final Wakeups<Address> wakeups;
    private final Events events;

    public AddressReconciler(
            Caches caches,
            AddressControl control,
            AddressConditions conditions,
            Wakeups<Address> wakeups,
            Events events) {
        this.caches = caches;
        this.control = control;
        this.conditions = conditions;
        this.wakeups = wakeups;
        this.events = events;
    }

    @Override
    public List<EventSource<?, Address>> prepareEventSources(EventSourceContext<Address> context) {
        caches.addresses(new PrimaryCache<>(context.getPrimaryCache()));
        return List.of(wakeups);
    }

    @Override
    public UpdateControl<Address> reconcile(Address address, Context<Address> context) {
        Optional<Claim> claim = Claims.of(address);
        if (claim.isEmpty()) {
            return UpdateControl.noUpdate();
        }
        if (context.isPrimaryResourceDeleted()) {
            return wakeups.answer(address, context, control.vanished(claim.get()));
        }
        if (!address.unreadable().isEmpty()) {
            events.warning(
                    About.object(address),
                    Reason.Unreadable,
                    String.join("; ", address.unreadable()) + "; it is not allocated to any other Service until that"
                            + " is corrected");
        }
        Ip ip = claim.get().ip();
        Next next = control.reconcile(ip);
        // Not before, for until then the pools may not be known.
        conditions.look(ip);
        return wakeups.answer(address, context, next);
    }
}
