package dev.berth.kube;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How many calls to an API server may be under way at once, for all who share it: writes and live reads, not watches,
 * events and the lease, which must not wait for them. More at once gain nothing, take the API server from others, and
 * cost a TLS handshake each.
 */
public final class ApiBudget {
    private static final int AT_ONCE = 16;

    private final Semaphore calls;

    /** The operator's. */
    public ApiBudget() {
        this(AT_ONCE);
    }

    ApiBudget(int atOnce) {
        calls = new Semaphore(atOnce);
    }

    /**
     * Makes one call in its turn. It must not make another by a budget, for all may be waiting for the second.
     *
     * @throws KubernetesClientException if the thread was interrupted before its turn: Berth ends, and nothing is sent
     */
    <T extends @Nullable Object> T call(Supplier<T> call) {
        try {
            calls.acquire();
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
            throw new KubernetesClientException("Berth ends", ending);
        }
        try {
            return call.get();
        } finally {
            calls.release();
        }
    }

    boolean hasWaiting() {
        return calls.hasQueuedThreads();
    }
}
