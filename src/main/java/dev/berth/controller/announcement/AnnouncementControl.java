package dev.berth.controller.announcement;

import dev.berth.announce.Announcement;
import dev.berth.announce.Announcements;
import dev.berth.announce.NodeReport;
import dev.berth.announce.Protocol;
import dev.berth.controller.Heartbeats;
import dev.berth.controller.Next;
import dev.berth.controller.StartGate;
import dev.berth.controller.Timer;
import dev.berth.controller.Timing;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.ServedClass;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Knows who announces which address, and reports for which that has changed: at once after a quiet time, and then in batches,
 * the rarer the larger they are, so that routers that come and go do not write all Services again and again. Free of the
 * operator SDK.
 */
public final class AnnouncementControl {
    /** How often it is looked whose agent is gone: no event reports that. */
    static final Duration LOOK = Duration.ofSeconds(30);

    /** The pause after a batch, at least. */
    static final Duration SHORTEST = Duration.ofSeconds(1);

    /** And for each address that was in it: 100 of them a second. */
    static final Duration PER_ADDRESS = Duration.ofMillis(10);

    private final StartGate gate;
    private final Agents agents;
    private final Supplier<Collection<Ip>> addresses;
    private final Supplier<ClassSet> classes;
    private final Consumer<Collection<Ip>> changed;
    private final InstantSource steady;
    private final Timer later;
    private final Heartbeats heartbeats = new Heartbeats();
    private final Set<Ip> pending = ConcurrentHashMap.newKeySet();
    private boolean isPausing;
    private volatile Announcements known = Announcements.NONE;
    private volatile long silentAgents;

    /**
     * What agents wrote. Each is asked again whenever it is needed.
     *
     * @param reports what the agent of the node says; absent: there is no such report, or no such node
     * @param reporting the nodes that have a report
     * @param renewals by node, when its agent has renewed its Lease; absent: not known
     */
    public record Agents(
            Function<String, Optional<NodeReport>> reports,
            Supplier<Collection<String>> reporting,
            Supplier<Optional<Map<String, String>>> renewals) {}

    /**
     * Reads nothing yet, and writes nothing before the gate opens.
     *
     * @param addresses all that somebody has
     * @param classes the classes as they are judged now
     * @param changed notified of which addresses something else may be said; be quick
     */
    public AnnouncementControl(
            StartGate gate,
            Agents agents,
            Supplier<Collection<Ip>> addresses,
            Supplier<ClassSet> classes,
            Consumer<Collection<Ip>> changed,
            Timing timing) {
        this.gate = gate;
        this.agents = agents;
        this.addresses = addresses;
        this.classes = classes;
        this.changed = changed;
        this.steady = timing.steady();
        this.later = timing.later();
    }

    /** Before the gate opens: what was reported until now, so that nothing is said of it that is not so. */
    public void adopt() {
        Instant now = steady.instant();
        Map<String, Duration> ages = agesAtStart();
        agents.reporting().get().forEach(node -> {
            Duration age = ages.getOrDefault(node, Duration.ZERO);
            read(node, now.minus(age));
            if (age.compareTo(Heartbeats.PATIENCE) > 0) {
                change(node, before -> before.lost(node));
            }
        });
        later.after(LOOK, this::look);
    }

    /**
     * For how much longer than half of all agents each of the others has not renewed its Lease: what such a one says of an address is
     * older than what others say. How long ago that is, is not known yet, and one clock that is ahead must not count.
     */
    private Map<String, Duration> agesAtStart() {
        Map<String, Instant> renewed = new TreeMap<>();
        agents.renewals()
                .get()
                .orElse(Map.of())
                .forEach((node, text) -> instant(text).ifPresent(at -> renewed.put(node, at)));
        List<Instant> sorted = renewed.values().stream().sorted().toList();
        Map<String, Duration> ages = new TreeMap<>();
        renewed.forEach((node, at) -> {
            Instant median = sorted.get(sorted.size() / 2);
            if (at.isBefore(median)) {
                ages.put(node, Duration.between(at, median));
            }
        });
        return ages;
    }

    private static Optional<Instant> instant(String text) {
        try {
            return Optional.of(Instant.parse(text));
        } catch (DateTimeParseException odd) {
            return Optional.empty();
        }
    }

    /** What agents say, as it is known now. */
    public Announcements known() {
        return known;
    }

    /** How many agents have reported, and have stopped renewing their Leases. */
    public long silentAgents() {
        return silentAgents;
    }

    /** Who announces an address that was claimed for a class; absent: agents do not announce addresses of that class. */
    public Optional<Announcement> of(Ip ip, @Nullable String classValue) {
        return Optional.ofNullable(classValue)
                .flatMap(classes.get()::byValue)
                .map(ServedClass::provider)
                .flatMap(Protocol::find)
                .map(protocol -> known.of(protocol, ip));
    }

    /** Takes in the report of this name, or that it is gone. */
    Next reconcile(String node) {
        gate.await();
        read(node, steady.instant());
        return Next.ON_EVENT;
    }

    private void read(String node, Instant now) {
        Optional<NodeReport> report = agents.reports().apply(node);
        change(
                node,
                before -> report.map(one -> before.reported(node, one, now)).orElseGet(() -> before.without(node)));
    }

    private synchronized void change(String node, UnaryOperator<Announcements> change) {
        Announcements before = known;
        known = change.apply(before);
        tell(known.changed(before, node, addresses.get()));
    }

    private synchronized void tell(List<Ip> news) {
        pending.addAll(news);
        if (!isPausing && !pending.isEmpty()) {
            List<Ip> batch = List.copyOf(pending);
            pending.clear();
            isPausing = true;
            Duration pause = PER_ADDRESS.multipliedBy(batch.size());
            later.after(pause.compareTo(SHORTEST) < 0 ? SHORTEST : pause, this::goOn);
            changed.accept(batch);
        }
    }

    private synchronized void goOn() {
        isPausing = false;
        tell(List.of());
    }

    private void look() {
        try {
            List<String> nodes = known.nodes();
            if (!nodes.isEmpty()) {
                heartbeats.look(agents.renewals().get(), nodes, steady.instant());
                nodes.forEach(this::judge);
            }
            Instant now = steady.instant();
            silentAgents = known.nodes().stream()
                    .filter(node -> heartbeats.silentSince(node, now).isPresent() && announces(node))
                    .count();
        } finally {
            later.after(LOOK, this::look);
        }
    }

    /** One that was stopped has said that it announces by nothing. */
    private boolean announces(String node) {
        return agents.reports()
                .apply(node)
                .filter(report -> !report.parts().isEmpty())
                .isPresent();
    }

    private void judge(String node) {
        if (agents.reports().apply(node).isEmpty()) {
            change(node, before -> before.without(node));
        } else if (heartbeats.silentSince(node, steady.instant()).isPresent()) {
            change(node, before -> before.lost(node));
        } else {
            heartbeats.renewed(node).ifPresent(at -> change(node, before -> before.heard(node, at)));
        }
    }
}
