package dev.berth.controller.service;

import dev.berth.claim.ServiceKey;
import dev.berth.controller.Workers;
import dev.berth.controller.service.Bulkhead.Entry;
import dev.berth.controller.service.Bulkhead.Seat;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls providers with a deadline and, in each {@link CallLine}, only so many at once: one that hangs takes nobody else's turn.
 * Each call runs on a thread of the platform's own, so that one that spins costs a share of a core, and not the operator.
 *
 * <p>A call that outlives its deadline is given up, and goes on until it returns. {@link Bulkhead} says who may call.
 */
final class ProviderGuard implements AutoCloseable {
    private final Predicate<LoadBalancerProvider> needsNoGuard;
    private final Bulkhead bulkhead;
    private final Duration patience;
    private final Duration deadline;
    private final ThreadFactory threads;

    private final Set<Thread> running = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;

    /**
     * A guard.
     *
     * @param needsNoGuard whose calls need no guard
     * @param callsAtOnce in each line, where the provider has no limit of its own
     * @param patience how long a caller that cannot be notified waits for its turn
     * @param deadline for each call
     * @param stuckChanged notified of which line {@link #stuck} says something else now
     */
    ProviderGuard(
            Predicate<LoadBalancerProvider> needsNoGuard,
            int callsAtOnce,
            Duration patience,
            Duration deadline,
            Consumer<String> stuckChanged) {
        this(
                needsNoGuard,
                new CallLimits(callsAtOnce, patience, deadline, ownThreads()),
                InstantSource.system(),
                stuckChanged);
    }

    /** A thread for each call, which a provider may block or spin on as long as it likes. */
    static ThreadFactory ownThreads() {
        return Thread.ofPlatform().daemon().name("provider-", 0).factory();
    }

    /** The same, by these limits and this clock, which nobody sets. */
    ProviderGuard(
            Predicate<LoadBalancerProvider> needsNoGuard,
            CallLimits limits,
            InstantSource steady,
            Consumer<String> stuckChanged) {
        this.needsNoGuard = needsNoGuard;
        this.bulkhead = new Bulkhead(limits.atOnce(), limits.deadline(), steady, stuckChanged);
        this.patience = limits.patience();
        this.deadline = limits.deadline();
        this.threads = limits.threads();
    }

    /** What one who may have something to ask of providers does about it; to be closed when it is done. */
    final class Visit implements AutoCloseable {
        private final Bulkhead.Caller caller;

        private Visit(Bulkhead.Caller caller) {
            this.caller = caller;
        }

        /**
         * Whether it may make one call now. If not, it keeps its place in line as long as each of its visits asks again.
         *
         * @param service whom the call is for; null: no Service
         */
        Entry enter(CallLine line, LoadBalancerProvider provider, @Nullable ServiceIdentity service) {
            return needsNoGuard.test(provider) ? new Entry.In() : caller.enter(line, service);
        }

        /** {@code ensureLoadBalancer}; {@code first} and what it throws as {@link #delete} has it. */
        EnsureOutcome ensure(LoadBalancerProvider provider, LoadBalancerRequest request, Runnable first) {
            return call(provider, () -> {
                first.run();
                return ProviderResponses.of(provider.ensureLoadBalancer(request));
            });
        }

        /**
         * {@code ensureLoadBalancerDeleted}. As each call, made once for each time that it may.
         *
         * @param first what else is asked of the provider, in the same turn and before the same deadline; throws nothing
         * @throws ProviderException if it failed, or took too long
         */
        void delete(LoadBalancerProvider provider, LoadBalancerRequest request, Runnable first) {
            call(provider, () -> {
                first.run();
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
            return call(provider, () -> ProviderResponses.of(provider.getLoadBalancer(request)));
        }

        private <T> T call(LoadBalancerProvider provider, Supplier<T> call) {
            if (needsNoGuard.test(provider)) {
                return call.get();
            }
            Seat mine = caller.seat();
            try {
                return Workers.aside(() -> made(mine, call));
            } finally {
                caller.leave();
            }
        }

        /** Who does not need its place in line any more has left it. */
        @Override
        public void close() {
            caller.close();
        }
    }

    /** For one Service, which is made due in its turn. */
    Visit visit(ServiceKey service, Runnable due) {
        return new Visit(bulkhead.caller(service, due));
    }

    /**
     * {@code ensureLoadBalancerDeleted} for one who cannot be notified of its turn.
     *
     * @return false if its turn did not come in time: nothing was asked, and nothing failed
     * @throws ProviderException if it failed, or took too long
     */
    boolean delete(CallLine line, LoadBalancerProvider provider, LoadBalancerRequest request) {
        return alone(line, provider, request.service(), () -> {
                    provider.ensureLoadBalancerDeleted(request);
                    return true;
                })
                .isPresent();
    }

    /** {@code listLoadBalancers}; absent where {@link #delete} says false, and throws as that does. */
    Optional<List<ListedLoadBalancer>> list(CallLine line, LoadBalancerProvider provider, String clusterName) {
        return alone(line, provider, null, () -> ProviderResponses.of(provider.listLoadBalancers(clusterName)));
    }

    private <T> Optional<T> alone(
            CallLine line, LoadBalancerProvider provider, @Nullable ServiceIdentity service, Supplier<T> call) {
        return Workers.aside(() -> inItsTurn(line, provider, service, call));
    }

    private <T> Optional<T> inItsTurn(
            CallLine line, LoadBalancerProvider provider, @Nullable ServiceIdentity service, Supplier<T> call) {
        Semaphore turn = new Semaphore(0);
        long until = System.nanoTime() + patience.toNanos();
        try (Visit visit = new Visit(bulkhead.caller(new Object(), turn::release))) {
            try {
                while (true) {
                    switch (visit.enter(line, provider, service)) {
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
                visit.caller.comesNoMore();
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new ProviderException("stopped", stopping);
        }
    }

    /** Which calls in these lines exceeded their deadline and have not returned, human-readable; absent: none. */
    Optional<String> stuck(Collection<String> names) {
        return bulkhead.stuck(names);
    }

    /** How many they are. */
    int stuckCalls(Collection<String> names) {
        return bulkhead.stuckCalls(names);
    }

    private <T> T made(Seat seat, Supplier<T> call) {
        FutureTask<T> answer = new FutureTask<>(() -> {
            try {
                return call.get();
            } catch (Throwable thrown) {
                throw ProviderResponses.failure(thrown);
            }
        });
        if (stopped) {
            throw new ProviderException("stopped");
        }
        seat.began();
        try {
            threads.newThread(() -> run(seat, answer)).start();
        } catch (OutOfMemoryError noThread) {
            seat.returned();
            throw new ProviderException("there is no thread left to call its provider", noThread);
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
            seat.returned();
        }
    }

    private <T> T answered(FutureTask<T> answer, Seat seat) {
        try {
            T result = answer.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
            // Its thread is about to say so, too.
            seat.answered();
            return result;
        } catch (TimeoutException late) {
            answer.cancel(true);
            throw new ProviderException("no answer within " + deadline.toSeconds() + " s", late);
        } catch (ExecutionException failed) {
            seat.answered();
            throw failed.getCause() instanceof ProviderException known
                    ? known
                    : ProviderResponses.failure(Objects.requireNonNullElse(failed.getCause(), failed));
        } catch (InterruptedException stopping) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new ProviderException("stopped", stopping);
        }
    }

    @Override
    public void close() {
        stopped = true;
        running.forEach(Thread::interrupt);
    }
}
