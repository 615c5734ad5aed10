package dev.berth.controller.service;

import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Calls providers with a deadline and, for each class, only so many at once: one that hangs takes nobody
 * else's turn. A call that outlives its deadline keeps its place until it returns.
 */
final class ProviderGuard implements AutoCloseable {
    private static final Duration BUSY = Duration.ofSeconds(1);

    private final int callsAtOnce;
    private final Duration patience;
    private final Duration deadline;
    private final ConcurrentMap<String, Semaphore> byClass = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /**
     * A guard.
     *
     * @param callsAtOnce for each class
     * @param patience how long a call waits for its turn
     * @param deadline for each call
     */
    ProviderGuard(int callsAtOnce, Duration patience, Duration deadline) {
        this.callsAtOnce = callsAtOnce;
        this.patience = patience;
        this.deadline = deadline;
    }

    /** {@code ensureLoadBalancer}; Pending if the class has too many calls under way. */
    EnsureOutcome ensure(String className, LoadBalancerProvider provider, LoadBalancerRequest request) {
        try {
            return guarded(className, provider, () -> provider.ensureLoadBalancer(request));
        } catch (Busy busy) {
            return new EnsureOutcome.Pending(BUSY, busy.message());
        }
    }

    /**
     * {@code ensureLoadBalancerDeleted}.
     *
     * @throws ProviderException if it failed, took too long, or the class has too many calls under way
     */
    void delete(String className, LoadBalancerProvider provider, LoadBalancerRequest request) {
        call(className, provider, () -> {
            provider.ensureLoadBalancerDeleted(request);
            return true;
        });
    }

    /** {@code updateLoadBalancer}; throws as {@link #delete} does. */
    void update(String className, LoadBalancerProvider provider, LoadBalancerRequest request) {
        call(className, provider, () -> {
            provider.updateLoadBalancer(request);
            return true;
        });
    }

    /** {@code getLoadBalancer}; throws as {@link #delete} does. */
    Optional<LoadBalancerStatus> get(String className, LoadBalancerProvider provider, LoadBalancerRequest request) {
        return call(className, provider, () -> provider.getLoadBalancer(request));
    }

    /** {@code listLoadBalancers}; throws as {@link #delete} does. */
    List<ListedLoadBalancer> list(String className, LoadBalancerProvider provider, String clusterName) {
        return call(className, provider, () -> provider.listLoadBalancers(clusterName));
    }

    /** For calls that cannot be put off: being busy is a failure. */
    private <T> T call(String className, LoadBalancerProvider provider, Supplier<T> call) {
        try {
            return guarded(className, provider, call);
        } catch (Busy busy) {
            throw new ProviderException(busy.message(), BUSY, null);
        }
    }

    /** All places of a class are taken. */
    private static final class Busy extends Exception {
        private static final long serialVersionUID = 1;

        Busy(String message) {
            super(message);
        }

        String message() {
            return String.valueOf(getMessage());
        }
    }

    private <T> T guarded(String className, LoadBalancerProvider provider, Supplier<T> call) throws Busy {
        if (provider.capabilities().immediate()) {
            return call.get();
        }
        Semaphore places = byClass.computeIfAbsent(className, name -> new Semaphore(callsAtOnce));
        if (!hasTurn(places)) {
            throw new Busy("LoadBalancerClass \"" + className + "\" has " + callsAtOnce + " calls under way");
        }
        Future<T> answer = threads.submit(() -> {
            try {
                return call.get();
            } finally {
                places.release();
            }
        });
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
            Thread.currentThread().interrupt();
            throw new ProviderException("stopped", null, stopping);
        }
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

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
