package dev.berth.controller.service;

import dev.berth.claim.ServiceKey;
import dev.berth.controller.address.AddressControl;
import dev.berth.controller.loadbalancerclass.ClassControl;
import dev.berth.ip.Ip;
import java.util.Collection;

/**
 * The control loops of Services and of Addresses, which work on one ledger. What both of them need is made first: an
 * Address is given to another Service once what a provider made for the one that is gone is deleted, and a Service
 * releases its Addresses.
 *
 * @param ofClasses what the loop of classes is to say of Services
 */
public record ServiceLoops(ServiceControl services, AddressControl addresses, ClassControl.Services ofClasses) {
    /** Notified of what has to be looked at again. */
    interface Listener {
        /** These Services are to be reconciled. */
        void due(Collection<ServiceKey> services);

        /** This address is to be reconciled: its Service cannot be any more, or an event on it was passed over. */
        void addressDue(Ip ip);

        /** The sign of another controller came, went or is another: {@link ClassControl.Services#deference}. */
        void deferenceChanged();

        /**
         * Something else is to be said of the LoadBalancerClass of this name: {@link ClassControl.Services#servedByAnother},
         * {@link ClassControl.Services#stuckCalls}.
         */
        void classChanged(String className);
    }

    /** Nothing is looked at yet. */
    static ServiceLoops of(ServiceParts parts, Listener listener, CallLimits limits) {
        ServiceMemories memories = new ServiceMemories(parts.timing());
        StuckCalls stuck = new StuckCalls(parts, limits, listener::classChanged);
        OrphanedLoadBalancers orphans = new OrphanedLoadBalancers(parts, stuck.guard(), memories, listener::due);
        AddressControl addresses = new AddressControl(
                parts.cluster(),
                parts.ledger(),
                parts.gate(),
                parts.timing(),
                parts.environment().classes(),
                listener::due,
                listener::addressDue,
                orphans);
        ServicesOfClasses classes = new ServicesOfClasses(
                parts.environment(),
                new ForeignServices(),
                new SkippedServices(!parts.settings().migrateFrom().isEmpty()),
                stuck);
        return new ServiceLoops(
                new ServiceControl(parts, addresses, orphans, classes, memories, listener), addresses, classes);
    }
}
