package dev.berth.clusterip;

import dev.berth.address.Ip;
import dev.berth.address.IpRange;
import dev.berth.address.IpSet;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** Whether a ServiceCIDR that is being deleted may go. */
public sealed interface ServiceCidrDeletion {
    /** How long after the deletion the API servers' allocators may not have heard of it. */
    Duration GRACE = Duration.ofSeconds(10);

    /**
     * Not while there are these IPAddresses: no ServiceCIDR that stays contains them.
     *
     * @param count how many there are
     * @param first a few of them, the lowest ones
     */
    record Blocked(long count, List<Ip> first) implements ServiceCidrDeletion {
        private static final int SHOWN = 5;

        public Blocked {
            first = List.copyOf(first);
        }
    }

    /** Nothing needs it, but an allocator that has not heard of its deletion may still give an address of it. */
    record WaitUntil(Instant until) implements ServiceCidrDeletion {}

    /** It may go now. */
    record Free() implements ServiceCidrDeletion {}

    /**
     * Decides as kube-controller-manager does: an IPAddress of the API server's allocator keeps the only
     * ServiceCIDR that contains it. (That one lies wholly within others needs no rule of its own: these
     * contain all its addresses.)
     *
     * <p>Unlike there, one that is being deleted itself does not stand in for another, unless it was deleted
     * later: of several that share an address and are deleted together, the one deleted last stays, and of
     * one second the one whose name comes last. Whoever may go relies only on what outlives it, so no address
     * is left without a range. And one does go: while several ServiceCIDRs name the same CIDR, the API server
     * goes on giving addresses of it although all of them are being deleted.
     *
     * <p>It costs little while nothing overlaps {@code cidr} and its addresses are tracked by {@code ips}; else
     * it goes through those that keep it, to count them.
     *
     * @param cidr one that is being deleted
     * @param all all ServiceCIDRs, {@code cidr} among them or not
     */
    static ServiceCidrDeletion of(ServiceCidr cidr, Collection<ServiceCidr> all, ClusterIps ips, Instant now) {
        List<IpRange> alone = onlyIn(cidr, all);
        List<Ip> first = alone.stream()
                .flatMap(ips::stream)
                .filter(ClusterIp::ofAllocator)
                .limit(Blocked.SHOWN)
                .map(ClusterIp::ip)
                .toList();
        if (!first.isEmpty()) {
            return new Blocked(alone.stream().mapToLong(ips::countOfAllocator).sum(), first);
        }
        Instant until = deletedAt(cidr).plus(GRACE);
        return now.isBefore(until) ? new WaitUntil(until) : new Free();
    }

    /** The addresses of {@code cidr} that nothing contains that outlives it. */
    private static List<IpRange> onlyIn(ServiceCidr cidr, Collection<ServiceCidr> all) {
        IpSet only = new IpSet();
        cidr.ranges().forEach(range -> range.addresses().ifPresent(only::addAll));
        all.stream()
                .filter(other -> outlives(other, cidr))
                .flatMap(other -> other.ranges().stream())
                .forEach(range -> range.addresses().ifPresent(only::removeAll));
        return only.runs();
    }

    private static boolean outlives(ServiceCidr other, ServiceCidr cidr) {
        if (other.name().equals(cidr.name())) {
            return false;
        }
        return !other.isTerminating()
                || Comparator.comparing(ServiceCidrDeletion::deletedAt)
                                .thenComparing(ServiceCidr::name)
                                .compare(other, cidr)
                        > 0;
    }

    private static Instant deletedAt(ServiceCidr cidr) {
        return Objects.requireNonNull(cidr.deletedAt(), cidr.name() + " is not being deleted");
    }
}
