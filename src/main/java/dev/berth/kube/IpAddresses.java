package dev.berth.kube;

import dev.berth.ip.Ip;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.ClusterIps;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.ReducedStateItemStore;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The IPAddresses of the cluster. They are as many as its Services have addresses, so they are watched from the moment
 * on that somebody needs them, and kept as an index only.
 */
public final class IpAddresses implements AutoCloseable {
    /** How many are listed at once. */
    static final long PAGE = 500;

    /** Who is notified of a change. Called by an informer thread: be quick. */
    public interface Listener {
        /** An address was taken, or is another's now. */
        void taken(ClusterIp now);

        /**
         * An address was given back. It is told before {@link IpAddresses#read} says so: who is to leave a free
         * address alone has to know that before it is free.
         */
        void released(ClusterIp before);
    }

    private final KubernetesClient client;
    private final NetworkingVersion version;
    private final Listener listener;
    private final ClusterIps index = new ClusterIps();
    private final CompletableFuture<?> closed = new CompletableFuture<>();
    private volatile @Nullable SharedIndexInformer<?> informer;

    public IpAddresses(KubernetesClient client, NetworkingVersion version, Listener listener) {
        this.client = client;
        this.version = version;
        this.listener = listener;
    }

    /**
     * Watches them, and returns when all are known; does nothing if they are watched already.
     *
     * @throws java.util.concurrent.CompletionException if the API server refuses, or this is closed meanwhile; they are
     *     not watched then
     */
    synchronized void watch() {
        if (informer == null) {
            informer = started(version.ipAddress());
            if (closed.isDone()) {
                close();
            }
        }
    }

    private <T extends HasMetadata> SharedIndexInformer<T> started(Class<T> kind) {
        SharedIndexInformer<T> begun = client.resources(kind)
                .withLimit(PAGE)
                .runnableInformer(0)
                .itemStore(new ReducedStateItemStore<>(
                        ReducedStateItemStore.NAME_KEY_STATE, kind, client.getKubernetesSerialization()))
                .addEventHandler(new ChangeHandler<>() {
                    @Override
                    void changed(@Nullable T old, @Nullable T now) {
                        IpAddresses.this.changed(old, now);
                    }
                })
                .exceptionHandler((working, failure) -> working);
        try {
            CompletableFuture.anyOf(closed, begun.start().toCompletableFuture()).join();
        } catch (RuntimeException failure) {
            begun.stop();
            throw failure;
        }
        return begun;
    }

    /**
     * As the informer tells it.
     *
     * @param old null: there was none; of one that there was, the name alone is known for sure
     * @param now null: there is none any more
     */
    void changed(@Nullable HasMetadata old, @Nullable HasMetadata now) {
        if (now != null) {
            ServiceCidrs.clusterIp(now).ifPresent(this::taken);
        } else if (old != null) {
            Ip.find(old.getMetadata().getName()).ifPresent(this::released);
        }
    }

    private void taken(ClusterIp now) {
        synchronized (index) {
            index.put(now);
        }
        listener.taken(now);
    }

    private void released(Ip ip) {
        synchronized (index) {
            index.get(ip).ifPresent(before -> {
                listener.released(before);
                index.remove(ip);
            });
        }
    }

    /** What {@code question} makes of them. They do not change meanwhile, so be quick; never keep them. */
    <A> A read(Function<ClusterIps, A> question) {
        synchronized (index) {
            return question.apply(index);
        }
    }

    /** Whether a change would be seen now. */
    boolean isWatching() {
        SharedIndexInformer<?> watched = informer;
        return watched != null && watched.isWatching();
    }

    /** Whether they are watched, or need not be. */
    public boolean isRunning() {
        SharedIndexInformer<?> watched = informer;
        return watched == null || watched.isRunning();
    }

    /** Does not wait for a first list that is still under way. */
    @Override
    public void close() {
        closed.completeExceptionally(new IllegalStateException("the IPAddresses are no longer needed"));
        SharedIndexInformer<?> watched = informer;
        if (watched != null) {
            watched.stop();
        }
    }
}
