package dev.berth.servicecidr;

import dev.berth.ip.Ip;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Several ranges as one, in which every address counts once. Two CIDRs are apart or one lies in the other,
 * so that the outermost ones have all addresses of all of them.
 */
final class RangeUnion {
    private final NavigableMap<Ip, ServiceRange> byNetwork = new TreeMap<>();

    /** All of {@code ranges}, of both families. */
    RangeUnion(Collection<ServiceRange> ranges) {
        // What others lie in sorts before them.
        ranges.stream()
                .sorted()
                .filter(range -> around(range.network()).isEmpty())
                .forEach(this::add);
    }

    private void add(ServiceRange range) {
        byNetwork.put(range.network(), range);
    }

    /** The outermost ones, ascending. */
    List<ServiceRange> ranges() {
        return List.copyOf(byNetwork.values());
    }

    /** Whether {@code ip} can be given by one of them. */
    boolean contains(Ip ip) {
        return around(ip).filter(range -> range.contains(ip)).isPresent();
    }

    private Optional<ServiceRange> around(Ip ip) {
        return Optional.ofNullable(byNetwork.floorEntry(ip))
                .map(Map.Entry::getValue)
                .filter(range -> range.whole().contains(ip));
    }
}
