package dev.berth.controller.service;

import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ProviderException;
import java.time.Duration;
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
    private final Duration deadline;
    private final ConcurrentMap<String, Semaphore> byClass = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /**
     * A guard.
     *
     * @param callsAtOnce for each class
     * @param deadline for each call
     */
    ProviderGuard(int callsAtOnce, Duration deadline) {
        this.callsAtOnce = callsAtOnce;
        this.deadline = deadline;
    }

    /** {@code ensureLoadBalancer}; Pending if the class has too many calls under way. */
    EnsureOutcome ensure(String className, LoadBalancerProvider provider, LoadBalancerRequest request) {
        return guarded(className, provider, () -> provider.ensureLoadBalancer(request));
    }

    /**
     * {@code ensureLoadBalancerDeleted}.
     *
     * @throws ProviderException if it failed, took too long, or the class has too many calls under way
     */
    void delete(String className, LoadBalancerProvider provider, LoadBalancerRequest request) {
        call(className, provider, () -> provider.ensureLoadBalancerDeleted(request));
    }

    /**
     * {@code updateLoadBalancer}.
     *
     * @throws ProviderException if it failed, took too long, or the class has too many calls under way
     */
    void update(String className, LoadBalancerProvider provider, LoadBalancerRequest request) {
        call(className, provider, () -> provider.updateLoadBalancer(request));
    }

    /** A call without an outcome: being busy is a failure. */
    private void call(String className, LoadBalancerProvider provider, Runnable call) {
        EnsureOutcome outcome = guarded(className, provider, () -> {
            call.run();
            return new EnsureOutcome.ImplementedElsewhere();
        });
        if (outcome instanceof EnsureOutcome.Pending(Duration retryAfter, String message)) {
            throw new ProviderException(message, retryAfter, null);
        }
    }

    private EnsureOutcome guarded(String className, LoadBalancerProvider provider, Supplier<EnsureOutcome> call) {
        if (provider.capabilities().immediate()) {
            return call.get();
        }
        Semaphore places = byClass.computeIfAbsent(className, name -> new Semaphore(callsAtOnce));
        if (!places.tryAcquire()) {
            return new EnsureOutcome.Pending(
                    BUSY, "LoadBalancerClass \"" + className + "\" has " + callsAtOnce + " calls under way");
        }
        Future<EnsureOutcome> answer = threads.submit(() -> {
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

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
