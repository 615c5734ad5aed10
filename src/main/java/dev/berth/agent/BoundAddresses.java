package dev.berth.agent;

import dev.berth.announce.Link;
import dev.berth.announce.Verdict;
import dev.berth.announce.Verdict.Announces;
import dev.berth.announce.Verdict.Silent;
import dev.berth.host.MarkedAddresses;
import dev.berth.host.MarkedAddresses.Held;
import dev.berth.host.Neighbours;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The addresses that this node has on its interfaces for Services: puts them on and takes them off, and has neighbours notified
 * of them, and asked. One thread. Times are milliseconds of a steady clock.
 */
final class BoundAddresses {
    private static final Logger LOG = LoggerFactory.getLogger(BoundAddresses.class);

    /** For how long an address stays that another node has taken: until its neighbours have heard of that. */
    static final long LINGER = 250;

    /** How often it is asked who else has an address. */
    static final long PROBE = 60_000;

    private final KnownLinks links;
    private final Refusals refusals;
    private final AgentMetrics metrics;
    private final Consumer<Exception> failed;
    private final SequencedMap<Ip, BoundAddress> bound = new TreeMap<>();

    /** Null: one has come or gone since. */
    private @Nullable Staying staying;

    /** When there is something to tell of one of them, or one is to be taken off, next; 0: not known. */
    private long due;

    /** What was applied last; null: it has to be applied again. */
    private @Nullable Applied applied;

    /**
     * Addresses that are not about to be taken off.
     *
     * @param indexes of their interfaces
     */
    private record Staying(Set<Ip> all, Map<InetAddress, Integer> indexes) {}

    /** What is on the interfaces follows from these. */
    private record Applied(SequencedMap<Ip, Verdict> verdicts, List<Link> links, Map<String, Integer> indexes) {}

    /** @param failed notified of what the kernel refuses */
    BoundAddresses(KnownLinks links, Refusals refusals, AgentMetrics metrics, Consumer<Exception> failed) {
        this.links = links;
        this.refusals = refusals;
        this.metrics = metrics;
        this.failed = failed;
    }

    /** Those that are not about to be taken off. The same object until one comes or goes: there may be many. */
    Set<Ip> staying() {
        return currentStaying().all();
    }

    /** The numbers of the interfaces that those are on. The same object until one comes or goes. */
    Map<InetAddress, Integer> indexes() {
        return currentStaying().indexes();
    }

    private void changed() {
        staying = null;
        due = 0;
    }

    private Staying currentStaying() {
        Staying now = staying;
        if (now == null) {
            Map<InetAddress, Integer> indexes = new HashMap<>();
            Set<Ip> all = new HashSet<>();
            bound.forEach((ip, one) -> {
                if (one.ends == 0) {
                    all.add(ip);
                    indexes.put(one.address, one.index);
                }
            });
            now = new Staying(Set.copyOf(all), Map.copyOf(indexes));
            staying = now;
        }
        return now;
    }

    /** Takes what was lost since the last time; returns whether the kernel may have lost one of them. */
    boolean takeLost() {
        return links.takeLost(bound.values().stream().map(one -> new LostAddresses.Lost(one.address, one.index)));
    }

    /** When there is something to do with one of them next, but to probe; {@link Long#MAX_VALUE}: never. */
    long next(boolean isDecided) {
        if (due > 0 && isDecided) {
            return due;
        }
        long next = Long.MAX_VALUE;
        for (BoundAddress one : bound.values()) {
            if (one.ends > 0) {
                next = Math.min(next, one.ends);
            } else if (isDecided) {
                next = Math.min(next, one.tellings.next());
            }
        }
        due = isDecided ? next : 0;
        return next;
    }

    /**
     * What the kernel has: of an earlier process, or put there and taken away by others since.
     *
     * @param asked the addresses that are to be announced
     */
    void compare(Collection<Ip> asked, long now) throws IOException {
        List<Held> all = MarkedAddresses.all();
        Set<Ip> ofOthers = ofOthers(all);
        refusals.onHost(asked.stream().filter(ofOthers::contains).toList());
        Map<Ip, Held> marked = new HashMap<>();
        for (Held held : all) {
            if (held.isMarked()) {
                Ip ip = Ip.of(held.address());
                BoundAddress known = bound.get(ip);
                if (known != null && known.index != held.index()) {
                    takeOff(held);
                } else {
                    marked.put(ip, held);
                }
            }
        }
        bound.keySet().retainAll(marked.keySet());
        marked.keySet().removeAll(bound.keySet());
        for (Map.Entry<Ip, Held> left : marked.entrySet()) {
            int index = left.getValue().index();
            NetworkInterface by = NetworkInterface.getByIndex(index);
            bound.put(left.getKey(), new BoundAddress(left.getKey(), by == null ? "" : by.getName(), index, "", now));
            LOG.info("{} is on this node since an earlier process", left.getKey());
        }
        changed();
        applied = null;
    }

    /**
     * Those that somebody else has put on the host: they are never touched, and nothing is put beside them. Not those of
     * kube-proxy in mode ipvs: it has all addresses on every node.
     */
    private static Set<Ip> ofOthers(List<Held> all) throws SocketException {
        NetworkInterface ipvs = NetworkInterface.getByName("kube-ipvs0");
        return all.stream()
                .filter(held -> !held.isMarked() && (ipvs == null || held.index() != ipvs.getIndex()))
                .map(held -> Ip.of(held.address()))
                .collect(Collectors.toSet());
    }

    static InetAddress inet(Ip ip) {
        return InetAddress.ofLiteral(ip.toString());
    }

    /**
     * Has on the interfaces what this node announces, and gives up the rest. Does nothing if it has done so by the same
     * verdicts, and nothing has changed on the interfaces since.
     *
     * @return whether one cannot be had that the other agents do not know of yet
     */
    boolean apply(SequencedMap<Ip, Verdict> verdicts, long now) throws IOException {
        Applied what = new Applied(verdicts, links.now().links(), links.now().indexes());
        if (what.equals(applied)) {
            return false;
        }
        // Also if what follows ends early.
        applied = null;
        Set<Ip> ofOthers = isTaking(verdicts) ? ofOthers(MarkedAddresses.all()) : Set.of();
        boolean isNews = false;
        for (Map.Entry<Ip, Verdict> entry : verdicts.entrySet()) {
            if (entry.getValue() instanceof Announces announces) {
                isNews |= take(entry.getKey(), announces, ofOthers, now);
            }
        }
        bound.forEach((ip, one) -> {
            Verdict verdict = verdicts.get(ip);
            if (one.ends == 0 && !(verdict instanceof Announces)) {
                release(ip, one, verdict, now);
            }
        });
        applied = isTaking(verdicts) ? null : what;
        return isNews;
    }

    /** Whether one is to be here that is not, or is on another interface. */
    private boolean isTaking(SequencedMap<Ip, Verdict> verdicts) {
        return verdicts.entrySet().stream()
                .anyMatch(entry ->
                        entry.getValue() instanceof Announces announces && !isBound(entry.getKey(), announces.link()));
    }

    private boolean isBound(Ip ip, String link) {
        BoundAddress one = bound.get(ip);
        return one != null && one.link().equals(link);
    }

    /** Returns whether the other agents have to be told that it cannot be had. */
    private boolean take(Ip ip, Announces verdict, Set<Ip> ofOthers, long now) {
        Integer index = links.now().indexes().get(verdict.link());
        BoundAddress before = bound.get(ip);
        if (index == null) {
            return false;
        }
        if (before != null && before.index == index) {
            if (before.ends > 0) {
                before.ends = 0;
                before.tellings.begin(now);
                changed();
            }
            if (before.isMoved(verdict.link(), links.now().hardwareOf(verdict.link()), now)) {
                due = 0;
            }
            return false;
        }
        if (ofOthers.contains(ip)) {
            return refusals.onHost(ip);
        }
        try {
            if (before != null) {
                MarkedAddresses.remove(before.address, before.index);
                bound.remove(ip);
                changed();
            }
            if (!MarkedAddresses.add(inet(ip), index)) {
                return refusals.onHost(ip);
            }
            bound.put(
                    ip, new BoundAddress(ip, verdict.link(), index, links.now().hardwareOf(verdict.link()), now));
            changed();
            metrics.taken.inc();
            LOG.info("{} {}", ip, verdict.sentence());
            return false;
        } catch (MarkedAddresses.NoInterfaceException gone) {
            links.change();
            return false;
        } catch (IOException failure) {
            failed.accept(failure);
            return refusals.byKernel(ip, now);
        }
    }

    private void release(Ip ip, BoundAddress one, @Nullable Verdict verdict, long now) {
        boolean hasSuccessor =
                verdict instanceof Silent silent && !silent.owner().isEmpty();
        end(one, now + (hasSuccessor ? LINGER : 0));
        LOG.info("{} is removed: {}", ip, verdict == null ? "no Service needs it" : verdict.sentence());
    }

    private void end(BoundAddress one, long at) {
        one.ends = at;
        changed();
    }

    /** Gives up those that another machine answers for. */
    void giveUp(Predicate<InetAddress> isClaimed, long now) {
        bound.forEach((ip, one) -> {
            if (one.ends == 0 && isClaimed.test(one.address)) {
                end(one, now);
                LOG.info("{} is removed: another machine answers for it", ip);
            }
        });
    }

    /** Takes off those whose time has come. */
    void takeOff(long now) {
        if (due > now) {
            return;
        }
        due = 0;
        bound.entrySet().removeIf(entry -> {
            BoundAddress one = entry.getValue();
            if (one.ends == 0 || one.ends > now) {
                return false;
            }
            try {
                MarkedAddresses.remove(one.address, one.index);
                metrics.released.inc();
                return true;
            } catch (IOException | RuntimeException failure) {
                failed.accept(failure);
                one.ends = now + Pace.LOOK_AGAIN;
                return false;
            }
        });
    }

    /** Takes all off, those of an earlier process, too, if this one has never come to decide about them. */
    void takeOffAll(long now) {
        bound.values().forEach(one -> end(one, 1));
        takeOff(now);
        try {
            for (Held held : MarkedAddresses.all()) {
                if (held.isMarked()) {
                    takeOff(held);
                }
            }
        } catch (IOException failure) {
            failed.accept(failure);
        }
    }

    /** One that cannot be taken off keeps no other on the node. */
    private void takeOff(Held held) {
        try {
            MarkedAddresses.remove(held.address(), held.index());
        } catch (IOException failure) {
            failed.accept(failure);
        }
    }

    /** Tells neighbours again where all of them are, as often as at first. */
    void restartAnnouncements(long now) {
        bound.values().forEach(one -> one.tellings.begin(now));
        due = 0;
    }

    /** Tells neighbours again where those of these are that stay: another node has claimed them. */
    void contest(Set<InetAddress> claimed, long now) {
        claimed.forEach(address -> {
            BoundAddress one = bound.get(Ip.of(address));
            if (one != null && one.isContested(now)) {
                due = 0;
            }
        });
    }

    /** Tells neighbours where those are that it is time for. */
    void tell(long now) {
        if (next(true) > now) {
            return;
        }
        due = 0;
        Map<String, List<String>> byLink = new HashMap<>();
        bound.forEach((ip, one) -> {
            if (one.ends == 0 && one.tellings.next() <= now) {
                one.tellings.announced();
                byLink.computeIfAbsent(one.link(), _ -> new ArrayList<>()).add(ip.toString());
                count(ip, "announced");
            }
        });
        PerLink.send(byLink, Neighbours::tell, failed);
    }

    /**
     * Asks who else has those that it is time for.
     *
     * @param pause between two times
     */
    void probe(long pause, long now) {
        Map<String, List<String>> byLink = new HashMap<>();
        bound.forEach((ip, one) -> {
            if (one.ends == 0 && now - one.probed >= pause) {
                one.probed = now;
                byLink.computeIfAbsent(one.link(), _ -> new ArrayList<>()).add(ip.toString());
                count(ip, "asked");
            }
        });
        PerLink.send(byLink, Neighbours::probe, failed);
    }

    private void count(Ip ip, String kind) {
        metrics.neighbourMessages
                .labels(ip.family() == IpFamily.IPV4 ? "arp" : "ndp", kind)
                .inc();
    }
}
