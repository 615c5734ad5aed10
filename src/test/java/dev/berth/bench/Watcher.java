package dev.berth.bench;

import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.WatcherException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Watches Services until a number of them has an ingress. It stands outside of what it measures and is the same for
 * all: it sees a Service when the API server tells it.
 */
final class Watcher implements AutoCloseable {
    private final int wanted;
    private final Map<String, Long> served = new HashMap<>();
    private final CountDownLatch done = new CountDownLatch(1);
    private final Watch watch;
    private volatile long first;
    private volatile long last;

    /** Watches from now on, and returns once the watch is there. */
    Watcher(KubernetesClient client, String namespace, int wanted) {
        this.wanted = wanted;
        String now = client.services()
                .inNamespace(namespace)
                .list(new ListOptionsBuilder().withLimit(1L).build())
                .getMetadata()
                .getResourceVersion();
        watch = client.services()
                .inNamespace(namespace)
                .watch(
                        new ListOptionsBuilder().withResourceVersion(now).build(),
                        new io.fabric8.kubernetes.client.Watcher<Service>() {
                            @Override
                            public void eventReceived(Action action, Service service) {
                                note(service);
                            }

                            @Override
                            public void onClose(WatcherException cause) {
                                System.err.println("berth: the benchmark's watch ended: " + cause.getMessage());
                            }
                        });
    }

    private synchronized void note(Service service) {
        if (service.getStatus().getLoadBalancer().getIngress().isEmpty()
                || served.containsKey(service.getMetadata().getName())) {
            return;
        }
        long now = System.nanoTime();
        served.put(service.getMetadata().getName(), now);
        if (served.size() == 1) {
            first = now;
        }
        last = now;
        if (served.size() == wanted) {
            done.countDown();
        }
    }

    /** Whether all are served within {@code patience}. */
    boolean await(Duration patience) throws InterruptedException {
        return done.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    synchronized int served() {
        return served.size();
    }

    /** When each ingress came, by the name of its Service. */
    synchronized Map<String, Long> times() {
        return Map.copyOf(served);
    }

    /** When the first ingress came, by {@link System#nanoTime()}. */
    long first() {
        return first;
    }

    long last() {
        return last;
    }

    @Override
    public void close() {
        watch.close();
    }
}
