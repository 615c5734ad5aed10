package dev.berth.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.kube.Cluster;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerStatus;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MeteredClusterTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final ServiceState SEEN = SampleService.named(WEB, "u1").build();
    private static final List<Published> INGRESS = Publication.ingressOf(
            LoadBalancerStatus.of(List.of(Ingress.ofIp("192.0.2.1", IpMode.VIP))), true, List.of(), List.of());

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ServiceTimes times = new ServiceTimes(registry);
    private Write<ServiceState> answer = new Write.Done<>(SEEN);
    private final Cluster cluster = new MeteredCluster(
            (Cluster) Proxy.newProxyInstance(
                    Cluster.class.getClassLoader(), new Class<?>[] {Cluster.class}, (_, _, _) -> answer),
            registry,
            times);

    @BeforeEach
    void seen() {
        times.seen(OperatorMetricsTest.SERVICE);
    }

    private static Publication.Difference address() {
        return new Publication.Difference(false, null, INGRESS, List.of(), List.of());
    }

    private static Publication.Difference announced(Condition.Status status) {
        return new Publication.Difference(
                false,
                null,
                null,
                List.of(new Condition(WellKnownNames.ANNOUNCED, status, "Reason", "message", Instant.EPOCH)),
                List.of());
    }

    private void assertCounts(long addresses, long announcements) {
        assertThat(registry.get("berth.service.address").timer().count()).isEqualTo(addresses);
        assertThat(registry.get("berth.service.announced").timer().count()).isEqualTo(announcements);
    }

    @Test
    void anAddress_countsWhenItsWriteIsDone() {
        answer = new Write.Refused<>("forbidden");
        cluster.publish(SEEN, address(), false);
        assertCounts(0, 0);
        answer = new Write.Done<>(SEEN);
        cluster.publish(SEEN, address(), true);
        assertCounts(0, 0);

        cluster.publish(SEEN, address(), false);

        assertCounts(1, 0);
    }

    @Test
    void anAnnouncement_countsOnceTheConditionIsTrue() {
        cluster.publish(SEEN, address(), false);
        cluster.publish(SEEN, announced(Condition.Status.FALSE), false);
        cluster.publish(SEEN, announced(Condition.Status.UNKNOWN), false);
        cluster.publish(SEEN, announced(Condition.Status.TRUE), true);
        assertCounts(1, 0);

        cluster.publish(SEEN, announced(Condition.Status.TRUE), false);

        assertCounts(1, 1);
    }
}
