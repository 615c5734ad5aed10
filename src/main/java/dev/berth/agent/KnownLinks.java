package dev.berth.agent;

import dev.berth.announce.L2Parameters;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The interfaces of this host as they were read last. There may be an interface for each Pod, and thousands of addresses on one, so they
 * are read when the kernel notifies of a change, and every minute, in case that it did not. One thread, but for
 * what the kernel tells.
 */
final class KnownLinks {
    /** In milliseconds. */
    static final long READ_AGAIN = 60_000;

    private final Reading reading;
    private final AtomicBoolean isStale = new AtomicBoolean(true);
    private final LostAddresses lost = new LostAddresses();
    private HostLinks links = new HostLinks(List.of(), Map.of(), Set.of());
    private List<L2Parameters> parameters = List.of();
    private long read;

    /** Reads the interfaces of the host, as far as these classes go. */
    interface Reading {
        HostLinks read(List<L2Parameters> classes) throws IOException;
    }

    KnownLinks(Reading reading) {
        this.reading = reading;
    }

    /** Called by any thread. */
    void change() {
        isStale.set(true);
    }

    /** Called by any thread. */
    void lose(InetAddress address, int index) {
        lost.add(address, index);
    }

    /** Anything may be otherwise. Called by any thread. */
    void miss() {
        lost.miss();
        change();
    }

    /** Takes what was lost since the last time; returns whether one of these may be among it. */
    boolean takeLost(Stream<LostAddresses.Lost> here) {
        return lost.take(here);
    }

    /** Reads them, if they may be otherwise. */
    void look(List<L2Parameters> classes, long now, Consumer<Exception> failed) {
        if (isStale.getAndSet(false) || !classes.equals(parameters) || now - read >= READ_AGAIN) {
            try {
                links = reading.read(classes);
                parameters = classes;
                read = now;
            } catch (IOException failure) {
                isStale.set(true);
                failed.accept(failure);
            }
        }
    }

    HostLinks now() {
        return links;
    }
}
