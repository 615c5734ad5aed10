package dev.berth.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.BGPPeer;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Ledger;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.kube.Cluster;
import dev.berth.kube.Write;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.ClusterIps;
import dev.berth.servicecidr.Finding;
import dev.berth.servicecidr.Forecast;
import dev.berth.servicecidr.SampleCidrs;
import dev.berth.servicecidr.Usage;
import dev.berth.servicecidr.UsageSample;
import dev.berth.testing.Monitoring;
import dev.berth.testing.Scrape;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.kubernetes.api.model.Service;
import io.javaoperatorsdk.operator.api.reconciler.Constants;
import io.javaoperatorsdk.operator.processing.event.Event;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What alerts and the dashboard ask the operator for, it serves: by the same names, with the same labels. */
class AskedForTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    private static final ServiceKey WEB = new ServiceKey("shop", "web");

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Ledger ledger = new Ledger();

    @AfterEach
    void everyIndexAgreesWithTheHoldings() {
        ledger.checkInvariants();
    }

    /** Each once: what is counted of Services, of cluster addresses, of writes, of calls, and of control loops. */
    private void countAll() {
        ledger.usePools(PoolSet.of(
                List.of(new PoolDeclaration(
                        "edge", Instant.EPOCH, List.of("192.0.2.0/28"), List.of(), false, PoolPolicy.OPEN, false)),
                List.of()));
        ServiceMeters services = new ServiceMeters(registry, ledger, Map.of("Service", () -> 1));
        services.refresh();
        services.waits(WEB, Optional.of("PoolExhausted"));
        services.orphaned("lb", 1);
        services.stuckCalls("lb", 1);
        ServiceMeters.showLeader(() -> true, registry);
        AnnouncementMeters.show(answering(AnnouncementMeters.Counts.class, 1L), registry);

        ClusterIps ips = new ClusterIps();
        ips.put(new ClusterIp(Ip.parse("10.0.0.1"), "uid", ClusterIp.ALLOCATOR, null, null, NOW));
        Usage usage = Usage.of(List.of(SampleCidrs.ready("kubernetes", "10.0.0.0/28")), ips);
        ClusterAddressMeters cidrs = new ClusterAddressMeters(registry);
        cidrs.used(
                usage,
                Forecast.of(
                        List.of(new UsageSample(
                                NOW.minus(Duration.ofDays(2)), Map.of("10.0.0.0/28", 0L), Map.of("10.0.0.0/28", 0L))),
                        usage,
                        NOW));
        cidrs.found(List.of(new Finding(Finding.Fault.FAMILY_FULL, "ServiceCIDR", "kubernetes", "wrong")));

        MeteredProvider.showAvailability("lb", () -> true, registry);
        new MeteredProvider("lb", answering(LoadBalancerProvider.class, List.of()), registry)
                .listLoadBalancers("cluster");
        ServiceTimes serviceTimes = new ServiceTimes(registry);
        new MeteredCluster(answering(Cluster.class, new Write.Refused<>("forbidden")), registry, serviceTimes)
                .createClaim(Ip.parse("192.0.2.1"), ClaimSpec.of("edge", "berth.dev/pool", new Owner(WEB, "u1")));
        OperatorMetrics loops = new OperatorMetrics(registry, serviceTimes);
        loops.eventReceived(new Event(new ResourceID("web", "shop")), Map.of(Constants.CONTROLLER_NAME, "service"));
        loops.reconciliationSucceeded(new Service(), Map.of(Constants.CONTROLLER_NAME, "service"));
        new JvmMemoryMetrics().bindTo(registry);
    }

    /** One that answers everything alike. */
    private static <T> T answering(Class<T> type, Object answer) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, _, _) -> answer));
    }

    @Test
    void whatAlertsAndDashboardAskOf_isThere() {
        countAll();
        Scrape scrape = new Scrape(registry.scrape());

        assertThat(Monitoring.queries(Monitoring.Source.OPERATOR))
                .hasSizeGreaterThan(10)
                .allSatisfy(query -> assertThat(scrape.missing(query)).isEmpty());
    }

    @Test
    void sessionsAreCounted_ofEachStateThatABGPPeerShows() throws NoSuchFieldException {
        String pattern = BGPPeer.NodeSession.class
                .getDeclaredField("state")
                .getAnnotation(Pattern.class)
                .value();

        assertThat(pattern).isEqualTo("^(" + String.join("|", AnnouncementMeters.SESSION_STATES) + ")$");
    }
}
