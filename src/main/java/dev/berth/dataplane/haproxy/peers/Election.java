package dev.berth.dataplane.haproxy.peers;

import dev.berth.announce.Rendezvous;
import java.util.Collection;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Which addresses a host binds, going by what it has heard from the others. A value: who hears something gets the next
 * one. Pure; times are milliseconds of this host's steady clock.
 *
 * <p>Who has an address keeps it, also when a host comes back that would have been chosen: each move ends connections.
 * An address that nobody has goes to the host whose {@link Rendezvous#rank} is the highest for it, of those that can
 * carry it. If two have it, as after a network that was split, the lower one releases it.
 *
 * @param self the identity of this host
 * @param run of its process
 * @param others how many other hosts there are
 * @param began since when it listens
 * @param heard the last that each of the others said, by {@link Beat#who}
 */
public record Election(String self, String run, int others, long began, SequencedMap<String, Heard> heard) {
    /** How long a host keeps an address without binding it again: its kernel takes it off then, whatever hangs there. */
    public static final int LEASE_SECONDS = 2;

    /**
     * After how long without a message a host has no address any more. The kernel is late by half a second or so, and what a
     * host bound last may be later than its last word.
     */
    public static final long SILENCE = 3_500;

    /** The pause between two beats. */
    public static final long BEAT = 500;

    /** For how long the host itself may have stood still before what it heard is too old to go by. */
    static final long PAUSE = 1_500;

    /**
     * What a host said, and when it was heard.
     *
     * @param place where it is called; empty: it has called only
     */
    record Heard(Beat beat, String place, long at) {}

    /** What this host does with an address. */
    enum Step {
        /** Stays bound. */
        KEEP,
        /** Is taken off. */
        RELEASE,
        /** Is bound. */
        BIND,
        /** Is left to others. */
        LEAVE
    }

    /**
     * What this host does now.
     *
     * @param bound addresses that are bound from now on; those that were before are bound again
     * @param released addresses that are taken off
     * @param contested those among {@code bound} that another has at the same time, and will release
     */
    public record Round(SequencedSet<String> bound, SequencedSet<String> released, SequencedSet<String> contested) {}

    /** That has heard nothing yet. */
    public static Election begin(String self, String run, int others, long now) {
        return new Election(self, run, others, now, new TreeMap<>());
    }

    /**
     * With a beat. One that was overtaken on its way by another of the same host changes nothing.
     *
     * @param place where that host is called; empty: it has called
     */
    public Election hears(Beat beat, String place, long now) {
        Heard before = heard.get(beat.who());
        if (isOwn(beat) || (before != null && !beat.follows(before.beat()))) {
            return this;
        }
        SequencedMap<String, Heard> next = new TreeMap<>(heard);
        next.put(beat.who(), new Heard(beat, place.isEmpty() && before != null ? before.place() : place, now));
        // One that got another identity, was started again, or is not a peer any more.
        next.values().removeIf(one -> now - one.at() > 100 * SILENCE);
        return new Election(self, run, others, began, next);
    }

    private boolean isOwn(Beat beat) {
        return beat.host().equals(self) && beat.run().equals(run);
    }

    /** Whether another host has said it, with the identity of this one. */
    public boolean isOfAClone(Beat beat) {
        return beat.host().equals(self) && !isOwn(beat);
    }

    /**
     * As it goes on at {@code now}, having looked last at {@code before}: who stood still in between has lost its
     * addresses, and begins again.
     */
    public Election continues(long before, long now) {
        return now - before > PAUSE ? begin(self, run, others, now) : this;
    }

    /** Whether it knows of all others what they have: each has spoken, or would have released by now. */
    boolean isSettled(long now) {
        return now - began >= SILENCE || answering(now) >= others;
    }

    /** Not by identity: one that has got another would count twice. */
    private long answering(long now) {
        return fresh(now)
                .map(Heard::place)
                .filter(place -> !place.isEmpty())
                .distinct()
                .count();
    }

    /** Whether another that is alive has it. */
    public boolean isHeldByAnother(String address, long now) {
        return live(now).anyMatch(other -> other.holds(address));
    }

    /** Whether another that is alive would bind it if this host released it. */
    public boolean hasSuccessor(String address, long now) {
        return live(now).anyMatch(other -> other.wouldBind(address));
    }

    /**
     * Decides on all addresses.
     *
     * @param able whether this host can carry traffic
     * @param served addresses of its load balancers
     * @param held addresses that are bound on it
     */
    public Round round(boolean able, Collection<String> served, Collection<String> held, long now) {
        Beat own = beat(able, served, held, now);
        SequencedSet<String> bound = new TreeSet<>();
        SequencedSet<String> released = new TreeSet<>();
        SequencedSet<String> contested = new TreeSet<>();
        Stream.concat(served.stream(), held.stream()).distinct().forEach(address -> {
            switch (step(own, address, now)) {
                case KEEP, BIND -> bound.add(address);
                case RELEASE -> released.add(address);
                case LEAVE -> {}
            }
            if (bound.contains(address) && isHeldByAnother(address, now)) {
                contested.add(address);
            }
        });
        return new Round(bound, released, contested);
    }

    /** What this host tells the others. */
    public Beat beat(boolean able, Collection<String> served, Collection<String> held, long now) {
        return new Beat(self, run, 0, able && isSettled(now), new TreeSet<>(served), new TreeSet<>(held));
    }

    private Step step(Beat own, String address, long now) {
        boolean isServed = own.served().contains(address);
        if (own.holds(address)) {
            boolean goes = !isServed
                    || live(now).anyMatch(other -> other.holds(address) && yields(own, other, address))
                    || (!own.able() && isSettled(now) && hasSuccessor(address, now));
            return goes ? Step.RELEASE : Step.KEEP;
        }
        boolean comes = own.wouldBind(address)
                && !isHeldByAnother(address, now)
                && live(now).noneMatch(other -> other.wouldBind(address) && outranks(address, other, own));
        return comes ? Step.BIND : Step.LEAVE;
    }

    /** Of two that have an address, whether the first releases it. */
    private static boolean yields(Beat one, Beat other, String address) {
        return one.able() == other.able() ? outranks(address, other, one) : other.able();
    }

    private Stream<Beat> live(long now) {
        return fresh(now).map(Heard::beat);
    }

    private Stream<Heard> fresh(long now) {
        return heard.values().stream().filter(one -> now - one.at() < SILENCE);
    }

    /** Whether the first host comes before the second for an address; the same on every host. */
    private static boolean outranks(String address, Beat first, Beat second) {
        return first.host().equals(second.host())
                ? first.run().compareTo(second.run()) > 0
                : Rendezvous.outranks(address, first.host(), second.host());
    }
}
