package dev.berth.clusterip;

import dev.berth.address.Ip;
import dev.berth.address.IpRange;
import dev.berth.address.IpSet;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The IPAddress objects of a cluster, by address. The runs of taken addresses are kept, too, so that the
 * next free one is found in logarithmic time however many are taken. Not safe for use by several threads.
 */
public final class ClusterIps {
    private final NavigableMap<Ip, ClusterIp> objects = new TreeMap<>();
    private final IpSet taken = new IpSet();
    private final Map<IpRange, Counter> tracked = new LinkedHashMap<>();

    private static final class Counter {
        long count;
    }

    /** Adds an object, or takes the place of the one of this address. */
    public void put(ClusterIp object) {
        if (objects.put(object.ip(), object) == null) {
            taken.add(object.ip());
            count(object.ip(), 1);
        }
    }

    /** Forgets the object of this address; without one, nothing changes. */
    public void remove(Ip ip) {
        if (objects.remove(ip) != null) {
            taken.remove(ip);
            count(ip, -1);
        }
    }

    private void count(Ip ip, int change) {
        tracked.forEach((range, counter) -> {
            if (range.contains(ip)) {
                counter.count += change;
            }
        });
    }

    /** The object of this address; absent: it is free. */
    public Optional<ClusterIp> get(Ip ip) {
        return Optional.ofNullable(objects.get(ip));
    }

    /** Whether there is an object of this address. */
    public boolean isTaken(Ip ip) {
        return objects.containsKey(ip);
    }

    public int size() {
        return objects.size();
    }

    /** All objects, by address, IPv4 first. Do not change the index meanwhile. */
    public Stream<ClusterIp> stream() {
        return objects.values().stream();
    }

    /** The objects of the addresses in {@code range}, ascending. Do not change the index meanwhile. */
    public Stream<ClusterIp> stream(IpRange range) {
        return objects.subMap(range.lower(), true, range.upper(), true).values().stream();
    }

    /**
     * The lowest free address of {@code range} that is not below {@code from}; absent: there is none.
     *
     * @param from of the same family; one below the range counts as its start
     */
    public Optional<Ip> nextFree(Ip from, IpRange range) {
        Ip start = from.compareTo(range.lower()) < 0 ? range.lower() : from;
        return start.compareTo(range.upper()) > 0
                ? Optional.empty()
                : taken.lowestMissing(new IpRange(start, range.upper()));
    }

    /** The longest run of free addresses in {@code range}, the lowest of several; absent: all are taken. */
    public Optional<IpRange> largestFree(IpRange range) {
        @Nullable IpRange largest = null;
        @Nullable Ip start = range.lower();
        for (IpRange run : taken.overlapping(range)) {
            if (start != null && start.compareTo(run.lower()) < 0) {
                largest = larger(largest, new IpRange(start, run.lower().previous()));
            }
            start = run.upper().compareTo(range.upper()) < 0 ? run.upper().next() : null;
        }
        if (start != null) {
            largest = larger(largest, new IpRange(start, range.upper()));
        }
        return Optional.ofNullable(largest);
    }

    private static IpRange larger(@Nullable IpRange known, IpRange other) {
        return known == null || other.size().compareTo(known.size()) > 0 ? other : known;
    }

    /**
     * Counts these ranges from now on by each change, so that {@link #count} of one of them costs nothing.
     * They take the place of those before; the ones that stay are not counted anew.
     */
    public void track(Collection<IpRange> ranges) {
        Map<IpRange, Counter> before = new LinkedHashMap<>(tracked);
        tracked.clear();
        for (IpRange range : ranges) {
            tracked.computeIfAbsent(range, added -> {
                Counter known = before.get(added);
                return known == null ? counted(added) : known;
            });
        }
    }

    private Counter counted(IpRange range) {
        Counter counter = new Counter();
        counter.count = stream(range).count();
        return counter;
    }

    /** How many addresses of {@code range} are taken: at once if it is tracked, else by going through them. */
    public long count(IpRange range) {
        Counter counter = tracked.get(range);
        return counter == null ? counted(range).count : counter.count;
    }

    /** How many addresses of {@code range} are free. */
    public BigInteger free(IpRange range) {
        return range.size().subtract(BigInteger.valueOf(count(range)));
    }

    /** Forgets all objects and knows these instead. What is tracked stays tracked. */
    public void replaceAll(Collection<ClusterIp> all) {
        List<IpRange> ranges = new ArrayList<>(tracked.keySet());
        objects.clear();
        taken.clear();
        tracked.clear();
        all.forEach(this::put);
        track(ranges);
    }
}
