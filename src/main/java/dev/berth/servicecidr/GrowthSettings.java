package dev.berth.servicecidr;

import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How a family may grow, as the administrator wrote it.
 *
 * @param supernets the CIDRs out of which new ranges are taken, in this order
 * @param prefixLength of a new range
 * @param usedPercent percent of the family's addresses in use at which the next range is made
 * @param maxRanges how many ranges Berth makes at most; those that retire do not count
 */
public record GrowthSettings(
        IpFamily family, List<String> supernets, int prefixLength, int usedPercent, int maxRanges) {
    private static final int SHORTEST_IPV4 = 8;
    private static final int LONGEST_IPV4 = 30;
    private static final int SHORTEST_IPV6 = 64;
    private static final int LONGEST_IPV6 = 126;

    /** A supernet may be larger than they are, so no block of it may have any of them. */
    static final List<ExcludedNetwork> UNREACHABLE = List.of(
            unreachable("reserved", "0.0.0.0/8"),
            unreachable("loopback", "127.0.0.0/8"),
            unreachable("link-local", "169.254.0.0/16"),
            unreachable("multicast", "224.0.0.0/4"),
            unreachable("broadcast", "255.255.255.255"),
            unreachable("reserved", "::/8"),
            unreachable("link-local", "fe80::/10"),
            unreachable("multicast", "ff00::/8"));

    private static ExcludedNetwork unreachable(String what, String range) {
        return new ExcludedNetwork(what, IpRange.parse(range));
    }

    public GrowthSettings {
        supernets = List.copyOf(supernets);
    }

    /** What is wrong, and what to write instead; absent: nothing. */
    Optional<String> fault() {
        int shortest = family == IpFamily.IPV4 ? SHORTEST_IPV4 : SHORTEST_IPV6;
        int longest = family == IpFamily.IPV4 ? LONGEST_IPV4 : LONGEST_IPV6;
        Optional<String> other =
                supernets.stream().flatMap(text -> ofOtherFamily(text).stream()).findFirst();
        if (other.isPresent()) {
            return other;
        }
        if (prefixLength < shortest || prefixLength > longest) {
            return Optional.of("prefixLength of " + family + " is " + prefixLength + ", and must be " + shortest
                    + " to " + longest);
        }
        if (usedPercent < 1 || usedPercent > 100) {
            return Optional.of("usedPercent of " + family + " is " + usedPercent + ", and must be 1 to 100");
        }
        if (maxRanges < 0) {
            return Optional.of("maxRanges of " + family + " is " + maxRanges + ", and must not be below 0");
        }
        if (supernets.isEmpty()) {
            return Optional.of(family + " has no supernets; name a CIDR to take new ranges from");
        }
        return supernets.stream().flatMap(text -> fault(text).stream()).findFirst();
    }

    /** Said first: what else is wrong comes of it. */
    private Optional<String> ofOtherFamily(String supernet) {
        return ServiceRange.find(supernet)
                .filter(range -> range.family() != family)
                .map(range -> "supernets of " + family + ": " + supernet + " is " + range.family());
    }

    private Optional<String> fault(String supernet) {
        ServiceRange range;
        try {
            range = ServiceRange.parse(supernet);
        } catch (IllegalArgumentException noRange) {
            return Optional.of("supernets of " + family + ": " + noRange.getMessage());
        }
        if (range.prefixLength() > prefixLength) {
            return Optional.of("supernets of " + family + ": no /" + prefixLength + " fits into " + supernet
                    + "; name a larger one, or raise prefixLength");
        }
        return UNREACHABLE.stream().anyMatch(net -> contains(net.range(), range.whole()))
                ? Optional.of("supernets of " + family + ": " + supernet
                        + " is loopback, link-local, multicast or reserved; no Service can be reached there")
                : Optional.empty();
    }

    private static boolean contains(IpRange outer, IpRange inner) {
        return outer.contains(inner.lower()) && outer.contains(inner.upper());
    }

    /** The supernets, once there is no {@link #fault}. */
    List<ServiceRange> ranges() {
        List<ServiceRange> ranges = new ArrayList<>();
        supernets.forEach(text -> ranges.add(ServiceRange.parse(text)));
        return ranges;
    }
}
