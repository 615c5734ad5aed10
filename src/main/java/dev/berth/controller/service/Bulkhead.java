package dev.berth.controller.service;

import dev.berth.controller.Workers;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.SequencedMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Who may call a provider: in each line only so many at once, and for each Service one.
 *
 * <p>Who finds all places taken is put in line, and notified in its turn; that is no failure. Calls for one Service
 * never overlap. A call that outlives its deadline is given up: its place is another's, but its Service's turn comes when
 * it has returned. As many as may be under way may be given up like that; from then on they keep their places. Where the
 * provider has a limit of its own, they keep them at once: it would have more calls than it takes.
 */
final class Bulkhead {
    /** For how long a place is kept for one who was notified. */
    private static final Duration KEPT = Duration.ofSeconds(30);

    private static final int SERVICES_NAMED = 10;

    private final int callsAtOnce;
    private final Duration deadline;
    private final InstantSource steady;
    private final Consumer<String> stuckChanged;

    /** By their names. Guarded by this, as is all that is in it. */
    private final SequencedMap<String, Line> lines = new LinkedHashMap<>();

    /** Whose calls are under way, or about to be. Guarded by this. */
    private final Map<ServiceIdentity, Seat> byService = new HashMap<>();

    /** What others are to be notified of, once nothing is locked. */
    private final Queue<Runnable> news = new ConcurrentLinkedQueue<>();

    /** Whether one may call. */
    sealed interface Entry {
        /** It may, once. */
        record In() implements Entry {}

        /** Not yet: it is notified in its turn. */
        record InLine() implements Entry {}

        /** Not until a call returns that exceeded its deadline; the message says which. */
        record Stuck(String message) implements Entry {}
    }

    /**
     * One with all places free.
     *
     * @param callsAtOnce in each line, where the provider has no limit of its own
     * @param deadline of each call, for messages
     * @param steady how time passes, for who was notified and does not come
     * @param stuckChanged notified of which line {@link #stuck} says something else now
     */
    Bulkhead(int callsAtOnce, Duration deadline, InstantSource steady, Consumer<String> stuckChanged) {
        this.callsAtOnce = callsAtOnce;
        this.deadline = deadline;
        this.steady = steady;
        this.stuckChanged = stuckChanged;
    }

    /** The calls in one line. */
    private final class Line {
        private final String name;

        /** Of the provider's own; it may have another after it has been restarted. */
        private OptionalInt limit = OptionalInt.empty();

        private int seated;
        private final List<Seat> stuck = new ArrayList<>();
        private final SequencedMap<Object, Runnable> waiting = new LinkedHashMap<>();

        /** Who was notified that there is a place, and when. */
        private final Map<Object, Instant> promised = new HashMap<>();

        Line(String name) {
            this.name = name;
        }

        private int free() {
            return limit.orElse(callsAtOnce) - seated - promised.size() - Math.max(0, stuck.size() - givenUpForFree());
        }

        private boolean isStuck() {
            return stuck.size() >= limit.orElse(callsAtOnce) + givenUpForFree();
        }

        /** How many calls that were given up, and have not returned, take no place. */
        private int givenUpForFree() {
            return limit.isPresent() ? 0 : callsAtOnce;
        }

        private boolean takes(Object who) {
            Instant kept = steady.instant().minus(KEPT);
            promised.values().removeIf(since -> since.isBefore(kept));
            next();
            if (promised.remove(who) == null && free() <= 0) {
                return false;
            }
            waiting.remove(who);
            seated++;
            return true;
        }

        private void next() {
            while (free() > 0 && !waiting.isEmpty()) {
                Map.Entry<Object, Runnable> first = waiting.pollFirstEntry();
                promised.put(first.getKey(), steady.instant());
                news.add(first.getValue());
            }
        }

        /** Those in line are to hear that it does not move. */
        private void stuckChanged() {
            news.add(() -> stuckChanged.accept(name));
            if (isStuck()) {
                news.addAll(waiting.values());
            }
        }
    }

    /** A place in a line, and the turn of a Service. Guarded by the bulkhead. */
    final class Seat {
        private final Line line;
        private final @Nullable ServiceIdentity service;
        private final SequencedMap<Object, Runnable> waiting = new LinkedHashMap<>();
        private boolean running;
        private boolean stuck;

        private Seat(Line line, @Nullable ServiceIdentity service) {
            this.line = line;
            this.service = service;
        }

        /** A call has begun. */
        void began() {
            synchronized (Bulkhead.this) {
                running = true;
            }
        }

        /** It was answered in time. */
        void answered() {
            synchronized (Bulkhead.this) {
                running = false;
            }
        }

        /** It has returned, whoever waits for it still. */
        void returned() {
            synchronized (Bulkhead.this) {
                running = false;
                if (stuck) {
                    stuck = false;
                    line.stuck.remove(this);
                    end(this);
                    line.stuckChanged();
                    line.next();
                }
            }
            notifyOthers();
        }
    }

    /** One who may have calls to make, one after the other; to be closed when they are made. */
    final class Caller implements AutoCloseable {
        private final Object who;
        private final Runnable notified;
        private @Nullable Seat seat;
        private @Nullable Line waitsIn;

        private Caller(Object who, Runnable notified) {
            this.who = who;
            this.notified = notified;
        }

        /**
         * Whether it may make one call now.
         *
         * @param service whom the call is for; null: no Service
         */
        Entry enter(CallLine where, @Nullable ServiceIdentity service) {
            Entry entry = entered(where, service);
            notifyOthers();
            return entry;
        }

        private Entry entered(CallLine where, @Nullable ServiceIdentity service) {
            synchronized (Bulkhead.this) {
                Seat mine = seat;
                if (mine != null && mine.line.name.equals(where.name()) && Objects.equals(mine.service, service)) {
                    return new Entry.In();
                }
                giveBack();
                Seat earlier = service == null ? null : byService.get(service);
                if (earlier != null) {
                    earlier.waiting.put(who, notified);
                    return earlier.stuck
                            ? new Entry.Stuck("an earlier call for Service " + service + " exceeded its deadline of "
                                    + deadline.toSeconds() + " s and has not returned; the next call"
                                    + " waits for it")
                            : new Entry.InLine();
                }
                Line line = lines.computeIfAbsent(where.name(), Line::new);
                line.limit = where.limit();
                if (!line.takes(who)) {
                    line.waiting.putIfAbsent(who, notified);
                    waitsIn = line;
                    return line.isStuck()
                            ? new Entry.Stuck("all " + line.stuck.size() + " calls to " + where.called()
                                    + " exceeded their deadline of " + deadline.toSeconds()
                                    + " s and have not returned; the next call waits for one of them")
                            : new Entry.InLine();
                }
                seat = new Seat(line, service);
                if (service != null) {
                    byService.put(service, seat);
                }
                return new Entry.In();
            }
        }

        /** What it has since it may call. */
        Seat seat() {
            return Objects.requireNonNull(seat, "it may not call");
        }

        /** Its call is over, or given up. */
        void leave() {
            synchronized (Bulkhead.this) {
                giveBack();
            }
            notifyOthers();
        }

        /** Gives back what it has, but for what an unfinished call keeps. */
        private void giveBack() {
            Seat mine = seat;
            seat = null;
            if (mine != null) {
                mine.line.seated--;
                if (mine.running) {
                    mine.stuck = true;
                    mine.line.stuck.add(mine);
                    news.addAll(mine.waiting.values());
                    mine.line.stuckChanged();
                } else {
                    end(mine);
                }
                mine.line.next();
            }
        }

        /** Nobody calls as this one again: a place in line, kept for the next caller, would be kept from others. */
        void comesNoMore() {
            synchronized (Bulkhead.this) {
                waitsIn = null;
            }
        }

        /** Who does not need its place in line any more has left it. */
        @Override
        public void close() {
            synchronized (Bulkhead.this) {
                giveBack();
                for (Line line : lines.values()) {
                    boolean isGiven = line.promised.remove(who) != null;
                    boolean isLeft = line != waitsIn && line.waiting.remove(who) != null;
                    if (isGiven || isLeft) {
                        line.next();
                    }
                }
            }
            notifyOthers();
        }
    }

    /**
     * One without a place.
     *
     * @param who keeps the place in line from one caller to the next of the same
     * @param notified of its turn
     */
    Caller caller(Object who, Runnable notified) {
        return new Caller(who, notified);
    }

    /** Which calls in these lines exceeded their deadline and have not returned, human-readable; absent: none. */
    synchronized Optional<String> stuck(Collection<String> names) {
        List<Seat> stuck = stuckIn(names);
        return stuck.isEmpty()
                ? Optional.empty()
                : Optional.of(stuck.size() + " calls to its provider exceeded their deadline of "
                        + deadline.toSeconds() + " s and have not returned: for "
                        + stuck.stream()
                                .limit(SERVICES_NAMED)
                                .map(seat -> seat.service == null ? "its list" : "Service " + seat.service)
                                .collect(Collectors.joining(", "))
                        + (stuck.size() > SERVICES_NAMED ? " ..." : "")
                        + "; no other call is made for these until they do. Correct the provider, and restart Berth"
                        + " if it runs in this process");
    }

    /** How many they are. */
    synchronized int stuckCalls(Collection<String> names) {
        return stuckIn(names).size();
    }

    private List<Seat> stuckIn(Collection<String> names) {
        return names.stream()
                .flatMap(name -> Optional.ofNullable(lines.get(name)).stream())
                .flatMap(line -> line.stuck.stream())
                .toList();
    }

    /** The next call for its Service may be made. */
    private void end(Seat seat) {
        if (seat.service != null) {
            byService.remove(seat.service, seat);
        }
        news.addAll(seat.waiting.values());
    }

    /** A place is kept for who is notified: it must not wait for all those that are due, and may find none. */
    private void notifyOthers() {
        for (Runnable next; (next = news.poll()) != null; ) {
            Workers.ahead(next);
        }
    }
}
