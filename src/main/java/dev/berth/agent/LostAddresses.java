package dev.berth.agent;

import java.net.InetAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** What the kernel says is on an interface no more, until it is taken. Used by several threads. */
final class LostAddresses {
    private final AtomicBoolean mayBeAny = new AtomicBoolean();
    private final Set<Lost> lost = ConcurrentHashMap.newKeySet();

    /** An address that is on an interface no more. */
    record Lost(InetAddress address, int index) {}

    void add(InetAddress address, int index) {
        lost.add(new Lost(address, index));
    }

    /** Something that the kernel said was not heard: any of them may be lost. */
    void miss() {
        mayBeAny.set(true);
    }

    /** Takes what was lost since the last time; returns whether one of these may be among it. */
    boolean take(Stream<Lost> here) {
        Set<Lost> since = Set.copyOf(lost);
        lost.removeAll(since);
        return mayBeAny.getAndSet(false) || (!since.isEmpty() && here.anyMatch(since::contains));
    }
}
