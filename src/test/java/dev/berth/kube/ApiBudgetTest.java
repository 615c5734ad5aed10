package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
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

    /** Two of them, as the operator has for Services and for ServiceCIDRs. */
    @Test
    void writesAndLiveReads_ofAllWhoShareIt_takeTurns() {
        try (KubernetesClient client = new KubernetesClientBuilder().build();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
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

            CompletableFuture<Read<String>> read = CompletableFuture.supplyAsync(
                    () -> new ApiCalls(client, budget).read(() -> "read", Optional::of), threads);
            while (!budget.hasWaiting() && !read.isDone()) {
                Thread.onSpinWait();
            }

            assertThat(read).isNotDone();
            let.countDown();
            assertThat(write.join()).isEqualTo(new Write.Done<>("written"));
            assertThat(read.join()).isEqualTo(new Read.Found<>("read"));
        }
    }
}
