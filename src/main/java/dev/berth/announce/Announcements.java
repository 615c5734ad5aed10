package dev.berth.announce;

import dev.berth.ip.Ip;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the agents of all nodes report, and which of them renew their Leases. Immutable. */
public final class Announcements {
    /**
     * For how long two nodes may both say that they announce an address by ARP, until each has said what is so now: so long, and
     * more for each node of the cluster, for the more there are, the rarer each may report.
     */
    static final Duration HANDOVER = Duration.ofSeconds(45);

    private static final Duration HANDOVER_PER_NODE = Duration.ofMillis(100);

    /** Of no agent. */
    public static final Announcements NONE = new Announcements(new TreeMap<>());

    private final SequencedMap<String, Entry> byNode;

    /**
     * @param changed when it was seen to say something else than before
     * @param heard when its agent was seen last to do something
     * @param isLost whether its agent has stopped renewing its Lease
     */
    private record Entry(NodeReport.Index index, Instant changed, Instant heard, boolean isLost) {
        Entry heard(Instant now) {
            return isLost || now.isAfter(heard) ? new Entry(index, changed, now, false) : this;
        }

        Entry lost() {
            return isLost ? this : new Entry(index, changed, heard, true);
        }
    }

    private Announcements(SequencedMap<String, Entry> byNode) {
        this.byNode = byNode;
    }

    private Announcements with(String node, Optional<Entry> entry) {
        SequencedMap<String, Entry> next = new TreeMap<>(byNode);
        entry.ifPresentOrElse(one -> next.put(node, one), () -> next.remove(node));
        return new Announcements(next);
    }

    /** The agent of a node says this. */
    public Announcements reported(String node, NodeReport report, Instant now) {
        Entry before = byNode.get(node);
        boolean isSame = before != null && before.index().report().equals(report);
        return isSame ? this : with(node, Optional.of(new Entry(new NodeReport.Index(report), now, now, false)));
    }

    /** There is no such node any more, or no report of it. */
    public Announcements without(String node) {
        return with(node, Optional.empty());
    }

    /** The agent of a node has renewed its Lease. */
    public Announcements heard(String node, Instant now) {
        return with(node, Optional.ofNullable(byNode.get(node)).map(entry -> entry.heard(now)));
    }

    /** The agent of a node has not renewed its Lease for long. */
    public Announcements lost(String node) {
        return with(node, Optional.ofNullable(byNode.get(node)).map(Entry::lost));
    }

    /** The nodes that have reported. */
    public List<String> nodes() {
        return List.copyOf(byNode.sequencedKeySet());
    }

    /** Those of some addresses of which something else follows than in {@code before}, if only this node differs. */
    @SuppressWarnings("ReferenceEquality") // an entry that stays is the same object
    public List<Ip> changed(Announcements before, String node, Collection<Ip> addresses) {
        if (Stream.of(Protocol.values())
                .anyMatch(protocol -> (before.agents(protocol) == 0) != (agents(protocol) == 0))) {
            return List.copyOf(addresses);
        }
        Entry was = before.byNode.get(node);
        Entry is = byNode.get(node);
        return was == is
                ? List.of()
                : addresses.stream()
                        .filter(ip -> Stream.of(Protocol.values())
                                        .anyMatch(protocol ->
                                                !reportedBy(was, protocol, ip).equals(reportedBy(is, protocol, ip)))
                                || isSettledOtherwise(before, is, ip))
                        .toList();
    }

    /** That a node is heard of after another has said that it has an address, too, tells that it has it still. */
    private boolean isSettledOtherwise(Announcements before, @Nullable Entry is, Ip ip) {
        return is != null
                && is.index().of(Protocol.L2, ip) instanceof NodeReport.Says.Announces
                && !before.of(Protocol.L2, ip).equals(of(Protocol.L2, ip));
    }

    /** @param isLost whether that counts for what it says */
    private record Reported(NodeReport.Says says, boolean isLost) {}

    private static Reported reportedBy(@Nullable Entry entry, Protocol protocol, Ip ip) {
        NodeReport.Says says =
                entry == null ? new NodeReport.Says.Nothing() : entry.index().of(protocol, ip);
        return switch (says) {
            case NodeReport.Says.Announces announces -> new Reported(announces, entry != null && entry.isLost());
            case NodeReport.Says.Silent silent ->
                new Reported(entry != null && entry.isLost() ? new NodeReport.Says.Nothing() : silent, false);
            case NodeReport.Says.Nothing nothing -> new Reported(nothing, false);
        };
    }

    /** How many agents that announce by it renew their Leases. */
    private int agents(Protocol protocol) {
        return (int) byNode.values().stream()
                .filter(entry ->
                        !entry.isLost() && entry.index().report().parts().containsKey(protocol))
                .count();
    }

    /** Who announces an address of a class of this provider's. */
    public Announcement of(Protocol protocol, Ip ip) {
        SequencedMap<String, Entry> claiming = new TreeMap<>();
        List<String> inConflict = new ArrayList<>();
        SequencedMap<String, List<String>> silent = new TreeMap<>();
        byNode.forEach((node, entry) -> {
            switch (entry.index().of(protocol, ip)) {
                case NodeReport.Says.Announces(boolean isInConflict) -> {
                    claiming.put(node, entry);
                    if (isInConflict) {
                        inConflict.add(node);
                    }
                }
                case NodeReport.Says.Silent(String reason) -> {
                    if (!entry.isLost()) {
                        silent.computeIfAbsent(reason, _ -> new ArrayList<>()).add(node);
                    }
                }
                case NodeReport.Says.Nothing _ -> {}
            }
        });
        if (claiming.values().stream().filter(entry -> !entry.isLost()).count() > 1) {
            // The other machine is one of these: it is about to be seen which of them has it.
            inConflict.clear();
        }
        if (protocol == Protocol.L2) {
            leaveThoseBefore(claiming);
        }
        List<String> nodes = claiming.entrySet().stream()
                .filter(one -> !one.getValue().isLost())
                .map(Map.Entry::getKey)
                .toList();
        inConflict.retainAll(nodes);
        return new Announcement(
                ip,
                protocol,
                nodes,
                inConflict,
                claiming.entrySet().stream()
                        .filter(one -> one.getValue().isLost())
                        .map(Map.Entry::getKey)
                        .toList(),
                silent,
                agents(protocol));
    }

    /**
     * A node that lost its power goes on to say that it has the address. One that lives would have taken it back: so, of
     * several, the one that has said something last has it, and those that were heard of long after that.
     */
    private void leaveThoseBefore(SequencedMap<String, Entry> claiming) {
        Duration handover = HANDOVER.plus(HANDOVER_PER_NODE.multipliedBy(byNode.size()));
        claiming.values().stream()
                .map(Entry::changed)
                .max(Instant::compareTo)
                .ifPresent(last -> claiming.values()
                        .removeIf(entry ->
                                entry.changed().isBefore(last) && entry.heard().isBefore(last.plus(handover))));
    }
}
