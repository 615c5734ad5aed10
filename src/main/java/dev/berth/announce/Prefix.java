package dev.berth.announce;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import java.util.Comparator;

/**
 * A network, as a route names it.
 *
 * @param network its first address
 */
public record Prefix(Ip network, int length) implements Comparable<Prefix> {
    private static final Comparator<Prefix> ORDER =
            Comparator.comparing(Prefix::network).thenComparingInt(Prefix::length);

    /** One address alone. */
    public static Prefix of(Ip address) {
        return new Prefix(address, longest(address.family()));
    }

    /** The network of this length that an address is in. */
    public static Prefix of(Ip address, int length) {
        return new Prefix(IpRange.parse(address.network(length)).lower(), length);
    }

    /**
     * Reads one, such as {@code 203.0.113.0/28}.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static Prefix parse(String text) {
        int slash = text.indexOf('/');
        return new Prefix(Ip.parse(text.substring(0, slash)), Integer.parseInt(text.substring(slash + 1)));
    }

    /** How many bits an address of a family has. */
    static int longest(IpFamily family) {
        return family == IpFamily.IPV4 ? 32 : 128;
    }

    /** Whether it is more than one address. */
    boolean isAggregate() {
        return length < longest(network.family());
    }

    @Override
    public int compareTo(Prefix other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return network + "/" + length;
    }
}
