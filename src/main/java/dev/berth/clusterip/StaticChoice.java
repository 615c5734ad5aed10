package dev.berth.clusterip;

import dev.berth.address.Ip;
import dev.berth.address.IpFamily;
import dev.berth.address.ServiceKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Which addresses to create a Service with. */
public sealed interface StaticChoice {
    /**
     * These.
     *
     * @param ips one of each family that is asked for, in that order
     * @param reservations Berth's objects that keep some of them for this very Service: to be deleted first, as
     *     the API server gives their addresses to nobody
     */
    record Chosen(List<Ip> ips, List<ClusterIp> reservations) implements StaticChoice {
        public Chosen {
            ips = List.copyOf(ips);
            reservations = List.copyOf(reservations);
        }
    }

    /** There are none; {@code why} is a sentence for people. */
    record None(String why) implements StaticChoice {}

    /**
     * For each family the address that is named, else the lowest that is kept for the Service, else the lowest
     * free one of a static band.
     *
     * @param tried what the API server said no to; chosen again only if it is named
     */
    static StaticChoice of(StaticRequest request, ClusterIpAllocator allocator, Collection<Ip> tried) {
        List<Ip> ips = new ArrayList<>();
        List<ClusterIp> reservations = new ArrayList<>();
        for (IpFamily family : request.families()) {
            Allocation allocation = allocation(request, family, allocator, tried);
            switch (allocation) {
                case Allocation.Allocated(Ip ip) -> ips.add(ip);
                case Allocation.AlreadyAllocated(ClusterIp by)
                when isFor(by, request.service()) -> {
                    ips.add(by.ip());
                    reservations.add(by);
                }
                case Allocation.AlreadyAllocated(ClusterIp by) -> {
                    return new None(taken(by));
                }
                case Allocation.OutOfRange(Ip ip) -> {
                    return new None(ip + " is in no ServiceCIDR that gives addresses; choose one of "
                            + allocator.ranges(family).stream()
                                    .map(ServiceRange::toString)
                                    .collect(Collectors.joining(", ")));
                }
                case Allocation.Full full -> {
                    return new None("no ServiceCIDR has a free static " + family
                            + " address; make another ServiceCIDR"
                            + (allocator.hasFreeDynamic(family) ? ", or name an address of a dynamic band" : ""));
                }
            }
        }
        return new Chosen(ips, reservations);
    }

    private static Allocation allocation(
            StaticRequest request, IpFamily family, ClusterIpAllocator allocator, Collection<Ip> tried) {
        return request.named(family)
                .or(() -> kept(request.service(), family, allocator, tried))
                .map(allocator::exact)
                .orElseGet(() -> allocator.lowestStatic(family, tried));
    }

    /** Of a range that is not ready it would be refused. */
    private static Optional<Ip> kept(
            ServiceKey service, IpFamily family, ClusterIpAllocator allocator, Collection<Ip> tried) {
        return allocator.taken().reservations().stream()
                .filter(object -> object.ip().family() == family && isFor(object, service))
                .map(ClusterIp::ip)
                .filter(ip -> !tried.contains(ip) && !(allocator.exact(ip) instanceof Allocation.OutOfRange))
                .findFirst();
    }

    private static boolean isFor(ClusterIp object, ServiceKey service) {
        return object.isReservation() && object.service().equals(Optional.of(service));
    }

    private static String taken(ClusterIp by) {
        String owner = by.service().map(key -> "Service " + key).orElseGet(by::owner);
        return by.isReservation()
                ? by.ip() + " is kept for " + owner + " by a ServiceCIDRPolicy; name another address, or none"
                : by.ip() + " is taken by " + owner + "; name another address, or none";
    }
}
