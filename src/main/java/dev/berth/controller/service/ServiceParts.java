package dev.berth.controller.service;

import dev.berth.announce.Announcements;
import dev.berth.claim.Holding;
import dev.berth.claim.Ledger;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.StartGate;
import dev.berth.controller.Timing;
import dev.berth.ip.Ip;
import dev.berth.kube.Cluster;
import dev.berth.kube.Events;
import dev.berth.loadbalancer.Backends;
import dev.berth.loadbalancer.ClassCertificate;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.Deference;
import dev.berth.loadbalancer.ForeignAnnotations;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What {@link ServiceLoops} are made of.
 *
 * @param gate opens once all that is held is known
 */
public record ServiceParts(
        Cluster cluster,
        Ledger ledger,
        StartGate gate,
        Providers providers,
        Events events,
        ServiceMetrics metrics,
        IpModeSupport ipMode,
        Timing timing,
        Environment environment,
        Settings settings) {
    /** What is held for the Service's name, but for what another Berth claimed. */
    List<Holding> heldFor(ServiceKey key) {
        ClassSet classes = environment.classes().get();
        List<Holding> held = new ArrayList<>(ledger.heldFor(key));
        held.removeIf(classes::isClaimedElsewhere);
        return held;
    }

    /**
     * What is known beside Services and Addresses. Each is asked again whenever it is needed.
     *
     * @param classes the classes as they are judged now
     * @param cloudNode a Node that speaks for another controller
     * @param backends what may get a Service's packets; the same list of nodes until it changes
     * @param isNodes whether a Node of the cluster has the address
     * @param certificates of classes with TLS, by the name of their Secret
     * @param announcements who announces which address, as the agents say
     */
    public record Environment(
            Supplier<ClassSet> classes,
            Supplier<Optional<Deference>> cloudNode,
            Function<ServiceKey, Backends> backends,
            Predicate<Ip> isNodes,
            Function<String, ClassCertificate> certificates,
            Supplier<Announcements> announcements) {}

    /**
     * What the operator was started with.
     *
     * @param clusterName tells providers of this cluster from others
     * @param fencingToken grows with each replica that leads
     * @param deleteOrphaned whether what providers have for Services that are gone is deleted, or only reported
     * @param migrateFrom the controllers whose Services are taken over; empty: nobody's are
     */
    public record Settings(
            String clusterName,
            LongSupplier fencingToken,
            boolean deleteOrphaned,
            List<ForeignAnnotations> migrateFrom) {
        public Settings {
            migrateFrom = List.copyOf(migrateFrom);
        }
    }
}
