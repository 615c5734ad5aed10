package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.berth.api.v1alpha1.AddressPool;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.BaseConfigurationService;
import io.javaoperatorsdk.operator.api.config.ConfigurationService;
import io.javaoperatorsdk.operator.api.config.informer.InformerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class ControllersTest {
    private static final class OfServices implements Reconciler<Service> {
        @Override
        public UpdateControl<Service> reconcile(Service service, Context<Service> context) {
            return UpdateControl.noUpdate();
        }
    }

    private static final class OfPools implements Reconciler<AddressPool> {
        @Override
        public UpdateControl<AddressPool> reconcile(AddressPool pool, Context<AddressPool> context) {
            return UpdateControl.noUpdate();
        }
    }

    /**
     * Each that waits for its turn to write has read its object and planned: 10 kB of stack and as much of what it has
     * read. 10,000 of them were more than the heap.
     */
    @Test
    void tenThousandServicesAreNotReconciledAllAtOnce_andKeepNoPoolWaiting() {
        AtomicInteger services = new AtomicInteger();
        AtomicInteger pools = new AtomicInteger();
        Semaphore turns = new Semaphore(0);
        List<ConfigurationService> own = new ArrayList<>();
        try (KubernetesClient client = new KubernetesClientBuilder().build();
                Controllers controllers = controllers(client, own)) {
            register(controllers, new OfServices(), Service.class);
            register(controllers, new OfPools(), AddressPool.class);

            submit(own.get(0).getExecutorService(), 10_000, services, turns);
            submit(own.get(1).getExecutorService(), 1, pools, turns);

            awaitBegun(pools, 1);
            awaitBegun(services, Controllers.AT_ONCE);
            turns.release(10_001);
            awaitBegun(services, 10_000);
        }

        assertThat(own).map(ConfigurationService::getExecutorService).allMatch(ExecutorService::isTerminated);
        assertThat(own)
                .map(configuration -> configuration.getExecutorServiceManager().scheduledExecutorService())
                .allMatch(ExecutorService::isShutdown);
    }

    /** Else the lease would be handed over while it may write. */
    @Test
    void whatIsBeingReconciled_isInterruptedByTheClose_andFailsItIfItGoesOn() {
        List<ConfigurationService> own = new ArrayList<>();
        AtomicInteger begun = new AtomicInteger();
        Semaphore interruptible = new Semaphore(0);
        Semaphore deaf = new Semaphore(0);
        try (KubernetesClient client = new KubernetesClientBuilder().build()) {
            Controllers controllers = controllers(client, own, Duration.ofMillis(100));
            register(controllers, new OfServices(), Service.class);
            own.getFirst().getExecutorService().execute(() -> {
                begun.incrementAndGet();
                try {
                    interruptible.acquire();
                } catch (InterruptedException told) {
                    begun.decrementAndGet();
                }
            });
            submit(own.getFirst().getExecutorService(), 1, begun, deaf);
            awaitBegun(begun, 2);

            assertThatIllegalStateException()
                    .isThrownBy(controllers::close)
                    .withMessageEndingWith(" reconciliations are still running");
            awaitBegun(begun, 1);
        } finally {
            deaf.release();
        }
    }

    /** The SDK looks every few minutes for what its caches need no longer. */
    @Test
    void theTimerOfAControllerSleepsUntilSomethingIsDue() {
        List<ConfigurationService> own = new ArrayList<>();
        try (KubernetesClient client = new KubernetesClientBuilder().build();
                Controllers controllers = controllers(client, own)) {
            register(controllers, new OfPools(), AddressPool.class);

            assertThat(own.get(0).getExecutorServiceManager().scheduledExecutorService())
                    .isInstanceOfSatisfying(
                            ScheduledThreadPoolExecutor.class,
                            timer -> assertThat(timer.getCorePoolSize()).isPositive());
        }
    }

    private static void awaitBegun(AtomicInteger begun, int tasks) {
        Awaitility.await().untilAsserted(() -> assertThat(begun).hasValue(tasks));
    }

    private static Controllers controllers(KubernetesClient client, List<ConfigurationService> own) {
        return controllers(client, own, Duration.ofMinutes(1));
    }

    private static Controllers controllers(KubernetesClient client, List<ConfigurationService> own, Duration ending) {
        ConfigurationService base = ConfigurationService.newOverriddenConfigurationService(
                new BaseConfigurationService(), overrider -> overrider.withKubernetesClient(client));
        return new Controllers(
                new Operator(base),
                workers -> {
                    own.add(ConfigurationService.newOverriddenConfigurationService(
                            base,
                            overrider -> overrider.withKubernetesClient(client).withExecutorService(workers)));
                    return own.getLast();
                },
                ending);
    }

    private static <T extends HasMetadata> void register(
            Controllers controllers, Reconciler<T> reconciler, Class<T> kind) {
        controllers.register(
                reconciler,
                kind.getSimpleName().toLowerCase(Locale.ROOT),
                InformerConfiguration.builder(kind).buildForController());
    }

    private static void submit(ExecutorService executor, int tasks, AtomicInteger begun, Semaphore turns) {
        IntStream.range(0, tasks)
                .forEach(i -> executor.execute(() -> {
                    begun.incrementAndGet();
                    turns.acquireUninterruptibly();
                }));
    }
}
