package dev.berth.agent.membership;

import dev.berth.agent.membership.Message.Kind;
import dev.berth.agent.membership.Message.State;
import dev.berth.announce.Agent;
import dev.berth.announce.Rendezvous;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which other agents live, going by who answers. Does nothing by itself: it is told the time, who else there may be and what was
 * heard, and says what to send. Times are milliseconds of a steady clock.
 *
 * <p>Each agent watches a few of those that live: who is next to it on a ring, on both sides. So the load on each does not grow
 * with their number, and those that it watches watch it, too: what each says to the other at regular intervals asks and answers
 * (a beat). One that does not answer is dead, and all others are told to look for themselves; what an agent holds
 * for dead is always what it cannot reach itself. Of those that are dead, or never answered, one after another is pinged,
 * so that a network that was split heals; and of those that live and are not watched one after another, for nobody may have
 * watched one that died, or the datagram that said so was lost.
 */
final class Membership {
    /** How often this has to be told the time. */
    static final long TICK = 100;

    /** The pause between two pings, or beats, of one that is watched. */
    static final long PING = 200;

    /**
     * For how long one that is watched may say nothing, or answer nothing, before it is pinged, at each tick: datagrams may have
     * been lost, and a ping is answered at once.
     */
    static final long QUIET = 2 * PING + TICK;

    /** After how long without an answer one that is watched is dead. */
    static final long SILENCE = 1_000;

    /** The same for one that is not watched, and just pinged in its turn: there is no hurry. */
    static final long CHECK = 3_000;

    /** The same for one that another has found dead. */
    static final long SUSPICION = 400;

    /** For how long an agent waits for others to answer, once it knows who they may be. */
    static final long LISTEN = 1_000;

    /** The pause between pings of those that do not live, and of those that live and are not watched. */
    static final long SEARCH = 300;

    /** For how long this may have stood still before the time to answer begins again for all others. */
    static final long PAUSE = 500;

    /** For how long an agent that is willing is, if that is not said again: what it should do may hang. */
    static final long WILLING = 5_000;

    /** How many each agent watches: half of them before it on the ring, half after it. */
    static final int WATCHED = 4;

    private final String self;
    private final SequencedMap<String, Peer> peers = new TreeMap<>();
    private final Search search = new Search();
    private final Own own;
    private long lastTick;
    private long numbers;

    /** Another one whenever {@link #alive} may be otherwise. */
    private long version;

    /** What this agent is. */
    private static final class Own {
        private State state;

        /** When it was said last; null: never. */
        private @Nullable Long said;

        Own(State state) {
            this.state = state;
        }
    }

    /** Pings one after another. */
    private static final class Search {
        /** Since when it is known who there may be; null: it is not. */
        private @Nullable Long since;

        /** When one that does not live was pinged. */
        private long last;

        private int next;

        /** When one that lives and is not watched was pinged. */
        private long lastCheck;

        private int nextCheck;

        boolean isListening(long now) {
            return since == null || now - since < LISTEN;
        }
    }

    /**
     * One that knows of no other.
     *
     * @param self the name of this node
     * @param process when this process began: higher than that of any before on this node
     * @param firstNumber no other process of this node begins with it
     */
    Membership(String self, long process, long firstNumber, Agent agent, long now) {
        this.self = self;
        this.own = new Own(new State(process, 0, agent));
        this.lastTick = now;
        this.numbers = firstNumber;
    }

    /** Says who else there may be: all Nodes but this one, whether an agent is on them or not. */
    void know(Collection<String> others, long now) {
        if (search.since == null) {
            search.since = now;
        }
        if (peers.keySet().retainAll(others)) {
            version++;
        }
        others.stream()
                .filter(name -> !name.equals(self))
                .forEach(name -> peers.computeIfAbsent(name, _ -> new Peer(distance(name), numbers)));
    }

    /** Says that it is not known any more who else there is. Whoever there is then is listened for again. */
    void forget() {
        search.since = null;
        if (!peers.isEmpty()) {
            peers.clear();
            version++;
        }
    }

    /**
     * Says what this agent is from now on; the others are told until they have heard it. Say it again and again: without, it
     * is not willing any more after {@link #WILLING}.
     */
    List<Message> become(Agent agent, long now) {
        own.said = now;
        return change(agent, now);
    }

    private List<Message> change(Agent agent, long now) {
        if (agent.equals(own.state.agent())) {
            return List.of();
        }
        own.state = new State(own.state.began(), own.state.version() + 1, agent);
        peers.values().forEach(peer -> peer.pings.news = numbers + 1);
        return peers.entrySet().stream()
                .filter(peer -> peer.getValue().isAlive)
                .map(peer -> ping(peer.getKey(), peer.getValue(), now))
                .toList();
    }

    /** Another number whenever {@link #alive} may say something else. */
    long version() {
        return version;
    }

    /** Those that live, by node; this one not among them. */
    SequencedMap<String, Agent> alive() {
        SequencedMap<String, Agent> alive = new TreeMap<>();
        peers.forEach((name, peer) -> {
            if (peer.isAlive && peer.state != null) {
                alive.put(name, peer.state.agent());
            }
        });
        return alive;
    }

    /** Whether all that live have heard what this agent is. */
    boolean isHeard() {
        return peers.values().stream().noneMatch(peer -> peer.isAlive && !peer.hasHeard());
    }

    /** Whether it knows who else lives: all have answered, or have had the time to. */
    boolean isSettled(long now) {
        return !search.isListening(now)
                || (!peers.isEmpty() && peers.values().stream().allMatch(peer -> peer.isAlive));
    }

    /** The time goes on. */
    List<Message> tick(long now) {
        if (now - lastTick > PAUSE) {
            peers.values().forEach(peer -> {
                peer.times.awaited = peer.isAlive ? now : peer.times.awaited;
                peer.times.suspected = peer.times.suspected == 0 ? 0 : now;
            });
            own.said = own.said == null ? null : Long.valueOf(now);
        }
        lastTick = now;
        List<Message> messages = new ArrayList<>();
        if (own.said != null && now - own.said > WILLING) {
            messages.addAll(change(own.state.agent().unwilling(), now));
        }
        watch(now);
        check(now);
        List<String> lost = new ArrayList<>();
        peers.forEach((name, peer) -> {
            if (peer.isAlive) {
                boolean isSilent = isAwaited(peer) && silence(peer, now) > (peer.isWatched ? SILENCE : CHECK);
                if (isSilent || isGivenUp(peer, now)) {
                    peer.isAlive = false;
                    version++;
                    peer.isChecked = false;
                    peer.times.suspected = 0;
                    peer.times.awaited = now;
                    if (isSilent) {
                        lost.add(name);
                    }
                } else if (isDue(peer, now)) {
                    messages.add(asking(isBeating(peer, now) ? Kind.BEAT : Kind.PING, name, peer, now));
                }
            } else if (now - peer.times.awaited < SILENCE && now - peer.times.pinged >= TICK) {
                // It may be that only datagrams were lost.
                messages.add(ping(name, peer, now));
            }
        });
        lost.forEach(name -> messages.addAll(warnOf(name)));
        messages.addAll(search(now));
        return messages;
    }

    private void watch(long now) {
        List<Peer> ring = new ArrayList<>();
        peers.values().forEach(peer -> {
            if (peer.isAlive) {
                ring.add(peer);
            } else {
                peer.isWatched = false;
            }
        });
        ring.sort((one, other) -> Long.compareUnsigned(one.distance, other.distance));
        int half = WATCHED / 2;
        for (int place = 0; place < ring.size(); place++) {
            Peer peer = ring.get(place);
            boolean isNext = place < half || place >= ring.size() - half;
            if (isNext && !peer.isWatched) {
                peer.times.awaited = now;
            }
            peer.isWatched = isNext;
        }
    }

    /** One of those that live and are not watched is pinged from now on, until it answers. */
    private void check(long now) {
        List<Peer> others = peers.values().stream()
                .filter(peer -> peer.isAlive && !peer.isWatched)
                .toList();
        if (others.isEmpty() || now - search.lastCheck < SEARCH) {
            return;
        }
        search.lastCheck = now;
        Peer next = others.get(Math.floorMod(search.nextCheck++, others.size()));
        if (!next.isChecked) {
            next.isChecked = true;
            next.times.awaited = now;
        }
    }

    /** For how long an answer is waited for. */
    private static long silence(Peer peer, long now) {
        return now - Math.max(peer.times.answered, peer.times.awaited);
    }

    private static boolean isAwaited(Peer peer) {
        return peer.isWatched || peer.isChecked;
    }

    private long distance(String name) {
        return Rendezvous.rank("", name) - Rendezvous.rank("", self);
    }

    private static boolean isGivenUp(Peer peer, long now) {
        return peer.times.suspected > 0
                && now - peer.times.suspected > SUSPICION
                && peer.times.answered <= peer.times.suspected;
    }

    private static boolean isDue(Peer peer, long now) {
        boolean isUrgent = peer.times.suspected > 0 || (isAwaited(peer) && silence(peer, now) > QUIET);
        boolean isAsked = isUrgent || isAwaited(peer) || !peer.hasHeard();
        return isAsked && now - peer.times.pinged >= (isUrgent ? TICK : PING);
    }

    /** Whether it watches this one, too, and its beats answer. */
    private static boolean isBeating(Peer peer, long now) {
        return peer.isWatched
                && peer.times.suspected == 0
                && peer.hasHeard()
                && now - peer.times.heard <= QUIET
                && now - peer.times.answered <= QUIET;
    }

    private List<Message> warnOf(String lost) {
        return peers.entrySet().stream()
                .filter(peer -> peer.getValue().isAlive)
                .map(peer -> new Message(Kind.SUSPECT, self, peer.getKey(), 0, 0, own.state, lost))
                .toList();
    }

    /** At the beginning all at once, later one after another. */
    private List<Message> search(long now) {
        List<String> away =
                peers.keySet().stream().filter(name -> !peer(name).isAlive).toList();
        if (away.isEmpty() || now - search.last < SEARCH) {
            return List.of();
        }
        search.last = now;
        if (search.isListening(now)) {
            return away.stream().map(name -> ping(name, peer(name), now)).toList();
        }
        String next = away.get(Math.floorMod(search.next++, away.size()));
        return List.of(ping(next, peer(next), now));
    }

    private Peer peer(String name) {
        return Objects.requireNonNull(peers.get(name), name);
    }

    /** Something came that only one with the shared key can have made. */
    List<Message> hear(Message message, long now) {
        Peer from = peers.get(message.from());
        if (from == null || !message.to().equals(self)) {
            return List.of();
        }
        receiveReply(message, from, now);
        return switch (message.kind()) {
            case PING, BEAT -> receivePing(message, from, now);
            case ANSWER -> List.of();
            case SUSPECT -> hearOf(message.suspect(), now);
        };
    }

    /** It proves nothing: somebody may have recorded it. So one that was restarted has to answer first. */
    private List<Message> receivePing(Message question, Peer from, long now) {
        List<Message> messages = new ArrayList<>();
        if (question.kind() == Kind.PING || !from.isAlive || !from.isWatched) {
            messages.add(new Message(Kind.ANSWER, self, question.from(), 0, question.number(), own.state, ""));
        }
        if (!from.isAlive || !from.isSameProcess(question.state().began())) {
            messages.add(ping(question.from(), from, now));
        } else if (question.state().isAfter(from.state())) {
            from.is(question.state());
            version++;
        }
        from.note(question, now);
        return messages;
    }

    /** Whoever answers what was just asked lives now. */
    private void receiveReply(Message answer, Peer from, long now) {
        if (answer.answers() <= from.pings.told || answer.answers() > from.pings.asked) {
            return;
        }
        from.pings.told = answer.answers();
        from.times.answered = now;
        from.times.suspected = 0;
        from.isChecked = false;
        boolean isNew = !from.isAlive;
        from.isAlive = true;
        if (isNew
                || !from.isSameProcess(answer.state().began())
                || answer.state().isAfter(from.state())) {
            from.is(answer.state());
            version++;
        }
    }

    private List<Message> hearOf(String suspect, long now) {
        Peer peer = peers.get(suspect);
        if (peer == null || !peer.isAlive || peer.times.suspected > 0) {
            return List.of();
        }
        peer.times.suspected = now;
        return List.of(ping(suspect, peer, now));
    }

    private Message ping(String to, Peer peer, long now) {
        return asking(Kind.PING, to, peer, now);
    }

    private Message asking(Kind kind, String to, Peer peer, long now) {
        peer.times.pinged = now;
        peer.pings.asked = ++numbers;
        return new Message(kind, self, to, peer.pings.asked, peer.pings.heard, own.state, "");
    }
}
