package dev.berth.servicecidr;

import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import dev.berth.ip.IpSet;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The IPAddress objects of a cluster, by address. The runs of taken addresses are kept, too, so that the
 * next free one is found in logarithmic time however many are taken. Not safe for use by several threads.
 */
public final class ClusterIps {
    private final NavigableMap<Ip, ClusterIp> objects = new TreeMap<>();
    private final NavigableMap<Ip, ClusterIp> reservations = new TreeMap<>();
    private final IpSet taken = new IpSet();
    private final Map<IpRange, Counter> tracked = new LinkedHashMap<>();

    private static final class Counter {
        long taken;
        long ofAllocator;

        void count(ClusterIp object, int change) {
            taken += change;
            ofAllocator += object.ofAllocator() ? change : 0;
        }
    }

    /** Adds an object, or takes the place of the one of this address. */
    public void put(ClusterIp object) {
        ClusterIp before = objects.put(object.ip(), object);
        if (before == null) {
            taken.add(object.ip());
        } else {
            reservations.remove(object.ip());
            count(before, -1);
        }
        if (object.isReservation()) {
            reservations.put(object.ip(), object);
        }
        count(object, 1);
    }

    /** Forgets the object of this address; without one, nothing changes. */
    public void remove(Ip ip) {
        ClusterIp before = objects.remove(ip);
        if (before != null) {
            taken.remove(ip);
            reservations.remove(ip);
            count(before, -1);
        }
    }

    private void count(ClusterIp object, int change) {
        tracked.forEach((range, counter) -> {
            if (range.contains(object.ip())) {
                counter.count(object, change);
            }
        });
    }

    /** The object of this address; absent: it is free. */
    public Optional<ClusterIp> get(Ip ip) {
        return Optional.ofNullable(objects.get(ip));
    }

    /** Whether there is an object of this address. */
    boolean isTaken(Ip ip) {
        return objects.containsKey(ip);
    }

    public int size() {
        return objects.size();
    }

    /** All objects, by address, IPv4 first. Do not change the index meanwhile. */
    public Stream<ClusterIp> stream() {
        return objects.values().stream();
    }

    /** Those that are Berth's reservations, as they are now, by address. */
    public List<ClusterIp> reservations() {
        return List.copyOf(reservations.values());
    }

    /** The objects of the addresses in {@code range}, ascending. Do not change the index meanwhile. */
    Stream<ClusterIp> stream(IpRange range) {
        Iterator<ClusterIp> part = objects.subMap(range.lower(), true, range.upper(), true)
                .values()
                .iterator();
        // Not its own stream: that asks for the size first, which a part of a TreeMap finds by going through it.
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(part, Spliterator.ORDERED), false);
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
    Optional<IpRange> largestFree(IpRange range) {
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
     * Counts these ranges from now on by each change, so that to ask for one of them costs nothing. They take
     * the place of those before; the ones that stay are not counted again.
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
        stream(range).forEach(object -> counter.count(object, 1));
        return counter;
    }

    private Counter counter(IpRange range) {
        Counter known = tracked.get(range);
        return known == null ? counted(range) : known;
    }

    /** How many addresses of {@code range} are taken: at once if it is tracked, else by going through them. */
    long count(IpRange range) {
        return counter(range).taken;
    }

    /** How many of these are {@link ClusterIp#ofAllocator}. */
    long countOfAllocator(IpRange range) {
        return counter(range).ofAllocator;
    }

    /** How many addresses of {@code range} are free. */
    BigInteger free(IpRange range) {
        return range.size().subtract(BigInteger.valueOf(count(range)));
    }

    /** Forgets all objects and knows these instead. What is tracked stays tracked. */
    public void replaceAll(Collection<ClusterIp> all) {
        List<IpRange> ranges = new ArrayList<>(tracked.keySet());
        objects.clear();
        reservations.clear();
        taken.clear();
        tracked.clear();
        all.forEach(this::put);
        track(ranges);
    }
}
