package dev.berth.servicecidr;

import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import dev.berth.ip.IpSet;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/** Whether a ServiceCIDR that is being deleted may go. */
public sealed interface ServiceCidrDeletion {
    /** How long after the deletion the API servers' allocators may not have seen it. */
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

    /** Nothing needs it, but an allocator that has not seen its deletion may still give an address of it. */
    record WaitUntil(Instant until) implements ServiceCidrDeletion {}

    /**
     * Not before this one of the same CIDR, which was deleted before it. It has to say so: what it says outlives a
     * restart.
     */
    record AfterAnother(String name) implements ServiceCidrDeletion {}

    /** Not before this one of the same CIDR says that it goes later. */
    record BeforeAnother(String name) implements ServiceCidrDeletion {}

    /** Not before it says that it is the last one of its CIDR, as the others are gone. */
    record LastOfItsCidr() implements ServiceCidrDeletion {}

    /** Never: nobody knows which addresses these CIDRs of it contain. */
    record Unreadable(List<String> cidrs) implements ServiceCidrDeletion {
        public Unreadable {
            cidrs = List.copyOf(cidrs);
        }
    }

    /** It may go now. */
    record Free() implements ServiceCidrDeletion {}

    /**
     * Decides as kube-controller-manager does: an IPAddress of the API server's allocator keeps the only
     * ServiceCIDR that contains it. (That one lies wholly within others needs no separate rule: these
     * contain all its addresses.)
     *
     * <p>Unlike there, one that is being deleted itself does not stand in for another, unless it was deleted
     * later: of several that share an address and are deleted together, the one deleted last stays, and of
     * one second the one whose name comes last; one without the finalizer, which nobody holds, never does. One that may
     * go relies only on what outlives it, so no address
     * is left without a range.
     *
     * <p>Nor do several of the same CIDR go together, even if no address is taken. An API server has one allocator
     * for them, and takes it out of use only when it sees a change of a ServiceCIDR while just one is left: until
     * then it goes on giving addresses although all of them are being deleted. So they go one after another. The
     * last one is written once more when it is alone, and goes {@link #GRACE} after that.
     *
     * <p>It costs little while nothing overlaps {@code cidr} and its addresses are tracked by {@code ips}; else
     * it goes through those that keep it, to count them.
     *
     * @param cidr one that is being deleted
     * @param all all ServiceCIDRs, {@code cidr} among them or not
     */
    static ServiceCidrDeletion of(ServiceCidr cidr, Collection<ServiceCidr> all, ClusterIps ips, Instant now) {
        List<ServiceCidr> twins = twins(cidr, all);
        return twins.stream()
                .filter(twin -> !outlives(twin, cidr))
                .findFirst()
                .<ServiceCidrDeletion>map(first -> new AfterAnother(first.name()))
                .or(() -> last(cidr, now))
                .or(() -> blocked(onlyIn(cidr, all), ips))
                .or(() -> twins.stream()
                        .filter(twin -> !ReadyCondition.AFTER_ANOTHER.isSaidBy(twin.ready()))
                        .findFirst()
                        .map(later -> new BeforeAnother(later.name())))
                .or(() ->
                        cidr.unreadable().isEmpty() ? Optional.empty() : Optional.of(new Unreadable(cidr.unreadable())))
                .or(() -> waitUntil(deletedAt(cidr).plus(GRACE), now))
                .orElseGet(Free::new);
    }

    /** Those that are being deleted, too, and have a CIDR of it that nothing covers that stays. */
    private static List<ServiceCidr> twins(ServiceCidr cidr, Collection<ServiceCidr> all) {
        List<ServiceRange> exposed = cidr.ranges().stream()
                .filter(range -> !without(List.of(range), all, other -> !other.isTerminating())
                        .isEmpty())
                .toList();
        return all.stream()
                .filter(other -> other.isTerminating() && !other.name().equals(cidr.name()))
                .filter(other -> exposed.stream().anyMatch(other.ranges()::contains))
                .toList();
    }

    /** What is left to do for one that others of its CIDR went before. */
    private static Optional<ServiceCidrDeletion> last(ServiceCidr cidr, Instant now) {
        if (ReadyCondition.AFTER_ANOTHER.isSaidBy(cidr.ready())) {
            return Optional.of(new LastOfItsCidr());
        }
        return ReadyCondition.LAST_OF_ITS_CIDR.isSaidBy(cidr.ready())
                ? waitUntil(
                        Objects.requireNonNullElseGet(cidr.readySince(), () -> deletedAt(cidr))
                                .plus(GRACE),
                        now)
                : Optional.empty();
    }

    private static Optional<ServiceCidrDeletion> waitUntil(Instant until, Instant now) {
        return now.isBefore(until) ? Optional.of(new WaitUntil(until)) : Optional.empty();
    }

    private static Optional<ServiceCidrDeletion> blocked(List<IpRange> alone, ClusterIps ips) {
        List<Ip> first = alone.stream()
                .flatMap(ips::stream)
                .filter(ClusterIp::ofAllocator)
                .limit(Blocked.SHOWN)
                .map(ClusterIp::ip)
                .toList();
        return first.isEmpty()
                ? Optional.empty()
                : Optional.of(new Blocked(
                        alone.stream().mapToLong(ips::countOfAllocator).sum(), first));
    }

    /** The addresses of {@code cidr} that nothing contains that outlives it. */
    private static List<IpRange> onlyIn(ServiceCidr cidr, Collection<ServiceCidr> all) {
        return without(cidr.ranges(), all, other -> outlives(other, cidr));
    }

    private static List<IpRange> without(
            List<ServiceRange> ranges, Collection<ServiceCidr> all, Predicate<ServiceCidr> these) {
        IpSet only = new IpSet();
        ranges.forEach(range -> range.addresses().ifPresent(only::addAll));
        all.stream()
                .filter(these)
                .flatMap(other -> other.ranges().stream())
                .forEach(range -> range.addresses().ifPresent(only::removeAll));
        return only.runs();
    }

    private static boolean outlives(ServiceCidr other, ServiceCidr cidr) {
        if (other.name().equals(cidr.name())) {
            return false;
        }
        if (!other.isTerminating()) {
            return true;
        }
        boolean later = Comparator.comparing(ServiceCidrDeletion::deletedAt)
                        .thenComparing(ServiceCidr::name)
                        .compare(other, cidr)
                > 0;
        return later && other.finalizer();
    }

    private static Instant deletedAt(ServiceCidr cidr) {
        return Objects.requireNonNull(cidr.deletedAt(), cidr.name() + " is not being deleted");
    }
}
