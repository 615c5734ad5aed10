package dev.berth.servicecidr;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import inet.ipaddr.IPAddress;
import java.math.BigInteger;
import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One CIDR of a ServiceCIDR, as the API server's allocator sees it. Of {@code 10.96.0.0/24} it can give
 * 10.96.0.1 to 10.96.0.254: never the network's own address, and of IPv4 never the last one. The first 16
 * are the static band, which it gives by itself only when all others are taken.
 *
 * @see <a href="https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/">ClusterIP
 *     allocation</a>
 */
public final class ServiceRange implements Comparable<ServiceRange> {
    private static final int BAND_MIN = 16;
    private static final int BAND_MAX = 256;
    private static final int BAND_STEP = 16;
    private static final int SHORTEST_IPV6 = 64;
    private static final Comparator<ServiceRange> ORDER =
            Comparator.comparing(ServiceRange::network).thenComparingInt(ServiceRange::prefixLength);

    private final IPAddress block;
    private final IpRange whole;
    private final @Nullable IpRange addresses;
    private final int offset;

    private ServiceRange(IPAddress block) {
        this.block = block;
        whole = new IpRange(
                new Ip(block.getLower().withoutPrefixLength()),
                new Ip(block.getUpper().withoutPrefixLength()));
        BigInteger ends = block.isIPv4() ? BigInteger.TWO : BigInteger.ONE;
        boolean any = block.getCount().compareTo(ends) > 0;
        addresses = any
                ? new IpRange(
                        whole.lower().next(), block.isIPv4() ? whole.upper().previous() : whole.upper())
                : null;
        offset = offsetOf(block.getCount());
    }

    private static int offsetOf(BigInteger count) {
        if (count.compareTo(BigInteger.valueOf(BAND_MIN)) <= 0) {
            return 0;
        }
        BigInteger share = count.divide(BigInteger.valueOf(BAND_STEP));
        return share.max(BigInteger.valueOf(BAND_MIN))
                .min(BigInteger.valueOf(BAND_MAX))
                .intValueExact();
    }

    /**
     * Reads {@code 10.96.0.0/12} or {@code fd00:10:96::/112}.
     *
     * @throws IllegalArgumentException if it is no CIDR, or not in its canonical form, saying what to write
     *     instead
     */
    public static ServiceRange parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException(text + " is not a CIDR");
        }
        IpRange whole = IpRange.parse(text);
        int length = Integer.parseInt(text.substring(slash + 1));
        ServiceRange range = new ServiceRange(whole.lower().value().toPrefixBlock(length));
        if (!range.toString().equals(text)) {
            throw new IllegalArgumentException(text + " is not in its canonical form; write " + range);
        }
        return range;
    }

    /** Reads what others wrote; absent: {@link #parse} would refuse it. */
    static Optional<ServiceRange> find(String text) {
        try {
            return Optional.of(parse(text));
        } catch (IllegalArgumentException noRange) {
            return Optional.empty();
        }
    }

    /** The range of this prefix length that {@code ip} lies in. */
    public static ServiceRange around(Ip ip, int prefixLength) {
        return new ServiceRange(ip.value().toPrefixBlock(prefixLength));
    }

    public IpFamily family() {
        return whole.family();
    }

    int prefixLength() {
        return block.getNetworkPrefixLength();
    }

    /** The address that stands for the network: the lowest one, never given. */
    public Ip network() {
        return whole.lower();
    }

    /** All of it, with the addresses that are never given. */
    public IpRange whole() {
        return whole;
    }

    /** The addresses that can be given, if the API server allocates from it; absent: there is none. */
    public Optional<IpRange> addresses() {
        return Optional.ofNullable(addresses);
    }

    /**
     * How many {@link #addresses} there are: 2^n−2 of IPv4, 2^n−1 of IPv6, never below zero. Of a range that
     * is {@link UnusableRange#PREFIX_TOO_SHORT} none of them is ever given.
     */
    BigInteger size() {
        return addresses == null ? BigInteger.ZERO : addresses.size();
    }

    /** How many addresses the static band has: 16 to 256, or 0 if the range has no bands. */
    int offset() {
        return offset;
    }

    /** The addresses kept for those who ask for one by its number; absent: the range has no bands. */
    public Optional<IpRange> staticBand() {
        return offset == 0 ? Optional.empty() : addresses().map(all -> new IpRange(all.lower(), lastOfStaticBand(all)));
    }

    /** The addresses given to those who ask for any; absent: the range has no address at all. */
    public Optional<IpRange> dynamicBand() {
        return offset == 0
                ? addresses()
                : addresses().map(all -> new IpRange(lastOfStaticBand(all).next(), all.upper()));
    }

    private Ip lastOfStaticBand(IpRange all) {
        return new Ip(all.lower().value().increment(offset - 1));
    }

    /** Whether {@code ip} is one of {@link #addresses}: the network's own address and IPv4's broadcast are not. */
    public boolean contains(Ip ip) {
        return addresses != null && addresses.contains(ip);
    }

    /** Whether all of {@code other} lies in it; a range contains itself. */
    public boolean contains(ServiceRange other) {
        return block.contains(other.block);
    }

    /** Whether they have an address in common, the network's own ones included. */
    public boolean overlaps(ServiceRange other) {
        return contains(other) || other.contains(this);
    }

    /** Why it is of no use though Kubernetes accepts it; absent: it is of use. */
    Optional<UnusableRange> unusable() {
        if (family() == IpFamily.IPV6 && prefixLength() < SHORTEST_IPV6) {
            return Optional.of(UnusableRange.PREFIX_TOO_SHORT);
        }
        if (addresses == null) {
            return Optional.of(UnusableRange.NO_ADDRESS);
        }
        return addresses.lower().equals(addresses.upper()) ? Optional.of(UnusableRange.ONE_ADDRESS) : Optional.empty();
    }

    /** Whether the API server gives any address of it. */
    boolean gives() {
        return addresses != null && !unusable().equals(Optional.of(UnusableRange.PREFIX_TOO_SHORT));
    }

    @Override
    public int compareTo(ServiceRange other) {
        return ORDER.compare(this, other);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ServiceRange range && compareTo(range) == 0;
    }

    @Override
    public int hashCode() {
        return 31 * network().hashCode() + prefixLength();
    }

    /** The CIDR in its canonical form. */
    @Override
    public String toString() {
        return network() + "/" + prefixLength();
    }
}
