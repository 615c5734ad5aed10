package dev.berth.controller.service;

import dev.berth.claim.ServiceKey;
import dev.berth.controller.Workers;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Calls providers with a deadline and, for each class, only so many at once: one that hangs takes nobody else's turn.
 * Each call runs on a thread of the platform's own, so that one that spins costs a share of a core, and not the operator.
 *
 * <p>Who finds all places of a class taken is put in line, and notified in its turn; that is no failure. Calls for one Service
 * never overlap. A call that outlives its deadline is given up: its place is another's, but its Service's turn comes when
 * it has returned. As many as may be under way may be given up like that; from then on they keep their places.
 */
final class ProviderGuard implements AutoCloseable {
    /** For how long a place is kept for one who was notified. */
    private static final Duration KEPT = Duration.ofSeconds(30);

    private static final int SERVICES_NAMED = 10;

    private final Predicate<LoadBalancerProvider> needsNoGuard;
    private final int callsAtOnce;
    private final Duration patience;
    private final Duration deadline;
    private final Consumer<String> stuckChanged;
    private final ThreadFactory threads;

    /** By the name of the class, or of the provider for its list. Guarded by this, as is all that is in it. */
    private final SequencedMap<String, Line> lines = new LinkedHashMap<>();

    /** Whose calls are under way, or about to be. Guarded by this. */
    private final Map<ServiceIdentity, Seat> byService = new HashMap<>();

    /** What others are to be notified of, once nothing is locked. */
    private final Queue<Runnable> news = new ConcurrentLinkedQueue<>();

    private final Set<Thread> running = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;

    /** Whether one may call. */
    sealed interface Entry {
        /** It may, once. */
        record In() implements Entry {}

        /** Not yet: it is notified in its turn. */
        record InLine() implements Entry {}

        /** Not until a call returns that has outlived its deadline; the message says which. */
        record Stuck(String message) implements Entry {}
    }

    /**
     * A guard.
     *
     * @param needsNoGuard whose calls need no guard
     * @param callsAtOnce for each class
     * @param patience how long a call waits for its turn that cannot be notified
     * @param deadline for each call
     * @param stuckChanged notified of which class {@link #stuck} says something else now
     */
    ProviderGuard(
            Predicate<LoadBalancerProvider> needsNoGuard,
            int callsAtOnce,
            Duration patience,
            Duration deadline,
            Consumer<String> stuckChanged) {
        this(needsNoGuard, callsAtOnce, patience, deadline, stuckChanged, ownThreads());
    }

    /** A thread for each call, which a provider may block or spin on as long as it likes. */
    static ThreadFactory ownThreads() {
        return Thread.ofPlatform().daemon().name("provider-", 0).factory();
    }

    /** A guard whose calls are made by these threads. */
    ProviderGuard(
            Predicate<LoadBalancerProvider> needsNoGuard,
            int callsAtOnce,
            Duration patience,
            Duration deadline,
            Consumer<String> stuckChanged,
            ThreadFactory threads) {
        this.needsNoGuard = needsNoGuard;
        this.callsAtOnce = callsAtOnce;
        this.patience = patience;
        this.deadline = deadline;
        this.stuckChanged = stuckChanged;
        this.threads = threads;
    }

    /** The calls of one class, or those that list what a provider has. */
    private final class Line {
        private final String className;
        private int seated;
        private final List<Seat> stuck = new ArrayList<>();
        private final SequencedMap<Object, Runnable> waiting = new LinkedHashMap<>();

        /** Who was notified that there is a place, and when. */
        private final Map<Object, Long> promised = new HashMap<>();

        Line(String className) {
            this.className = className;
        }

        private int free() {
            return callsAtOnce - seated - promised.size() - Math.max(0, stuck.size() - callsAtOnce);
        }

        private boolean isStuck() {
            return stuck.size() >= 2 * callsAtOnce;
        }

        private boolean takes(Object who) {
            long now = System.nanoTime();
            promised.values().removeIf(since -> now - since > KEPT.toNanos());
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
                promised.put(first.getKey(), System.nanoTime());
                news.add(first.getValue());
            }
        }

        /** Those in line are to hear that it does not move. */
        private void stuckChanged() {
            news.add(() -> stuckChanged.accept(className));
            if (isStuck()) {
                news.addAll(waiting.values());
            }
        }
    }

    /** A place of a class, and the turn of a Service. Guarded by the guard. */
    private static final class Seat {
        private final Line line;
        private final @Nullable ServiceIdentity service;
        private final SequencedMap<Object, Runnable> waiting = new LinkedHashMap<>();
        private boolean running;
        private boolean stuck;

        Seat(Line line, @Nullable ServiceIdentity service) {
            this.line = line;
            this.service = service;
        }
    }

    /** What one who may have something to ask of providers does about it; to be closed when it is done. */
    final class Visit implements AutoCloseable {
        private final Object who;
        private final Runnable notified;
        private @Nullable Seat seat;
        private @Nullable Line waitsIn;

        private Visit(Object who, Runnable notified) {
            this.who = who;
            this.notified = notified;
        }

        /**
         * Whether it may make one call now. If not, it keeps its place in line as long as each of its visits asks again.
         *
         * @param service whom the call is for; null: no Service
         */
        Entry enter(String className, LoadBalancerProvider provider, @Nullable ServiceIdentity service) {
            if (needsNoGuard.test(provider)) {
                return new Entry.In();
            }
            Entry entry = seat(className, service);
            notifyOthers();
            return entry;
        }

        private Entry seat(String className, @Nullable ServiceIdentity service) {
            synchronized (ProviderGuard.this) {
                Seat mine = seat;
                if (mine != null && mine.line.className.equals(className) && Objects.equals(mine.service, service)) {
                    return new Entry.In();
                }
                leave();
                Seat earlier = service == null ? null : byService.get(service);
                if (earlier != null) {
                    earlier.waiting.put(who, notified);
                    return earlier.stuck
                            ? new Entry.Stuck(
                                    "an earlier call for Service " + service + " has outlived its deadline of "
                                            + deadline.toSeconds()
                                            + " s, and has not returned yet; the next one is made when it has")
                            : new Entry.InLine();
                }
                Line line = lines.computeIfAbsent(className, Line::new);
                if (!line.takes(who)) {
                    line.waiting.putIfAbsent(who, notified);
                    waitsIn = line;
                    return line.isStuck()
                            ? new Entry.Stuck(
                                    "all " + line.stuck.size() + " calls to the provider of LoadBalancerClass \""
                                            + className + "\" have outlived their deadline of " + deadline.toSeconds()
                                            + " s, and have not returned yet; it is asked again when one has")
                            : new Entry.InLine();
                }
                seat = new Seat(line, service);
                if (service != null) {
                    byService.put(service, seat);
                }
                return new Entry.In();
            }
        }

        /** Gives back what it has, but for what an unfinished call keeps. */
        private void leave() {
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

        /** {@code ensureLoadBalancer}; throws as {@link #delete} does. */
        EnsureOutcome ensure(LoadBalancerProvider provider, LoadBalancerRequest request) {
            return call(provider, () -> Answers.of(provider.ensureLoadBalancer(request)));
        }

        /**
         * {@code ensureLoadBalancerDeleted}. As each call, made once for each time that it may.
         *
         * @throws ProviderException if it failed, or took too long
         */
        void delete(LoadBalancerProvider provider, LoadBalancerRequest request) {
            call(provider, () -> {
                provider.ensureLoadBalancerDeleted(request);
                return true;
            });
        }

        /** {@code updateLoadBalancer}; throws as {@link #delete} does. */
        void update(LoadBalancerProvider provider, LoadBalancerRequest request) {
            call(provider, () -> {
                provider.updateLoadBalancer(request);
                return true;
            });
        }

        /** {@code getLoadBalancer}; throws as {@link #delete} does. */
        Optional<LoadBalancerStatus> get(LoadBalancerProvider provider, LoadBalancerRequest request) {
            return call(provider, () -> Answers.of(provider.getLoadBalancer(request)));
        }

        private <T> T call(LoadBalancerProvider provider, Supplier<T> call) {
            if (needsNoGuard.test(provider)) {
                return call.get();
            }
            Seat mine = Objects.requireNonNull(seat, "it may not call");
            try {
                return Workers.aside(() -> made(mine, call));
            } finally {
                synchronized (ProviderGuard.this) {
                    leave();
                }
                notifyOthers();
            }
        }

        /** Nobody visits as this one again: a place in line, kept for the next visit, would be kept from others. */
        private void comesNoMore() {
            synchronized (ProviderGuard.this) {
                waitsIn = null;
            }
        }

        /** Who does not need its place in line any more has left it. */
        @Override
        public void close() {
            synchronized (ProviderGuard.this) {
                leave();
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

    /** For one Service, which is made due in its turn. */
    Visit visit(ServiceKey service, Runnable due) {
        return new Visit(service, due);
    }

    /**
     * {@code ensureLoadBalancerDeleted} for one who cannot be notified of its turn.
     *
     * @return false if its turn did not come in time: nothing was asked, and nothing failed
     * @throws ProviderException if it failed, or took too long
     */
    boolean delete(String className, LoadBalancerProvider provider, LoadBalancerRequest request) {
        return alone(className, provider, request.service(), () -> {
                    provider.ensureLoadBalancerDeleted(request);
                    return true;
                })
                .isPresent();
    }

    /** {@code listLoadBalancers}; absent where {@link #delete} says false, and throws as that does. */
    Optional<List<ListedLoadBalancer>> list(String className, LoadBalancerProvider provider, String clusterName) {
        return alone(className, provider, null, () -> Answers.of(provider.listLoadBalancers(clusterName)));
    }

    private <T> Optional<T> alone(
            String className, LoadBalancerProvider provider, @Nullable ServiceIdentity service, Supplier<T> call) {
        return Workers.aside(() -> inItsTurn(className, provider, service, call));
    }

    private <T> Optional<T> inItsTurn(
            String className, LoadBalancerProvider provider, @Nullable ServiceIdentity service, Supplier<T> call) {
        Semaphore turn = new Semaphore(0);
        long until = System.nanoTime() + patience.toNanos();
        try (Visit visit = new Visit(new Object(), turn::release)) {
            try {
                while (true) {
                    switch (visit.enter(className, provider, service)) {
                        case Entry.In in -> {
                            return Optional.of(visit.call(provider, call));
                        }
                        case Entry.Stuck(String message) -> throw new ProviderException(message);
                        case Entry.InLine inLine -> {
                            if (!turn.tryAcquire(until - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                                return Optional.empty();
                            }
                        }
                    }
                }
            } finally {
                visit.comesNoMore();
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new ProviderException("stopped", null, stopping);
        }
    }

    /** Which calls in these lines have outlived their deadline and not returned, human-readable; absent: none. */
    synchronized Optional<String> stuck(Collection<String> names) {
        List<Seat> stuck = stuckIn(names);
        return stuck.isEmpty()
                ? Optional.empty()
                : Optional.of(stuck.size() + " calls to its provider have outlived their deadline of "
                        + deadline.toSeconds() + " s, and have not returned yet: for "
                        + stuck.stream()
                                .limit(SERVICES_NAMED)
                                .map(seat -> seat.service == null ? "its list" : "Service " + seat.service)
                                .collect(Collectors.joining(", "))
                        + (stuck.size() > SERVICES_NAMED ? " ..." : "")
                        + "; nothing else is asked for these until they do. Correct the provider, and restart Berth if"
                        + " it runs in this process");
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

    private <T> T made(Seat seat, Supplier<T> call) {
        FutureTask<T> answer = new FutureTask<>(() -> {
            try {
                return call.get();
            } catch (Throwable thrown) {
                throw Answers.failure(thrown);
            }
        });
        if (stopped) {
            throw new ProviderException("stopped");
        }
        synchronized (this) {
            seat.running = true;
        }
        try {
            threads.newThread(() -> run(seat, answer)).start();
        } catch (OutOfMemoryError noThread) {
            returned(seat);
            throw new ProviderException("there is no thread left to call its provider", null, noThread);
        }
        return answered(answer, seat);
    }

    private void run(Seat seat, FutureTask<?> answer) {
        running.add(Thread.currentThread());
        try {
            // One that was given up before its thread had begun is not made.
            answer.run();
        } finally {
            running.remove(Thread.currentThread());
            returned(seat);
        }
    }

    private void returned(Seat seat) {
        synchronized (this) {
            seat.running = false;
            if (seat.stuck) {
                seat.stuck = false;
                seat.line.stuck.remove(seat);
                end(seat);
                seat.line.stuckChanged();
                seat.line.next();
            }
        }
        notifyOthers();
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

    private <T> T answered(FutureTask<T> answer, Seat seat) {
        try {
            T result = answer.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
            synchronized (this) {
                // Its thread is about to say so, too.
                seat.running = false;
            }
            return result;
        } catch (TimeoutException late) {
            answer.cancel(true);
            throw new ProviderException("no answer within " + deadline.toSeconds() + " s", null, late);
        } catch (ExecutionException failed) {
            synchronized (this) {
                seat.running = false;
            }
            throw failed.getCause() instanceof ProviderException known
                    ? known
                    : Answers.failure(Objects.requireNonNullElse(failed.getCause(), failed));
        } catch (InterruptedException stopping) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new ProviderException("stopped", null, stopping);
        }
    }

    @Override
    public void close() {
        stopped = true;
        running.forEach(Thread::interrupt);
    }
}
