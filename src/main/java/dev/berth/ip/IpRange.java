package dev.berth.ip;

import inet.ipaddr.IPAddress;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A run of addresses of one family, both ends included. Its constructor throws IllegalArgumentException
 * if the ends are of two families, or {@code upper} is below {@code lower}.
 */
public record IpRange(Ip lower, Ip upper) {
    public IpRange {
        if (lower.family() != upper.family()) {
            throw new IllegalArgumentException(lower + "-" + upper + " mixes IPv4 and IPv6; split it into two ranges");
        }
        if (lower.compareTo(upper) > 0) {
            throw new IllegalArgumentException(
                    lower + "-" + upper + " ends before it starts; swap the bounds or write it as a CIDR");
        }
    }

    /**
     * Reads {@code 192.0.2.0/28}, {@code 192.0.2.10-192.0.2.20} or a single address.
     *
     * @throws IllegalArgumentException saying what is wrong and what to write instead
     */
    public static IpRange parse(String text) {
        int dash = text.indexOf('-');
        if (dash >= 0) {
            return new IpRange(Ip.parse(text.substring(0, dash)), Ip.parse(text.substring(dash + 1)));
        }
        if (text.indexOf('/') < 0) {
            Ip one = Ip.parse(text);
            return new IpRange(one, one);
        }
        IPAddress block = Ip.read(text);
        if (!block.isPrefixBlock()) {
            throw new IllegalArgumentException(text + " has host bits set; write "
                    + block.toPrefixBlock().toCanonicalString() + " for the network, or "
                    + block.withoutPrefixLength().toCanonicalString() + " for the one address");
        }
        IPAddress lower = block.getLower().withoutPrefixLength();
        IPAddress upper = block.getUpper().withoutPrefixLength();
        return new IpRange(new Ip(lower), new Ip(upper));
    }

    /** Reads one that others wrote; absent: it is none that Berth could ever have given of. */
    public static Optional<IpRange> find(String text) {
        try {
            return Optional.of(parse(text));
        } catch (IllegalArgumentException noRange) {
            return Optional.empty();
        }
    }

    /**
     * The addresses of a CIDR that stand for the network itself, see {@link #isEndOfNetwork}. Empty for what is no CIDR.
     *
     * @throws IllegalArgumentException as {@link #parse}
     */
    public static List<Ip> endsOfNetwork(String text) {
        IpRange range = parse(text);
        return text.indexOf('/') < 0
                ? List.of()
                : Stream.of(range.lower(), range.upper())
                        .filter(range::isEndOfNetwork)
                        .toList();
    }

    /**
     * Whether an address stands for this network itself: of IPv4 the first and the last (broadcast), of IPv6 the first (any of
     * its routers, RFC 4291). None does if there are too few addresses to set some apart (RFC 3021, RFC 6164).
     */
    public boolean isEndOfNetwork(Ip ip) {
        return (ip.equals(lower) || (ip.equals(upper) && family() == IpFamily.IPV4))
                && size().compareTo(BigInteger.TWO) > 0;
    }

    public IpFamily family() {
        return lower.family();
    }

    public boolean contains(Ip ip) {
        return lower.compareTo(ip) <= 0 && ip.compareTo(upper) <= 0;
    }

    /** Whether they have an address in common. */
    public boolean overlaps(IpRange other) {
        return contains(other.lower) || other.contains(lower);
    }

    /** How many addresses: as large as 2^128. */
    public BigInteger size() {
        return lower.value().spanWithRange(upper.value()).getCount();
    }

    @Override
    public String toString() {
        return lower.equals(upper) ? lower.toString() : lower + "-" + upper;
    }
}
