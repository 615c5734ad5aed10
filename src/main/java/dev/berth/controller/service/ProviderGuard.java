package dev.berth.controller.service;

import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls providers with a deadline and, for each class, only so many at once: one that hangs takes nobody
 * else's turn. Calls for one Service never overlap. A call that outlives its deadline keeps its place, and its
 * Service's turn, until it returns.
 */
final class ProviderGuard implements AutoCloseable {
    private static final Duration BUSY = Duration.ofSeconds(1);

    private final Predicate<LoadBalancerProvider> isSure;
    private final int callsAtOnce;
    private final Duration patience;
    private final Duration deadline;
    private final ConcurrentMap<String, Semaphore> byClass = new ConcurrentHashMap<>();

    /** The calls under way, by the Service that they are for. */
    private final ConcurrentMap<ServiceIdentity, CountDownLatch> byService = new ConcurrentHashMap<>();

    private final ExecutorService threads;

    /**
     * A guard.
     *
     * @param isSure whose calls need no guard
     * @param callsAtOnce for each class
     * @param patience how long a call waits for its turn
     * @param deadline for each call
     */
    ProviderGuard(Predicate<LoadBalancerProvider> isSure, int callsAtOnce, Duration patience, Duration deadline) {
        this(isSure, callsAtOnce, patience, deadline, Thread.ofVirtual().factory());
    }

    /** A guard whose calls are made by these threads. */
    ProviderGuard(
            Predicate<LoadBalancerProvider> isSure,
            int callsAtOnce,
            Duration patience,
            Duration deadline,
            ThreadFactory threads) {
        this.isSure = isSure;
        this.callsAtOnce = callsAtOnce;
        this.patience = patience;
        this.deadline = deadline;
        this.threads = Executors.newThreadPerTaskExecutor(threads);
    }

    /** {@code ensureLoadBalancer}; Pending if the class has too many calls under way, or the Service has one. */
    EnsureOutcome ensure(String className, LoadBalancerProvider provider, LoadBalancerRequest request) {
        try {
            return guarded(
                    className, provider, request.service(), () -> Answers.of(provider.ensureLoadBalancer(request)));
        } catch (Busy busy) {
            return new EnsureOutcome.Pending(BUSY, busy.message());
        }
    }

    /**
     * {@code ensureLoadBalancerDeleted}.
     *
     * @throws ProviderException if it failed, took too long, the class has too many calls under way, or the Service
     *     has one
     */
    void delete(String className, LoadBalancerProvider provider, LoadBalancerRequest request) {
        call(className, provider, request.service(), () -> {
            provider.ensureLoadBalancerDeleted(request);
            return true;
        });
    }

    /** {@code updateLoadBalancer}; throws as {@link #delete} does. */
    void update(String className, LoadBalancerProvider provider, LoadBalancerRequest request) {
        call(className, provider, request.service(), () -> {
            provider.updateLoadBalancer(request);
            return true;
        });
    }

    /** {@code getLoadBalancer}; throws as {@link #delete} does. */
    Optional<LoadBalancerStatus> get(String className, LoadBalancerProvider provider, LoadBalancerRequest request) {
        return call(className, provider, request.service(), () -> Answers.of(provider.getLoadBalancer(request)));
    }

    /** {@code listLoadBalancers}; throws as {@link #delete} does. */
    List<ListedLoadBalancer> list(String className, LoadBalancerProvider provider, String clusterName) {
        return call(className, provider, null, () -> Answers.of(provider.listLoadBalancers(clusterName)));
    }

    /** For calls that cannot be put off: being busy is a failure. */
    private <T> T call(
            String className, LoadBalancerProvider provider, @Nullable ServiceIdentity service, Supplier<T> call) {
        try {
            return guarded(className, provider, service, call);
        } catch (Busy busy) {
            throw new ProviderException(busy.message(), BUSY, null);
        }
    }

    /** All places of a class are taken, or a call for the same Service is under way. */
    private static final class Busy extends Exception {
        private static final long serialVersionUID = 1;

        Busy(String message) {
            super(message);
        }

        String message() {
            return String.valueOf(getMessage());
        }
    }

    /**
     * Makes a call when it is its turn.
     *
     * @param service whom it is for; null: no Service
     */
    private <T> T guarded(
            String className, LoadBalancerProvider provider, @Nullable ServiceIdentity service, Supplier<T> call)
            throws Busy {
        if (isSure.test(provider)) {
            return call.get();
        }
        Runnable turn = service == null ? () -> {} : turn(service);
        Runnable place;
        try {
            place = place(className);
        } catch (Busy busy) {
            turn.run();
            throw busy;
        }
        AtomicBoolean isGivenBack = new AtomicBoolean();
        Runnable givingBack = () -> {
            if (isGivenBack.compareAndSet(false, true)) {
                place.run();
                turn.run();
            }
        };
        FutureTask<T> answer = new FutureTask<>(() -> {
            try {
                return call.get();
            } catch (Throwable thrown) {
                throw Answers.failure(thrown);
            } finally {
                givingBack.run();
            }
        });
        try {
            threads.execute(() -> {
                answer.run();
                // One that was given up before its thread had begun was not made.
                givingBack.run();
            });
        } catch (RejectedExecutionException stopping) {
            givingBack.run();
            throw new ProviderException("stopped", null, stopping);
        }
        return answered(answer);
    }

    private <T> T answered(FutureTask<T> answer) {
        try {
            return answer.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            answer.cancel(true);
            throw new ProviderException("no answer within " + deadline.toSeconds() + " s", null, late);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof ProviderException told) {
                throw told;
            }
            throw new ProviderException("the provider failed: " + failed.getCause(), null, failed.getCause());
        } catch (InterruptedException stopping) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new ProviderException("stopped", null, stopping);
        }
    }

    /** Takes a Service's turn; what it returns gives it back. */
    private Runnable turn(ServiceIdentity service) throws Busy {
        CountDownLatch mine = new CountDownLatch(1);
        long until = System.nanoTime() + patience.toNanos();
        for (CountDownLatch earlier; (earlier = byService.putIfAbsent(service, mine)) != null; ) {
            if (!hasEnded(earlier, until - System.nanoTime())) {
                throw new Busy("an earlier call for Service " + service
                        + " has not returned yet; the next one is made when it has");
            }
        }
        return () -> {
            byService.remove(service, mine);
            mine.countDown();
        };
    }

    /** Takes one of the places of a class; what it returns gives it back. */
    private Runnable place(String className) throws Busy {
        Semaphore places = byClass.computeIfAbsent(className, name -> new Semaphore(callsAtOnce));
        if (!hasTurn(places)) {
            throw new Busy("LoadBalancerClass \"" + className + "\" has " + callsAtOnce + " calls under way");
        }
        return places::release;
    }

    /** Waiting costs a virtual thread nothing, and nobody but Services of the same class. */
    private boolean hasTurn(Semaphore places) {
        try {
            return places.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static boolean hasEnded(CountDownLatch call, long nanos) {
        try {
            return call.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
