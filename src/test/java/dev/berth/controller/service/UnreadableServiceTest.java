package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.kube.Unreadable;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.pool.PoolPolicy;
import dev.berth.testing.cluster.Line;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A Service whose spec has a word of a later Kubernetes, and whose Address an administrator deleted. */
class UnreadableServiceTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final ServiceKey NEXT = new ServiceKey("prod", "next");

    private Runnable beforeAPublish = () -> {};
    private Runnable afterAPublish = () -> {};

    private final SimulatedCluster cluster = new SimulatedCluster(false, new Line() {
        @Override
        public Fault sending(String call, Runnable effect) {
            if (call.startsWith("publish")) {
                beforeAPublish.run();
            }
            return Fault.NONE;
        }

        @Override
        public void answered(String call) {
            if (call.startsWith("publish") && call.contains("Done")) {
                afterAPublish.run();
            }
        }
    });

    private PoolOperator operator() {
        return new PoolOperator(cluster, () -> Instant.parse("2026-03-01T12:00:00Z"));
    }

    private List<Published> published(ServiceKey service) {
        return Objects.requireNonNull(cluster.services.get(service)).ingress();
    }

    private void reconcile(PoolOperator berth, ServiceKey service) {
        berth.due.add(service);
        berth.reconcileDue();
    }

    private void create(PoolOperator berth, ServiceKey service) {
        cluster.put(
                service, SampleService.named(service, "uid-" + service.name()).loadBalancerClass(PoolOperator.CLASS));
        reconcile(berth, service);
    }

    @Test
    void itIsNotShownToWait_norToBeSkipped() {
        PoolOperator berth = operator();
        berth.usePool(PoolPolicy.OPEN);
        create(berth, WEB);
        cluster.put(
                NEXT,
                SampleService.named(NEXT, "uid-next")
                        .loadBalancerClass(PoolOperator.CLASS)
                        .finalizer("service.kubernetes.io/load-balancer-cleanup"));
        reconcile(berth, NEXT);
        assertThat(berth.waits).containsOnlyKeys(WEB);
        assertThat(berth.skipped()).isPresent();

        for (ServiceKey service : List.of(WEB, NEXT)) {
            cluster.put(service, UnknownWords.added(Objects.requireNonNull(cluster.services.get(service))));
            reconcile(berth, service);
        }

        assertThat(berth.waits).isEmpty();
        assertThat(berth.skipped()).isEmpty();
    }

    @Test
    void nobodyWaitsBehindIt() {
        PoolOperator berth = operator();
        berth.usePool(PoolPolicy.OPEN, "192.0.2.1");
        ServiceKey holder = new ServiceKey("prod", "holder");
        List.of(holder, WEB, NEXT).forEach(service -> create(berth, service));
        List<ServiceKey> waiting = berth.ledger.waiting();
        assertThat(waiting).containsExactlyInAnyOrder(WEB, NEXT);

        ServiceKey ahead = waiting.getFirst();
        cluster.put(ahead, UnknownWords.added(Objects.requireNonNull(cluster.services.get(ahead))));
        reconcile(berth, ahead);
        cluster.deleteService(holder);
        reconcile(berth, holder);

        assertThat(published(waiting.getLast())).hasSize(1);
    }

    @Test
    void addressThatItPublishes_isGivenToNobodyElse_alsoAfterARestart() {
        create(operator(), WEB);
        List<Published> before = published(WEB);
        assertThat(before).hasSize(1);
        ServiceState served = Objects.requireNonNull(cluster.services.get(WEB));
        cluster.put(WEB, UnknownWords.added(served));
        cluster.removeClaim(Ip.parse(String.valueOf(before.getFirst().ip())));

        PoolOperator restarted = operator();
        create(restarted, NEXT);

        assertThat(published(WEB)).isEqualTo(before);
        assertThat(published(NEXT)).hasSize(1).doesNotContainAnyElementsOf(before);
    }

    /** While Berth writes, the cache is at a version between the two that can be read. */
    @Test
    void serviceThatCanBeReadAgain_isLookedAt_thoughBerthsOwnWriteIsTheNews() {
        PoolOperator berth = new PoolOperator(cluster, () -> Instant.EPOCH, new PendingProvider());
        cluster.put(WEB, SampleService.named(WEB, "uid-web").loadBalancerClass(PoolOperator.CLASS));
        berth.hear();
        beforeAPublish = () -> {
            beforeAPublish = () -> {};
            ServiceState readable = Objects.requireNonNull(cluster.services.get(WEB));
            cluster.put(WEB, UnknownWords.added(readable));
            cluster.put(WEB, SampleService.from(readable));
        };
        afterAPublish = () -> {
            afterAPublish = () -> {};
            berth.client.serviceCache.hear();
        };

        assertThatThrownBy(() -> berth.control.reconcile(WEB)).isInstanceOf(Unreadable.class);
        ServiceState written = Objects.requireNonNull(cluster.services.get(WEB));

        assertThat(written.hasOurFinalizer()).isTrue();
        assertThat(berth.control.takeEchoOfOurWrite(WEB, written.uid(), written.resourceVersion()))
                .isFalse();
    }
}
