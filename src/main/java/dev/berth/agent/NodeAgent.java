package dev.berth.agent;

import dev.berth.agent.membership.Datagrams;
import dev.berth.agent.membership.SharedKey;
import dev.berth.announce.Agent;
import dev.berth.announce.ApiContact;
import dev.berth.host.Claimants;
import dev.berth.host.InterfaceChanges;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The agent of one node, whole. */
public final class NodeAgent implements AutoCloseable {
    private static final Duration FAREWELL = Duration.ofSeconds(1);

    private final String node;
    private final ClusterView view;
    private final Datagrams others;
    private final ApiServerProbe contact;
    private final Claimants claimants;
    private final AgentReports reports;
    private final Announcer announcer;
    private final InterfaceChanges interfaces;
    private final @Nullable Bgp bgp;

    /**
     * What an agent is started with.
     *
     * @param node the name of the Node object
     * @param namespace where the agents' Leases are, and the Secrets with passwords
     * @param port where the agents of other nodes are heard, and hear
     * @param process when this process began, in milliseconds of Unix time
     */
    public record Settings(String node, String namespace, int port, SharedKey key, long process) {}

    /**
     * Announces nothing before {@link #start}.
     *
     * @param speaker a channel to the node's BGP speaker; null: it announces nothing by BGP
     * @throws IOException if the port is taken, or the kernel refuses
     */
    public NodeAgent(
            Settings settings,
            ApiServer server,
            RandomGenerator random,
            AgentMetrics metrics,
            @Nullable ManagedChannel speaker)
            throws IOException {
        node = settings.node();
        AtomicReference<Runnable> look = new AtomicReference<>(() -> {});
        Runnable changed = () -> look.get().run();
        view = new ClusterView(server, changed, random);
        Warnings warnings = new Warnings(() -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
        AgentParts parts =
                new AgentParts(settings.node(), settings.namespace(), server, view, random, metrics, warnings);
        Renewal renewal = new Renewal(parts, Clock.systemUTC());
        reports = new AgentReports(parts, renewal);
        Agent unknowing = new Agent(false, ApiContact.LOST, false, List.of());
        others = new Datagrams(
                settings.port(),
                settings.key(),
                new Datagrams.Self(settings.node(), settings.process(), unknowing),
                random,
                changed,
                warnings::warn);
        bgp = speaker == null ? null : new Bgp(parts, speaker, others::alive, changed, renewal, reports);
        contact = new ApiServerProbe(server, this::interrupt, this::retry, changed);
        Conflicts conflicts = new Conflicts(metrics);
        claimants = new Claimants(conflicts::claimed);
        announcer =
                new Announcer(parts, others, contact, conflicts, reports, bgp == null ? TreeMap::new : bgp::sessions);
        interfaces = new InterfaceChanges(new InterfaceChanges.Listener() {
            @Override
            public void changed() {
                announcer.lookAtLinks();
            }

            @Override
            public void gone(InetAddress address, int index) {
                announcer.lookAtAddress(address, index);
            }

            @Override
            public void missed() {
                announcer.lookAtAll();
            }
        });
        look.set(() -> {
            announcer.look();
            if (bgp != null) {
                bgp.look();
            }
        });
    }

    private void interrupt() {
        view.interrupt();
        if (bgp != null) {
            bgp.interrupt();
        }
    }

    private void retry() {
        view.retry();
        if (bgp != null) {
            bgp.retry();
        }
    }

    /** Announces from now on. */
    public void start() {
        view.start();
        contact.start();
        others.start();
        announcer.start();
        reports.start();
        if (bgp != null) {
            bgp.start();
        }
    }

    /** What keeps it from announcing, human-readable; absent: nothing. */
    public Optional<String> missing() {
        return view.unread()
                .or(this::unsettled)
                .or(() -> Optional.ofNullable(bgp).flatMap(Bgp::missing));
    }

    private Optional<String> unsettled() {
        if (view.isHidden(node)) {
            // By BGP it announces nevertheless.
            return view.allParameters().isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                            "Node %s has no InternalIP, so agents of other nodes cannot find this one".formatted(node));
        }
        return others.isSettled() ? Optional.empty() : Optional.of("listening for the agents of other nodes");
    }

    /** A line for each address, human-readable: whether this node announces it, and why. */
    public String explained() {
        return announcer.explained() + (bgp == null ? "" : bgp.explained());
    }

    /** Leaves the addresses to other nodes, and takes them off this one. */
    @Override
    public void close() {
        view.close();
        contact.close();
        // Beside each other: a speaker that hangs holds up no address that others are to take over.
        Thread withoutBgp = Thread.ofPlatform().name("bgp-end").start(bgp == null ? () -> {} : bgp::close);
        try {
            announcer.end();
            withoutBgp.join();
            reports.close(FAREWELL);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        others.close();
        claimants.close();
        interfaces.close();
    }
}
