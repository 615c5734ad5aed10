package dev.berth.dataplane.haproxy;

import dev.berth.dataplane.haproxy.peers.Beat;
import dev.berth.dataplane.haproxy.peers.Election;
import dev.berth.dataplane.haproxy.peers.PeerFiles;
import dev.berth.dataplane.haproxy.peers.Peers;
import dev.berth.provider.ProviderException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The addresses that several hosts share: each is bound on one of them. A host binds an address for {@link
 * Election#LEASE_SECONDS} at a time, so that one whose process is killed or hangs loses it by its kernel.
 */
final class SharedAddresses implements Addresses {
    private static final Logger LOG = LoggerFactory.getLogger(SharedAddresses.class);
    private static final long LOOK_AGAIN = Election.BEAT / 2;

    private final Leases host;
    private final BooleanSupplier carries;
    private final Peers peers;

    private final ServedAddresses served = new ServedAddresses();
    private final RepeatedAnnouncements repeats = new RepeatedAnnouncements(now());

    /** Bound by this host; what the kernel has taken off is found missing in each round. */
    private final Collection<String> held = new TreeSet<>();

    private Election election;
    private final Last last = new Last();
    private String trouble = "";
    private boolean closed;

    /** How often the others were told. */
    private long beats;

    /** When it was that something was done, the last time. */
    private static final class Last {
        private long round = now();
        private long lease = now() - Election.BEAT;

        /** A round ended that did not fail. */
        private long whole = now();
    }

    /**
     * Where this host listens for the others, and where they are.
     *
     * @param others at least one
     */
    record Sharing(InetSocketAddress listen, List<InetSocketAddress> others, PeerFiles files) {
        Sharing {
            others = List.copyOf(others);
        }
    }

    /**
     * Begins to talk with the others.
     *
     * @param identity of this host
     * @param mayHave that are on this host since an earlier process, or may be
     * @param carries whether HAProxy works
     * @throws ProviderException if it cannot listen for the others, or a file cannot be used
     */
    SharedAddresses(
            Leases host, Sharing sharing, String identity, Collection<String> mayHave, BooleanSupplier carries) {
        this.host = host;
        this.carries = carries;
        election = Election.begin(
                identity, UUID.randomUUID().toString(), sharing.others().size(), now());
        held.addAll(host.bound(mayHave));
        try {
            peers = new Peers(sharing.listen(), sharing.others(), sharing.files(), this::beat, this::hear);
        } catch (IOException failure) {
            throw new ProviderException(String.valueOf(failure.getMessage()), failure);
        }
    }

    /** Binds and releases from now on. */
    void begin() {
        // Addresses are lost when it is late: it shares no thread with calls.
        Thread.ofPlatform().daemon().name("haproxy-addresses").start(this::keep);
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    private synchronized Beat beat() {
        beats++;
        return said().numbered(beats);
    }

    private Beat said() {
        if (closed) {
            return election.beat(false, List.of(), held, now());
        }
        return isLookedAfter()
                ? election.beat(isAble(), served.willing(), held, now())
                : election.beat(false, List.of(), List.of(), now());
    }

    /** Else the kernel has taken all addresses off, and others must not be told that they are here. */
    private boolean isLookedAfter() {
        return now() - last.whole <= TimeUnit.SECONDS.toMillis(Election.LEASE_SECONDS);
    }

    private boolean isAble() {
        return carries.getAsBoolean() && host.isUp();
    }

    private synchronized void hear(Beat beat, String place) {
        if (election.isOfAClone(beat)) {
            sayOnce("another host has the identity " + beat.host()
                    + " of this one: remove the file host-id of one of them, and start it again");
        }
        election = election.hears(beat, place, now());
    }

    private synchronized void keep() {
        try {
            while (!closed) {
                try {
                    round();
                } catch (RuntimeException | Error failure) {
                    sayOnce("looking after addresses: " + failure);
                }
                wait(LOOK_AGAIN);
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void sayOnce(String what) {
        if (!what.equals(trouble)) {
            LOG.error("{}", what);
            trouble = what;
        }
    }

    private void round() {
        long now = now();
        election = election.continues(last.round, now);
        last.round = now;
        served.tryAgain(now);
        held.retainAll(host.bound(held));
        Election.Round round = election.round(isAble(), served.willing(), held, now);
        try {
            release(round.released());
        } catch (ProviderException stays) {
            // For the rest of its lease; the others have to be bound again before theirs end.
            sayOnce(String.valueOf(stays.getMessage()));
        }
        bind(round.bound(), now);
        repeats.begin(round.contested());
        tell(now);
        last.whole = now();
    }

    private void release(Collection<String> released) {
        if (released.isEmpty()) {
            return;
        }
        try {
            host.release(released);
        } finally {
            // One that cannot be taken off keeps none of the others.
            forgetReleased(released);
        }
    }

    private void forgetReleased(Collection<String> asked) {
        Collection<String> left = host.bound(asked);
        List<String> gone = asked.stream().filter(one -> !left.contains(one)).toList();
        if (gone.isEmpty()) {
            return;
        }
        held.removeAll(gone);
        repeats.end(gone);
        LOG.info("released {}", gone);
        peers.push();
    }

    private void bind(Collection<String> wanted, long now) {
        if (held.containsAll(wanted) && now - last.lease < Election.BEAT) {
            return;
        }
        last.lease = now;
        try {
            host.lease(wanted, Election.LEASE_SECONDS);
        } catch (ProviderException failure) {
            sayOnce(String.valueOf(failure.getMessage()));
        }
        List<String> bound = host.bound(wanted);
        List<String> news = bound.stream().filter(one -> !held.contains(one)).toList();
        wanted.stream().filter(one -> !bound.contains(one)).forEach(one -> served.refuse(one, now));
        held.addAll(bound);
        if (!news.isEmpty()) {
            repeats.begin(news);
            repeats.hurry(now);
            LOG.info("bound {}", news);
            peers.push();
        }
    }

    private void tell(long now) {
        List<String> due = repeats.take(now);
        if (due.isEmpty()) {
            return;
        }
        try {
            host.tell(due);
        } catch (IOException failure) {
            sayOnce("telling the network where addresses are: " + failure.getMessage());
        }
    }

    @Override
    public synchronized void add(String address) {
        host.requireUsable(address);
        if (served.add(address)) {
            notifyAll();
        }
    }

    @Override
    public synchronized void remove(String address) {
        served.remove(address);
        release(host.bound(List.of(address)));
    }

    @Override
    public synchronized boolean has(String address) {
        return served.has(address);
    }

    @Override
    public boolean isHere(String address) {
        return !host.bound(List.of(address)).isEmpty();
    }

    @Override
    public synchronized boolean isBound(String address) {
        return (held.contains(address) && isLookedAfter()) || election.isHeldByAnother(address, now());
    }

    /** Another host takes them over at once, where there is one; else they stay for the rest of their lease. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            List<String> inherited = held.stream()
                    .filter(address -> election.hasSuccessor(address, now()))
                    .toList();
            try {
                release(inherited);
            } catch (ProviderException failure) {
                LOG.warn("{}", failure.getMessage());
            }
            notifyAll();
        }
        peers.pushAndWait();
        peers.close();
    }
}
