package dev.berth.bench;

import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;

/** The Services of a benchmark, of type LoadBalancer and without a class, in a namespace of their own. */
final class WaitingServices {
    static final String NAMESPACE = "bench";
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final int AT_ONCE = 32;

    private final KubernetesClient client;

    WaitingServices(KubernetesClient client) {
        this.client = client;
    }

    /** So many, as fast as they can be created. */
    void create(int count) throws InterruptedException {
        eachOf(count, number -> create(name(number)));
    }

    /** Of the Service of this number. */
    static String name(int number) {
        return "service-" + number;
    }

    /** Returns once there is none left, and nothing holds one back. */
    void delete(int count) throws InterruptedException {
        eachOf(
                count,
                number -> client.services()
                        .inNamespace(NAMESPACE)
                        .withName(name(number))
                        .delete());
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> client.services()
                        .inNamespace(NAMESPACE)
                        .list(new ListOptionsBuilder().withLimit(1L).build())
                        .getItems()
                        .isEmpty());
    }

    /**
     * One after the other, whether those before have an address or not.
     *
     * @return when each was due, by its name and {@link System#nanoTime()}: one that is late because the API server is slow
     *     has waited for its address as well
     */
    Map<String, Long> stream(int count, Duration pause) throws InterruptedException {
        Map<String, Long> all = new HashMap<>();
        List<Future<?>> creations = new ArrayList<>();
        try (ExecutorService creators = Executors.newFixedThreadPool(AT_ONCE)) {
            long begin = System.nanoTime();
            for (int number = 0; number < count; number++) {
                String name = name(number);
                long due = begin + number * pause.toNanos();
                TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
                all.put(name, due);
                creations.add(creators.submit(() -> create(name)));
            }
            awaitAll(creations);
        }
        return all;
    }

    /** Gives each its address by one patch of its status, with nothing behind it: what the API server lets this process do. */
    void patch(int count) throws InterruptedException {
        eachOf(
                count,
                number -> client.services()
                        .inNamespace(NAMESPACE)
                        .withName(name(number))
                        .subresource("status")
                        .patch(
                                PatchContext.of(PatchType.JSON_MERGE),
                                "{\"status\": {\"loadBalancer\": {\"ingress\": [{\"ip\": \"198.18.%d.%d\"}]}}}"
                                        .formatted(number / 256, number % 256)));
    }

    /** Does {@code what} with each number from 0 on, several at once. */
    static void eachOf(int count, IntConsumer what) throws InterruptedException {
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
            List<Future<?>> all = new ArrayList<>();
            IntStream.range(0, count).forEach(number -> all.add(threads.submit(() -> what.accept(number))));
            try {
                awaitAll(all);
            } finally {
                // After a failure or Ctrl-C the rest is not waited for.
                threads.shutdownNow();
            }
        }
    }

    private static void awaitAll(List<Future<?>> all) throws InterruptedException {
        try {
            for (Future<?> one : all) {
                one.get();
            }
        } catch (ExecutionException failure) {
            throw new IllegalStateException("asking the API server: " + failure.getCause(), failure);
        }
    }

    private void create(String name) {
        client.resource(new ServiceBuilder()
                        .withNewMetadata()
                        .withNamespace(NAMESPACE)
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withType("LoadBalancer")
                        .addToSelector("app", name)
                        .addNewPort()
                        .withPort(80)
                        .endPort()
                        .endSpec()
                        .build())
                .create();
    }
}
