package dev.berth.controller.service;

import dev.berth.announce.Announcements;
import dev.berth.claim.Ledger;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Backoff;
import dev.berth.controller.Timer;
import dev.berth.controller.address.AddressControl;
import dev.berth.ip.Ip;
import dev.berth.kube.Cluster;
import dev.berth.kube.Events;
import dev.berth.loadbalancer.Backends;
import dev.berth.loadbalancer.ClassCertificate;
import dev.berth.loadbalancer.ForeignAnnotations;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What the passes over Services work with.
 *
 * @param clock what time it is, for what others read
 * @param steady how time passes, for delays and the order of those that wait: nobody sets it forward or back
 * @param backends what may get a Service's packets; the same list of nodes until it changes
 * @param isNodes whether a Node of the cluster has the address
 * @param later for what is left of Services that are gone
 * @param deleteOrphaned whether what providers have for Services that are gone is deleted, or only reported
 * @param migrateFrom the controllers whose Services are taken over; empty: nobody's are
 * @param certificates of classes with TLS, by the name of their Secret
 * @param announcements who announces which address, as the agents say
 */
public record ServiceParts(
        Cluster cluster,
        Ledger ledger,
        AddressControl addresses,
        Providers providers,
        Events events,
        IpModeSupport ipMode,
        ServiceMetrics metrics,
        Backoff backoff,
        InstantSource clock,
        InstantSource steady,
        String clusterName,
        LongSupplier fencingToken,
        Function<ServiceKey, Backends> backends,
        Predicate<Ip> isNodes,
        Timer later,
        boolean deleteOrphaned,
        List<ForeignAnnotations> migrateFrom,
        Function<String, ClassCertificate> certificates,
        Supplier<Announcements> announcements) {
    /** Without TLS, and without agents. */
    public ServiceParts(
            Cluster cluster,
            Ledger ledger,
            AddressControl addresses,
            Providers providers,
            Events events,
            IpModeSupport ipMode,
            ServiceMetrics metrics,
            Backoff backoff,
            InstantSource clock,
            InstantSource steady,
            String clusterName,
            LongSupplier fencingToken,
            Function<ServiceKey, Backends> backends,
            Predicate<Ip> isNodes,
            Timer later,
            boolean deleteOrphaned,
            List<ForeignAnnotations> migrateFrom) {
        this(
                cluster,
                ledger,
                addresses,
                providers,
                events,
                ipMode,
                metrics,
                backoff,
                clock,
                steady,
                clusterName,
                fencingToken,
                backends,
                isNodes,
                later,
                deleteOrphaned,
                migrateFrom,
                secret -> ClassCertificate.NONE,
                () -> Announcements.NONE);
    }
}
