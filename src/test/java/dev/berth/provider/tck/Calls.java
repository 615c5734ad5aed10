package dev.berth.provider.tck;

import static org.junit.jupiter.api.Assertions.fail;

import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Calls a provider as Berth does: each call has a deadline, and what is Pending is asked for again exactly after its
 * delay; and no more of them at once than the provider takes. Remembers what a test has made, so that it can be deleted.
 */
final class Calls {
    private final LoadBalancerProvider provider;
    private final Duration deadline;
    private final Duration timeLimit;
    private final Semaphore places;
    private final ConcurrentMap<String, LoadBalancerRequest> made;
    private final Queue<EnsureOutcome.Pending> pending = new ConcurrentLinkedQueue<>();

    private Calls(
            LoadBalancerProvider provider,
            Duration deadline,
            Duration timeLimit,
            Semaphore places,
            ConcurrentMap<String, LoadBalancerRequest> made) {
        this.provider = provider;
        this.deadline = deadline;
        this.timeLimit = timeLimit;
        this.places = places;
        this.made = made;
    }

    /**
     * Calls to it.
     *
     * @param deadline of each call
     * @param timeLimit until what is Pending is Ready
     * @param callLimit how many calls it takes at once; empty: any number
     */
    static Calls of(LoadBalancerProvider provider, Duration deadline, Duration timeLimit, OptionalInt callLimit) {
        Semaphore places = new Semaphore(callLimit.orElse(Integer.MAX_VALUE));
        return new Calls(provider, deadline, timeLimit, places, new ConcurrentHashMap<>());
    }

    /** Of another provider over the same world. */
    Calls through(LoadBalancerProvider another) {
        return new Calls(another, deadline, timeLimit, places, made);
    }

    Optional<LoadBalancerStatus> get(LoadBalancerRequest request) {
        return bounded("getLoadBalancer", () -> provider.getLoadBalancer(request));
    }

    EnsureOutcome ensure(LoadBalancerRequest request) {
        made.merge(key(request), request, (a, b) -> a.fencingToken() > b.fencingToken() ? a : b);
        EnsureOutcome outcome = bounded("ensureLoadBalancer", () -> provider.ensureLoadBalancer(request));
        if (outcome instanceof EnsureOutcome.Pending waits) {
            pending.add(waits);
        }
        return outcome;
    }

    /** Asks until it is Ready; fails once that takes longer than the time limit. */
    LoadBalancerStatus ready(LoadBalancerRequest request) {
        long start = System.nanoTime();
        while (true) {
            switch (ensure(request)) {
                case EnsureOutcome.Ready ready -> {
                    return ready.status();
                }
                case EnsureOutcome.Pending waits -> awaitRetry(request, waits, start);
                case EnsureOutcome.ImplementedElsewhere none ->
                    fail(request.service() + " is said to be ImplementedElsewhere; the kit needs it served");
            }
        }
    }

    private void awaitRetry(LoadBalancerRequest request, EnsureOutcome.Pending waits, long start) {
        long left = timeLimit.toNanos() - (System.nanoTime() - start);
        if (waits.retryAfter().toNanos() > left) {
            fail(request.service() + " is still Pending after " + timeLimit + " (" + waits.message()
                    + "); if it may take longer, override timeLimit()");
        }
        try {
            // Not for a condition that could be looked at: the delay itself is part of the contract.
            TimeUnit.NANOSECONDS.sleep(Math.max(waits.retryAfter().toNanos(), 1));
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            fail("interrupted", stopping);
        }
    }

    void update(LoadBalancerRequest request) {
        bounded("updateLoadBalancer", () -> {
            provider.updateLoadBalancer(request);
            return true;
        });
    }

    void delete(LoadBalancerRequest request) {
        bounded("ensureLoadBalancerDeleted", () -> {
            provider.ensureLoadBalancerDeleted(request);
            return true;
        });
        made.remove(key(request));
    }

    List<ListedLoadBalancer> list(String clusterName) {
        return bounded("listLoadBalancers", () -> provider.listLoadBalancers(clusterName));
    }

    /** Every Pending up to now. */
    List<EnsureOutcome.Pending> pending() {
        return List.copyOf(pending);
    }

    /**
     * Deletes what the test has made and not deleted, as the last leader of all. Other tests judge that it can
     * be deleted.
     */
    void cleanUp() {
        long last = made.values().stream()
                .mapToLong(LoadBalancerRequest::fencingToken)
                .max()
                .orElse(0);
        for (LoadBalancerRequest request : List.copyOf(made.values())) {
            try {
                delete(request.toBuilder().fencingToken(last).build());
            } catch (RuntimeException | AssertionError judgedElsewhere) {
                made.remove(key(request));
            }
        }
    }

    private static String key(LoadBalancerRequest request) {
        return request.clusterName() + " " + request.service().uid();
    }

    private <T> T bounded(String call, Supplier<T> work) {
        places.acquireUninterruptibly();
        try {
            return beforeDeadline(call, work);
        } finally {
            places.release();
        }
    }

    private <T> T beforeDeadline(String call, Supplier<T> work) {
        FutureTask<T> task = new FutureTask<>(work::get);
        Thread.ofVirtual().name("tck-" + call).start(task);
        try {
            return task.get(deadline.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException thrown) {
            switch (thrown.getCause()) {
                case RuntimeException failure -> throw failure;
                case Error error -> throw error;
                case null, default -> throw new IllegalStateException(thrown);
            }
        } catch (TimeoutException late) {
            task.cancel(true);
            return fail(call + " did not return within " + deadline
                    + "; answer Pending meanwhile, or if it may take longer, override deadline()");
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return fail("interrupted", stopping);
        }
    }
}
