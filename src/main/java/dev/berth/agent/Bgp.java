package dev.berth.agent;

import dev.berth.agent.bgp.Speaker;
import dev.berth.announce.Agent;
import dev.berth.ip.IpFamily;
import io.grpc.ManagedChannel;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** All that an agent has for BGP. */
final class Bgp {
    private static final Duration WITHDRAWAL = Duration.ofSeconds(2);
    private static final Duration FAREWELL = Duration.ofSeconds(1);

    private final BgpView view;
    private final BgpReports reports;
    private final BgpAnnouncer announcer;
    private final AtomicReference<Runnable> changed = new AtomicReference<>(() -> {});

    /**
     * Announces nothing before {@link #start}.
     *
     * @param others the agents of other nodes that live, by node
     * @param sessionsChanged notified when {@link #sessions} says something else
     */
    Bgp(
            AgentParts parts,
            ManagedChannel channel,
            Supplier<SequencedMap<String, Agent>> others,
            Runnable sessionsChanged,
            Renewal renewal,
            AgentReports all) {
        parts.metrics().showBgp();
        view = new BgpView(
                parts.server(),
                parts.node(),
                parts.namespace(),
                () -> changed.get().run(),
                parts.random());
        reports = new BgpReports(parts, view, renewal, Clock.systemUTC());
        announcer = new BgpAnnouncer(
                parts,
                new BgpAnnouncer.Reports(reports, all),
                view,
                new Speaker(channel, () -> changed.get().run()),
                others,
                sessionsChanged);
        changed.set(announcer::look);
    }

    void start() {
        view.start();
        reports.start();
        announcer.start();
    }

    void look() {
        announcer.look();
    }

    /** What keeps it from announcing, human-readable; absent: nothing. Not that no router answers: a restart would not help. */
    Optional<String> missing() {
        return view.unread().or(() -> announcer.isReached() ? Optional.empty() : Optional.of("gobgpd does not answer"));
    }

    /** As the other agents get them. */
    SequencedMap<String, List<IpFamily>> sessions() {
        return announcer.sessions();
    }

    void interrupt() {
        view.interrupt();
    }

    void retry() {
        view.retry();
    }

    String explained() {
        return announcer.explained();
    }

    /** Takes all routes back, and what the status of peers says of this node. Neither waits long for one that does not answer. */
    void close() {
        view.close();
        announcer.end(WITHDRAWAL);
        reports.close(FAREWELL);
    }
}
