package dev.berth.agent.membership;

import dev.berth.announce.Agent;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The agents' talk, by encrypted datagrams: tells who lives, and tells them what this agent is. */
public final class Datagrams implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Datagrams.class);
    /** With all links and refusals that an agent may name. */
    static final int LONGEST = 32 << 10;

    private final DatagramSocket socket;
    private final SharedKey key;
    private final Runnable changed;
    private final Consumer<String> warning;
    private final Membership membership;
    private final AtomicLong refused = new AtomicLong();
    private final StateCache states = new StateCache();
    private Map<String, InetAddress> places = Map.of();
    private SequencedMap<String, Agent> lastAlive = new TreeMap<>();
    private long lastVersion;
    private volatile boolean closed;

    /**
     * What others are to know of this agent.
     *
     * @param node the name of its node
     * @param process when its process began, in milliseconds of Unix time
     * @param agent what it says of itself, until it says something else
     */
    public record Self(String node, long process, Agent agent) {}

    /**
     * Listens on all addresses of the host.
     *
     * @param changed called when others have come or gone, or are otherwise than before: be quick
     * @param warning is told what goes wrong, each time that it does
     * @throws IOException if the port cannot be listened on
     */
    public Datagrams(
            int port, SharedKey key, Self self, RandomGenerator random, Runnable changed, Consumer<String> warning)
            throws IOException {
        this.key = key;
        this.changed = changed;
        this.warning = warning;
        membership = new Membership(self.node(), self.process(), random.nextLong(1, 1L << 62), self.agent(), now());
        try {
            socket = new DatagramSocket(port);
        } catch (IOException taken) {
            throw new IOException("listening for other agents at port " + port + ": " + taken.getMessage(), taken);
        }
    }

    /** Talks from now on. */
    public void start() {
        // No virtual threads: theirs may all be busy, and this agent would be held for dead.
        Thread.ofPlatform().daemon().name("agents-in").start(this::receive);
        Thread.ofPlatform().daemon().name("agents-out").start(this::tick);
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    /** Says where other agents may be: the addresses of all Nodes but this one. */
    public void know(Map<String, InetAddress> others) {
        synchronized (this) {
            places = Map.copyOf(others);
            states.retain(others.keySet());
            membership.know(others.keySet(), now());
        }
        notice();
    }

    /** Says that the others cannot find this agent: until {@link #know} it knows of none, and is not settled. */
    public void forget() {
        synchronized (this) {
            places = Map.of();
            states.retain(Set.of());
            membership.forget();
        }
        notice();
    }

    /** Says what this agent is from now on. */
    public void become(Agent agent) {
        synchronized (this) {
            send(membership.become(agent, now()));
        }
    }

    /** Those that live, by node; this one not among them. */
    public synchronized SequencedMap<String, Agent> alive() {
        return membership.alive();
    }

    /** Whether it is known who else lives. */
    public synchronized boolean isSettled() {
        return membership.isSettled(now());
    }

    /** Waits until all that live have heard what this agent is, or for so long. */
    public void awaitHeard(long millis) throws InterruptedException {
        long end = now() + millis;
        while (now() < end) {
            synchronized (this) {
                if (membership.isHeard()) {
                    return;
                }
            }
            Thread.sleep(5);
        }
    }

    /** How many datagrams came that the shared key did not make. */
    public long refused() {
        return refused.get();
    }

    private void tick() {
        while (!closed) {
            try {
                synchronized (this) {
                    send(membership.tick(now()));
                }
                notice();
                Thread.sleep(Membership.TICK);
            } catch (InterruptedException stopping) {
                return;
            } catch (RuntimeException bug) {
                LOG.error("sending to other agents", bug);
            }
        }
    }

    private void receive() {
        byte[] buffer = new byte[LONGEST];
        while (!closed) {
            try {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                socket.receive(packet);
                hear(packet);
            } catch (IOException failure) {
                if (!closed) {
                    LOG.debug("hearing other agents: {}", failure.toString());
                }
            } catch (RuntimeException bug) {
                LOG.error("hearing other agents", bug);
            }
        }
    }

    private void hear(DatagramPacket packet) {
        byte[] bytes =
                key.opened(Arrays.copyOf(packet.getData(), packet.getLength())).orElse(null);
        if (bytes == null) {
            if (refused.getAndIncrement() == 0) {
                LOG.warn(
                        "a datagram from {} was not made by the shared key; the agents of a cluster need the same",
                        packet.getAddress().getHostAddress());
            }
            return;
        }
        Message message;
        try {
            message = Message.decoded(bytes, states::read);
        } catch (IOException other) {
            warning.accept("cannot read a message of the agent at %s: %s"
                    .formatted(packet.getAddress().getHostAddress(), other.getMessage()));
            return;
        }
        synchronized (this) {
            send(membership.hear(message, now()));
        }
        notice();
    }

    /** Outside of the lock. */
    private void notice() {
        SequencedMap<String, Agent> alive;
        synchronized (this) {
            if (membership.version() == lastVersion) {
                return;
            }
            lastVersion = membership.version();
            alive = membership.alive();
            if (alive.equals(lastAlive)) {
                return;
            }
            log(alive.keySet());
            lastAlive = alive;
        }
        changed.run();
    }

    private void log(Set<String> alive) {
        Set<String> gone = new TreeSet<>(lastAlive.keySet());
        gone.removeAll(alive);
        Set<String> come = new TreeSet<>(alive);
        come.removeAll(lastAlive.keySet());
        if (!gone.isEmpty() || !come.isEmpty()) {
            LOG.info("reachable agents: {}; new: {}; lost: {}", alive.size(), come, gone);
        }
    }

    private void send(List<Message> messages) {
        for (Message message : messages) {
            InetAddress place = places.get(message.to());
            if (place == null) {
                continue;
            }
            byte[] sealed = key.sealed(message.encoded(states.written(message.state())));
            try {
                socket.send(
                        new DatagramPacket(sealed, sealed.length, new InetSocketAddress(place, socket.getLocalPort())));
            } catch (IOException | IllegalArgumentException failure) {
                if (!closed) {
                    warning.accept("cannot send to the agent on %s: %s".formatted(message.to(), failure.getMessage()));
                }
            }
        }
    }

    /** Sends and receives nothing more. */
    @Override
    public void close() {
        closed = true;
        socket.close();
    }
}
