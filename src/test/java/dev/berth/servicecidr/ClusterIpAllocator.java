package dev.berth.servicecidr;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Chooses cluster IPs as the API server's allocator does. Nothing is changed: the caller adds the IPAddress
 * of what was chosen.
 *
 * @param cidrs all ServiceCIDRs; addresses come from those that are ready
 * @param taken every IPAddress there is; each takes its address, no matter who made it
 */
public record ClusterIpAllocator(Collection<ServiceCidr> cidrs, ClusterIps taken) {
    private static final int LARGEST_DRAW = 63;

    public ClusterIpAllocator {
        cidrs = List.copyOf(cidrs);
    }

    /**
     * Any address of {@code family}: out of any ready range, as none comes before another. Of one range the
     * dynamic band is searched first, then the static one, each from a random place on and around.
     */
    public Allocation next(IpFamily family, RandomGenerator random) {
        List<ServiceRange> ranges = new ArrayList<>(ranges(family));
        Collections.shuffle(ranges, random);
        for (ServiceRange range : ranges) {
            Optional<Ip> free = next(range.dynamicBand(), random).or(() -> next(range.staticBand(), random));
            if (free.isPresent()) {
                return new Allocation.Allocated(free.get());
            }
        }
        return new Allocation.Full();
    }

    private Optional<Ip> next(Optional<IpRange> band, RandomGenerator random) {
        return band.flatMap(within -> firstFree(taken, within, offset(within.size(), random)));
    }

    /** What is drawn past the end of the largest band, a /64's, counts as its start, as with the API server. */
    private static BigInteger offset(BigInteger size, RandomGenerator random) {
        return size.bitLength() <= LARGEST_DRAW
                ? BigInteger.valueOf(random.nextLong(size.longValueExact()))
                : new BigInteger(Long.toUnsignedString(random.nextLong()));
    }

    /**
     * The first free address of {@code band} from the one at {@code offset} on, and on from its start.
     *
     * @param offset at or past the size of the band: from its start
     */
    static Optional<Ip> firstFree(ClusterIps taken, IpRange band, BigInteger offset) {
        if (offset.compareTo(band.size()) >= 0) {
            return taken.nextFree(band.lower(), band);
        }
        Ip start = new Ip(band.lower().value().increment(offset));
        return taken.nextFree(start, band).or(() -> taken.nextFree(band.lower(), band));
    }

    /** This very address, which any ready range that contains it can give. */
    public Allocation exact(Ip ip) {
        if (ranges(ip.family()).stream().noneMatch(range -> range.contains(ip))) {
            return new Allocation.OutOfRange(ip);
        }
        Optional<ClusterIp> by = taken.get(ip);
        return by.isPresent() ? new Allocation.AlreadyAllocated(by.get()) : new Allocation.Allocated(ip);
    }

    /**
     * The lowest free address of a static band, the lowest range first: what to ask for by {@link #exact} if
     * any static address will do. A choice of Berth's, the API server has none such.
     *
     * @return {@link Allocation.Full} also if no ready range has a static band
     */
    public Allocation lowestStatic(IpFamily family) {
        return lowestStatic(family, List.of());
    }

    /** The same, of others than {@code except}. */
    public Allocation lowestStatic(IpFamily family, Collection<Ip> except) {
        return ranges(family).stream()
                .flatMap(range -> range.staticBand().stream())
                .flatMap(band -> free(band).filter(ip -> !except.contains(ip)).limit(1))
                .findFirst()
                .<Allocation>map(Allocation.Allocated::new)
                .orElseGet(Allocation.Full::new);
    }

    /** Whether a dynamic band has a free address. */
    boolean hasFreeDynamic(IpFamily family) {
        return ranges(family).stream()
                .flatMap(range -> range.dynamicBand().stream())
                .anyMatch(band -> taken.nextFree(band.lower(), band).isPresent());
    }

    /** The free addresses of {@code band}, ascending. */
    private Stream<Ip> free(IpRange band) {
        return Stream.iterate(
                        taken.nextFree(band.lower(), band),
                        Optional::isPresent,
                        found -> found.filter(ip -> !ip.equals(band.upper()))
                                .flatMap(ip -> taken.nextFree(ip.next(), band)))
                .flatMap(Optional::stream);
    }

    /** The ranges that addresses come from, ascending. One that two ServiceCIDRs name counts once. */
    List<ServiceRange> ranges(IpFamily family) {
        return cidrs.stream()
                .filter(ServiceCidr::isReady)
                .flatMap(cidr -> cidr.range(family).stream())
                .filter(ServiceRange::gives)
                .distinct()
                .sorted()
                .toList();
    }
}
