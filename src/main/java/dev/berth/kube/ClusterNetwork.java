package dev.berth.kube;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.ClusterIps;
import dev.berth.servicecidr.ExcludedNetwork;
import dev.berth.servicecidr.ReadyCondition;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.servicecidr.ServiceRange;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * All that looking after the cluster's own Service addresses reads from and writes to a cluster. No method throws for
 * what the API server may answer.
 */
public interface ClusterNetwork {
    /** All ServiceCIDRs in the cache. */
    List<ServiceCidr> serviceCidrs();

    /**
     * Has the IPAddresses watched from now on, and returns when all are known.
     *
     * @return why they are not, absent: they are
     */
    Optional<String> watchClusterIps();

    /** Why what happens to IPAddresses is not seen at the moment; absent: it is. */
    Optional<String> interruption();

    /** What {@code question} makes of the IPAddresses in the cache. They do not change meanwhile, so be quick. */
    <A> A askClusterIps(Function<ClusterIps, A> question);

    /** All ServiceCIDRs, live. */
    Read<List<ServiceCidr>> readServiceCidrs();

    /** All IPAddresses, live: there may be tens of thousands. */
    Read<List<ClusterIp>> readClusterIps();

    /** The Pods whose address is in one of these networks, live: there may be very many Pods. */
    Read<List<ExcludedNetwork>> readPods(List<IpRange> networks);

    /** All else that is in one of these networks and that a cache may know of, live: {@link TakenNetworks}. */
    Read<List<ExcludedNetwork>> readTaken(List<IpRange> networks);

    /** The IPAddresses that are Berth's reservations, live. */
    Read<List<ClusterIp>> readReservations();

    /** Adds {@link ServiceCidr#FINALIZER}. */
    Write<ServiceCidr> addFinalizer(ServiceCidr seen);

    /** Takes {@link ServiceCidr#FINALIZER} off. */
    Write<ServiceCidr> removeFinalizer(ServiceCidr seen);

    /** Writes the condition {@code Ready}. */
    Write<ServiceCidr> setReady(ServiceCidr seen, ReadyCondition ready, Instant since);

    /** Creates a ServiceCIDR of one range. A Conflict means that there is one of this name already. */
    Write<ServiceCidr> createServiceCidr(String name, ServiceRange range);

    /** Deletes a ServiceCIDR; the ServiceCIDR controller holds it until it may go. */
    Write<ServiceCidr> deleteServiceCidr(ServiceCidr seen);

    /** Keeps an address for a Service to come, by an IPAddress. A Conflict means that it is taken. */
    Write<ClusterIp> reserve(Ip ip, ServiceKey service);

    /** Deletes an IPAddress. */
    Write<ClusterIp> release(ClusterIp seen);
}
