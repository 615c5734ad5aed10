package dev.berth.kube;

import dev.berth.address.Ip;
import dev.berth.clusterip.ClusterIp;
import dev.berth.clusterip.ClusterIps;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.ReducedStateItemStore;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The IPAddresses of the cluster. They are as many as its Services have addresses, so they are watched from the moment
 * on that somebody needs them, and kept as an index only.
 */
public final class IpAddresses implements AutoCloseable {
    /** Who is told of a change. Called by an informer thread: be quick. */
    public interface Listener {
        /** An address was taken, or is another's now. */
        void taken(ClusterIp now);

        /** An address was given back. */
        void released(ClusterIp before);
    }

    private final KubernetesClient client;
    private final NetworkingVersion version;
    private final Listener listener;
    private final ClusterIps index = new ClusterIps();
    private volatile @Nullable SharedIndexInformer<?> informer;

    public IpAddresses(KubernetesClient client, NetworkingVersion version, Listener listener) {
        this.client = client;
        this.version = version;
        this.listener = listener;
    }

    /**
     * Watches them, and returns when all are known; does nothing if they are watched already.
     *
     * @throws java.util.concurrent.CompletionException if the API server says no; they are not watched then
     */
    public synchronized void watch() {
        if (informer == null) {
            informer = started(version.ipAddress());
        }
    }

    private <T extends HasMetadata> SharedIndexInformer<T> started(Class<T> kind) {
        SharedIndexInformer<T> begun = client.resources(kind)
                .runnableInformer(0)
                .itemStore(new ReducedStateItemStore<>(
                        ReducedStateItemStore.NAME_KEY_STATE, kind, client.getKubernetesSerialization()))
                .addEventHandler(new Quiet<>() {
                    @Override
                    void changed(@Nullable T old, @Nullable T now) {
                        if (now == null) {
                            Optional.ofNullable(old)
                                    .flatMap(gone -> Ip.find(gone.getMetadata().getName()))
                                    .flatMap(IpAddresses.this::remove)
                                    .ifPresent(listener::released);
                        } else {
                            ServiceCidrs.clusterIp(now).ifPresent(taken -> {
                                put(taken);
                                listener.taken(taken);
                            });
                        }
                    }
                })
                .exceptionHandler((working, failure) -> working);
        try {
            begun.start().toCompletableFuture().join();
        } catch (RuntimeException failure) {
            begun.stop();
            throw failure;
        }
        return begun;
    }

    private void put(ClusterIp ip) {
        read(ips -> {
            ips.put(ip);
            return ip;
        });
    }

    private Optional<ClusterIp> remove(Ip ip) {
        return read(ips -> {
            Optional<ClusterIp> gone = ips.get(ip);
            ips.remove(ip);
            return gone;
        });
    }

    /** What {@code question} makes of them. They do not change meanwhile, so be quick; never keep them. */
    public <A> A read(Function<ClusterIps, A> question) {
        synchronized (index) {
            return question.apply(index);
        }
    }

    /** Whether they are watched, or need not be. */
    public boolean isRunning() {
        SharedIndexInformer<?> watched = informer;
        return watched == null || watched.isRunning();
    }

    @Override
    public synchronized void close() {
        if (informer != null) {
            informer.stop();
        }
    }
}
