package dev.berth.ip;

import inet.ipaddr.AddressStringException;
import inet.ipaddr.AddressStringParameters.RangeParameters;
import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import inet.ipaddr.IPAddressStringParameters;
import inet.ipaddr.IncompatibleAddressException;
import inet.ipaddr.ipv4.IPv4Address;
import inet.ipaddr.ipv6.IPv6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One address of either family. IPv4 sorts before IPv6, then by number. */
public final class Ip implements Comparable<Ip> {
    private static final int IPV6_NAME_LENGTH = 39;

    /** Of a prefix length. Told to refuse it, the library would take /0 for one as well. */
    private static final Pattern LEADING_ZERO = Pattern.compile("/0\\d");

    /** Plain addresses and CIDRs only: no wildcards, masks, zones, leading zeros or shortened IPv4. */
    static final IPAddressStringParameters STRICT = strict();

    // Its number and no object of the library's: that takes six times the memory, and many addresses are kept.
    private final IpFamily family;
    private final long high;
    private final long low;

    private Ip(IpFamily family, long high, long low) {
        this.family = family;
        this.high = high;
        this.low = low;
    }

    /**
     * Makes one.
     *
     * @param value the address; never a subnet, never IPv4-mapped IPv6
     */
    public Ip(IPAddress value) {
        if (value.isMultiple() || value.isPrefixed()) {
            throw new IllegalArgumentException(value + " is more than one address");
        }
        if (value.isIPv4()) {
            family = IpFamily.IPV4;
            high = 0;
            low = value.toIPv4().longValue();
        } else {
            family = IpFamily.IPV6;
            ByteBuffer bytes = ByteBuffer.wrap(value.getBytes());
            high = bytes.getLong();
            low = bytes.getLong();
        }
    }

    /** The same address as the JDK has it, without its zone. */
    public static Ip of(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return bytes.remaining() == Integer.BYTES
                ? new Ip(IpFamily.IPV4, 0, Integer.toUnsignedLong(bytes.getInt()))
                : new Ip(IpFamily.IPV6, bytes.getLong(), bytes.getLong());
    }

    /** It as the library's own, to calculate with: made each time. */
    public IPAddress value() {
        return family == IpFamily.IPV4 ? new IPv4Address((int) low) : new IPv6Address(high, low);
    }

    /**
     * Reads an address in any usual notation.
     *
     * @throws IllegalArgumentException if {@code text} is no address, or is IPv4-mapped IPv6
     */
    public static Ip parse(String text) {
        if (text.indexOf('/') >= 0) {
            throw new IllegalArgumentException(text + " is not an address");
        }
        return new Ip(read(text));
    }

    /** Reads an address that others wrote; absent: it is none that Berth could ever have given. */
    public static Optional<Ip> find(String text) {
        try {
            return Optional.of(parse(text));
        } catch (IllegalArgumentException notAnAddress) {
            return Optional.empty();
        }
    }

    static IPAddress read(String text) {
        IPAddress address;
        if (text.indexOf('/') >= 0 && LEADING_ZERO.matcher(text).find()) {
            throw new IllegalArgumentException("\"" + text + "\" is not an IP address");
        }
        try {
            address = new IPAddressString(text, STRICT).toAddress();
        } catch (AddressStringException | IncompatibleAddressException notAnAddress) {
            throw new IllegalArgumentException("\"" + text + "\" is not an IP address", notAnAddress);
        }
        if (address == null) {
            throw new IllegalArgumentException("\"" + text + "\" is not an IP address");
        }
        if (address.isIPv6() && address.toIPv6().isIPv4Mapped()) {
            throw new IllegalArgumentException(text + " is an IPv4-mapped IPv6 address; write it as IPv4");
        }
        return address;
    }

    /**
     * Reads the name of an {@code Address} object.
     *
     * @throws IllegalArgumentException if it names no address
     */
    public static Ip ofObjectName(String name) {
        return parse(name.length() == IPV6_NAME_LENGTH ? name.replace('-', ':') : name);
    }

    /** The name of its {@code Address} object: IPv4 dotted, IPv6 in full with {@code -} for {@code :}. */
    public String objectName() {
        return family == IpFamily.IPV4 ? toString() : value().toFullString().replace(':', '-');
    }

    /** The network of this length that it is in, as a canonical CIDR. */
    public String network(int prefixLength) {
        return value().toPrefixBlock(prefixLength).toCanonicalString();
    }

    public IpFamily family() {
        return family;
    }

    /** Whether it means no host that others could reach: loopback, unspecified, link-local, multicast or broadcast. */
    public boolean isSpecial() {
        IPAddress value = value();
        return value.isLoopback() || value.isZero() || value.isLinkLocal() || value.isMulticast() || value.isMax();
    }

    /** The next address up. Ask only below the end of a range: the last one of a family has none. */
    public Ip next() {
        return new Ip(family, low == -1 ? high + 1 : high, low + 1);
    }

    /** Whether {@code other}, of the same family, is the next address up. */
    boolean isJustBefore(Ip other) {
        return low + 1 == other.low && (low == -1 ? high + 1 : high) == other.high && compareTo(other) < 0;
    }

    /** The next address down. Ask only above the start of a range. */
    public Ip previous() {
        return new Ip(family, low == 0 ? high - 1 : high, low - 1);
    }

    @Override
    public int compareTo(Ip other) {
        if (family != other.family) {
            return family.compareTo(other.family);
        }
        int byHigh = Long.compareUnsigned(high, other.high);
        return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Ip ip && compareTo(ip) == 0;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(31 * high + low);
    }

    /** The canonical text (RFC 5952 for IPv6). */
    @Override
    public String toString() {
        return value().toCanonicalString();
    }

    private static IPAddressStringParameters strict() {
        IPAddressStringParameters.Builder builder = new IPAddressStringParameters.Builder()
                .allowAll(false)
                .allowEmpty(false)
                .allowSingleSegment(false)
                .allowMask(false)
                .allowPrefix(true)
                .allowPrefixOnly(false)
                .allowWildcardedSeparator(false)
                .allow_inet_aton(false)
                .setRangeOptions(RangeParameters.NO_RANGE);
        builder.getIPv4AddressParametersBuilder().allowLeadingZeros(false);
        builder.getIPv6AddressParametersBuilder().allowZone(false).allowBase85(false);
        return builder.toParams();
    }
}
