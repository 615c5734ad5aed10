package dev.berth.ip;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A set of addresses kept as runs that neither touch nor overlap, so that its size is that of its
 * gaps: a /64 costs one entry. Every operation on one address is logarithmic in the number of runs.
 * Not safe for use by several threads.
 */
public final class IpSet {
    private final NavigableMap<Ip, Ip> upperByLower = new TreeMap<>();

    public static IpSet of(List<IpRange> ranges) {
        IpSet set = new IpSet();
        ranges.forEach(set::addAll);
        return set;
    }

    public boolean contains(Ip ip) {
        return runAt(ip).isPresent();
    }

    /** The run that {@code ip} is in; absent if it is in none. */
    Optional<IpRange> runAt(Ip ip) {
        Map.Entry<Ip, Ip> below = upperByLower.floorEntry(ip);
        return below != null
                        && ip.compareTo(below.getValue()) <= 0
                        && below.getKey().family() == ip.family()
                ? Optional.of(new IpRange(below.getKey(), below.getValue()))
                : Optional.empty();
    }

    /** Adds one address; adding it again changes nothing. */
    public void add(Ip ip) {
        addAll(new IpRange(ip, ip));
    }

    public void addAll(IpRange range) {
        Ip lower = range.lower();
        Ip upper = range.upper();
        Map.Entry<Ip, Ip> before = upperByLower.floorEntry(lower);
        if (before != null && touches(before.getValue(), lower)) {
            lower = before.getKey();
            upper = max(upper, before.getValue());
        }
        for (Map.Entry<Ip, Ip> next = upperByLower.ceilingEntry(lower);
                next != null && touches(upper, next.getKey());
                next = upperByLower.ceilingEntry(lower)) {
            upper = max(upper, next.getValue());
            upperByLower.remove(next.getKey());
        }
        upperByLower.put(lower, upper);
    }

    /** Takes one address out; one that is not there changes nothing. */
    public void remove(Ip ip) {
        removeAll(new IpRange(ip, ip));
    }

    public void removeAll(IpRange range) {
        for (IpRange run : overlapping(range)) {
            upperByLower.remove(run.lower());
            if (run.lower().compareTo(range.lower()) < 0) {
                upperByLower.put(run.lower(), range.lower().previous());
            }
            if (run.upper().compareTo(range.upper()) > 0) {
                upperByLower.put(range.upper().next(), run.upper());
            }
        }
    }

    /** The runs that share an address with {@code range}, ascending and uncut. */
    public List<IpRange> overlapping(IpRange range) {
        List<IpRange> found = new ArrayList<>();
        runAt(range.lower()).ifPresent(found::add);
        upperByLower
                .subMap(range.lower(), false, range.upper(), true)
                .forEach((lower, upper) -> found.add(new IpRange(lower, upper)));
        return found;
    }

    /** The lowest address of {@code range} that is not in the set; absent if all are. */
    public Optional<Ip> lowestMissing(IpRange range) {
        Optional<IpRange> taken = runAt(range.lower());
        if (taken.isEmpty()) {
            return Optional.of(range.lower());
        }
        Ip end = taken.get().upper();
        // Runs never touch, so what follows a run is not in the set.
        return end.compareTo(range.upper()) < 0 ? Optional.of(end.next()) : Optional.empty();
    }

    /** The addresses of {@code ranges} that are not in the set, ascending; found as they are asked for. */
    public Stream<Ip> missing(List<IpRange> ranges) {
        return ranges.stream()
                .flatMap(range -> Stream.iterate(
                                lowestMissing(range), Optional::isPresent, last -> missingAfter(last.get(), range))
                        .map(Optional::get));
    }

    private Optional<Ip> missingAfter(Ip last, IpRange range) {
        return last.equals(range.upper()) ? Optional.empty() : lowestMissing(new IpRange(last.next(), range.upper()));
    }

    public void clear() {
        upperByLower.clear();
    }

    /** All runs, ascending. */
    public List<IpRange> runs() {
        List<IpRange> runs = new ArrayList<>(upperByLower.size());
        upperByLower.forEach((lower, upper) -> runs.add(new IpRange(lower, upper)));
        return runs;
    }

    BigInteger size() {
        return runs().stream().map(IpRange::size).reduce(BigInteger.ZERO, BigInteger::add);
    }

    /** Whether an address that starts at {@code next} continues, or overlaps, a run that ends at {@code end}. */
    private static boolean touches(Ip end, Ip next) {
        return end.family() == next.family() && (next.compareTo(end) <= 0 || end.isJustBefore(next));
    }

    private static Ip max(Ip a, Ip b) {
        return a.compareTo(b) >= 0 ? a : b;
    }
}
