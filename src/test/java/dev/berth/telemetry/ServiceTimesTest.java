package dev.berth.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.berth.claim.ServiceKey;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import io.prometheus.client.CollectorRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ServiceTimesTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");

    private final MockClock clock = new MockClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    private final ServiceTimes times = new ServiceTimes(registry);

    private static Service service(String uid, String type, String... addresses) {
        ServiceBuilder service = new ServiceBuilder()
                .withNewMetadata()
                .withNamespace("prod")
                .withName("web")
                .withUid(uid)
                .endMetadata()
                .withNewSpec()
                .withType(type)
                .endSpec();
        for (String address : addresses) {
            service.editOrNewStatus()
                    .editOrNewLoadBalancer()
                    .addNewIngress()
                    .withIp(address)
                    .endIngress()
                    .endLoadBalancer()
                    .endStatus();
        }
        return service.build();
    }

    private static Service waiting(String uid) {
        return service(uid, "LoadBalancer");
    }

    private Timer timer() {
        return registry.get("berth.service.address").timer();
    }

    private Timer announced() {
        return registry.get("berth.service.announced").timer();
    }

    private void assertTimes(Duration... each) {
        assertTimes(timer(), each);
    }

    private static void assertTimes(Timer timer, Duration... each) {
        assertThat(timer.count()).isEqualTo(each.length);
        assertThat(timer.totalTime(TimeUnit.MILLISECONDS))
                .isCloseTo(Stream.of(each).mapToDouble(Duration::toMillis).sum(), within(0.1));
    }

    @Test
    void aService_countsFromTheFirstEventOnIt_toItsAddress() {
        times.seen(waiting("u1"));
        clock.add(Duration.ofSeconds(2));
        times.seen(waiting("u1"));
        clock.add(Duration.ofSeconds(1));

        times.published(WEB, "u1");

        assertTimes(Duration.ofSeconds(3));
    }

    @Test
    void aService_countsOnce_alsoIfAnOlderEventComesAfterItsAddress() {
        times.seen(waiting("u1"));
        times.published(WEB, "u1");
        times.seen(waiting("u1"));
        clock.add(Duration.ofHours(1));
        times.published(WEB, "u1");

        assertTimes(Duration.ZERO);
    }

    @Test
    void aServiceThatHadAnAddressWhenItWasSeen_doesNotCount() {
        times.seen(service("u1", "LoadBalancer", "192.0.2.1"));

        times.published(WEB, "u1");

        assertTimes();
    }

    @Test
    void anotherServiceOfTheSameName_countsFromItsOwnBeginning() {
        times.seen(waiting("u1"));
        clock.add(Duration.ofHours(1));
        times.seen(waiting("u2"));
        clock.add(Duration.ofSeconds(1));
        times.published(WEB, "u1");
        assertTimes();

        times.published(WEB, "u2");

        assertTimes(Duration.ofSeconds(1));
    }

    @Test
    void aServiceThatWantedNoLoadBalancerMeanwhile_orIsGone_countsFromThenOn() {
        times.seen(waiting("u1"));
        clock.add(Duration.ofHours(1));
        times.seen(service("u1", "ClusterIP"));
        times.published(WEB, "u1");
        times.seen(waiting("u1"));
        clock.add(Duration.ofSeconds(1));
        times.published(WEB, "u1");
        assertTimes(Duration.ofSeconds(1));

        times.deleted(waiting("u1"));
        times.published(WEB, "u1");
        assertTimes(Duration.ofSeconds(1));
    }

    @Test
    void aServiceThatAnotherLeaderServed_doesNotCount_andOneThatStillWaits_countsFromTheNewLeader() {
        times.seen(waiting("u1"));
        clock.add(Duration.ofHours(1));
        times.lead(Stream.of(service("u1", "LoadBalancer", "192.0.2.1")));
        times.published(WEB, "u1");
        times.announced(WEB, "u1");
        assertTimes();
        assertTimes(announced());

        times.lead(Stream.of(waiting("u1")));
        clock.add(Duration.ofSeconds(2));
        times.published(WEB, "u1");

        assertTimes(Duration.ofSeconds(2));
    }

    @Test
    void theAnnouncement_countsFromTheAddress_once() {
        times.seen(waiting("u1"));
        clock.add(Duration.ofSeconds(1));
        times.announced(WEB, "u1");
        times.published(WEB, "u1");
        clock.add(Duration.ofSeconds(4));

        times.announced(WEB, "u1");
        clock.add(Duration.ofHours(1));
        times.announced(WEB, "u1");
        times.published(WEB, "u1");
        times.announced(WEB, "u1");

        assertTimes(Duration.ofSeconds(1));
        assertTimes(announced(), Duration.ofSeconds(4));
    }

    @Test
    void theAnnouncementOfAServiceThatHadAnAddressWhenItWasSeen_doesNotCount() {
        times.seen(service("u1", "LoadBalancer", "192.0.2.1"));

        times.announced(WEB, "u1");

        assertTimes(announced());
    }

    @Test
    void forPrometheus_bothAreHistogramsWithBuckets() {
        PrometheusMeterRegistry prometheus =
                new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new CollectorRegistry(), clock);
        ServiceTimes scraped = new ServiceTimes(prometheus);
        scraped.seen(waiting("u1"));
        clock.add(Duration.ofMillis(600));
        scraped.published(WEB, "u1");
        clock.add(Duration.ofSeconds(2));
        scraped.announced(WEB, "u1");

        assertThat(prometheus.scrape().lines())
                .contains(
                        "berth_service_address_seconds_bucket{le=\"0.5\",} 0.0",
                        "berth_service_address_seconds_bucket{le=\"1.0\",} 1.0",
                        "berth_service_address_seconds_bucket{le=\"+Inf\",} 1.0",
                        "berth_service_address_seconds_count 1.0",
                        "berth_service_announced_seconds_bucket{le=\"1.0\",} 0.0",
                        "berth_service_announced_seconds_bucket{le=\"2.5\",} 1.0");
    }
}
