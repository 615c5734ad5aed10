package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.api.v1alpha1.Address;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class ApiBudgetTest {
    private final ApiBudget budget = new ApiBudget(1);

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stopping) {
            throw new IllegalStateException(stopping);
        }
    }

    private void takesItsTurn(KubernetesClient client, ExecutorService threads, Supplier<?> call) {
        CountDownLatch under = new CountDownLatch(1);
        CountDownLatch let = new CountDownLatch(1);
        CompletableFuture<Write<String>> write = CompletableFuture.supplyAsync(
                () -> new ApiCalls(client, budget)
                        .write(
                                () -> {
                                    under.countDown();
                                    await(let);
                                    return "written";
                                },
                                Function.identity()),
                threads);
        await(under);

        CompletableFuture<?> second = CompletableFuture.supplyAsync(call, threads);
        Awaitility.await().until(() -> budget.hasWaiting() || second.isDone());

        assertThat(second).isNotDone();
        let.countDown();
        assertThat(write.join()).isEqualTo(new Write.Done<>("written"));
        second.join();
    }

    /** Two of them, as the operator has for Services and for ServiceCIDRs, and the writer of status beside them. */
    @Test
    void writesAndLiveReads_ofAllWhoShareIt_takeTurns() {
        Config unreachable = new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:1")
                .withRequestRetryBackoffLimit(0)
                .build();
        Address address = new Address();
        address.setMetadata(new ObjectMetaBuilder().withName("a").withUid("u").build());
        try (KubernetesClient client =
                        new KubernetesClientBuilder().withConfig(unreachable).build();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            takesItsTurn(client, threads, () -> new ApiCalls(client, budget).read(() -> "read", Optional::of));
            takesItsTurn(client, threads, () -> new StatusWriter(client, budget).write(address, Map.of()));
        }
    }

    /** As Berth ends: the lease is handed over soon. */
    @Test
    void whoIsInterruptedBeforeItsTurn_sendsNothing() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> budget.call(() -> "sent")).isInstanceOf(KubernetesClientException.class);

        assertThat(Thread.interrupted()).isTrue();
    }
}
