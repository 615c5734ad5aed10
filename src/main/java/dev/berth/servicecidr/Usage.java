package dev.berth.servicecidr;

import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How much of the cluster's Service ranges is in use. Every IPAddress object counts, no matter who made it, for the
 * API server gives none of their addresses.
 *
 * @param ranges each range of each ServiceCIDR, by name, in the order of the object
 * @param ipv4 all ready ranges together, where an address of two of them counts once; null: none is ready
 * @param ipv6 as {@code ipv4}
 */
public record Usage(
        List<OfRange> ranges,
        @Nullable Count ipv4,
        @Nullable Count ipv6) {
    private static final BigInteger HUNDRED = BigInteger.valueOf(100);

    /** What the API server makes of a range. */
    public enum State {
        READY("Ready"),
        NOT_READY("NotReady"),
        TERMINATING("Terminating");

        private final String text;

        State(String text) {
            this.text = text;
        }

        static State of(ServiceCidr cidr) {
            if (cidr.isTerminating()) {
                return TERMINATING;
            }
            return cidr.isReady() ? READY : NOT_READY;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /**
     * Addresses, counted.
     *
     * @param size how many can be given; zero if the API server gives none of the range
     * @param allocated how many have an IPAddress object
     */
    public record Count(BigInteger size, long allocated) {
        static final Count NONE = new Count(BigInteger.ZERO, 0);

        /** How many can be given still. */
        public BigInteger free() {
            return size.subtract(BigInteger.valueOf(allocated)).max(BigInteger.ZERO);
        }

        /** Whether none is free, as of no address at all. */
        boolean isFull() {
            return free().signum() == 0;
        }

        /** 0 to 100, rounded down: it is 100 only if none is free. */
        public int usedPercent() {
            return isFull()
                    ? HUNDRED.intValue()
                    : BigInteger.valueOf(allocated)
                            .multiply(HUNDRED)
                            .divide(size)
                            .intValue();
        }

        Count plus(Count other) {
            return new Count(size.add(other.size), allocated + other.allocated);
        }
    }

    /**
     * One range of a ServiceCIDR.
     *
     * @param staticBand for addresses that are asked for
     * @param dynamicBand the API server takes from it first
     * @param largestFreeStaticBlock the longest run of free addresses in the static band, the lowest of
     *     several; null: the band is full, or there is none
     */
    public record OfRange(
            String serviceCidr,
            ServiceRange range,
            State state,
            Count staticBand,
            Count dynamicBand,
            @Nullable IpRange largestFreeStaticBlock) {

        /**
         * Whether the API server gives addresses of the static band to any Service: it asks for one in both bands of a
         * range before it turns to another range.
         */
        public boolean isStaticBandConsumed() {
            return state == State.READY
                    && dynamicBand.size().signum() > 0
                    && dynamicBand.isFull()
                    && staticBand.free().signum() > 0;
        }

        /** Both bands together. */
        Count all() {
            return staticBand.plus(dynamicBand);
        }
    }

    public Usage {
        ranges = List.copyOf(ranges);
    }

    /**
     * Counts. It takes next to nothing if {@code ips} {@link ClusterIps#track tracks} what is {@link #tracked} of
     * these ServiceCIDRs, and else a walk through their addresses.
     */
    public static Usage of(Collection<ServiceCidr> cidrs, ClusterIps ips) {
        List<OfRange> ranges = new ArrayList<>();
        for (ServiceCidr cidr : byName(cidrs)) {
            cidr.ranges().forEach(range -> ranges.add(of(cidr, range, ips)));
        }
        return new Usage(ranges, ready(IpFamily.IPV4, cidrs, ips), ready(IpFamily.IPV6, cidrs, ips));
    }

    /** What to {@link ClusterIps#track} so that nothing is counted again: each range, and each of its bands. */
    public static List<IpRange> tracked(Collection<ServiceCidr> cidrs) {
        return cidrs.stream()
                .flatMap(cidr -> cidr.ranges().stream())
                .flatMap(range -> Stream.of(range.addresses(), range.staticBand(), range.dynamicBand()))
                .flatMap(Optional::stream)
                .distinct()
                .toList();
    }

    /** All ready ranges of {@code family} together; absent: none is ready. */
    public Optional<Count> family(IpFamily family) {
        return Optional.ofNullable(
                switch (family) {
                    case IPV4 -> ipv4;
                    case IPV6 -> ipv6;
                });
    }

    /**
     * Whether no address of {@code family} can be given: all are taken, or none of the ranges that would give them is
     * ready. Never of a family that has no such range.
     */
    public boolean isFull(IpFamily family) {
        return ranges.stream().map(OfRange::range).anyMatch(range -> range.family() == family && range.gives())
                && family(family).map(Count::isFull).orElse(true);
    }

    static List<ServiceCidr> byName(Collection<ServiceCidr> cidrs) {
        return cidrs.stream().sorted(Comparator.comparing(ServiceCidr::name)).toList();
    }

    /** All of {@code ranges} together, where an address of two of them counts once. */
    static Count together(Collection<ServiceRange> ranges, ClusterIps ips) {
        return new RangeUnion(ranges.stream().filter(ServiceRange::gives).toList())
                .ranges().stream()
                        .map(range ->
                                count(range, range.staticBand(), ips).plus(count(range, range.dynamicBand(), ips)))
                        .reduce(Count.NONE, Count::plus);
    }

    private static @Nullable Count ready(IpFamily family, Collection<ServiceCidr> cidrs, ClusterIps ips) {
        List<ServiceRange> ready = cidrs.stream()
                .filter(ServiceCidr::isReady)
                .flatMap(cidr -> cidr.range(family).stream())
                .toList();
        return ready.isEmpty() ? null : together(ready, ips);
    }

    private static OfRange of(ServiceCidr cidr, ServiceRange range, ClusterIps ips) {
        return new OfRange(
                cidr.name(),
                range,
                State.of(cidr),
                count(range, range.staticBand(), ips),
                count(range, range.dynamicBand(), ips),
                range.staticBand()
                        .filter(band -> range.gives())
                        .flatMap(ips::largestFree)
                        .orElse(null));
    }

    private static Count count(ServiceRange range, Optional<IpRange> band, ClusterIps ips) {
        return band.map(counted -> new Count(range.gives() ? counted.size() : BigInteger.ZERO, ips.count(counted)))
                .orElse(Count.NONE);
    }
}
