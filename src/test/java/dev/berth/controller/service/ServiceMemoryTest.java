package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.address.ServiceKey;
import dev.berth.controller.Backoff;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.SampleClasses;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.provider.Capabilities;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ServiceMemoryTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final ServiceMemory memory = new ServiceMemory();
    private final Backoff backoff = new Backoff(new Random(1));

    private static ServiceState version(String resourceVersion) {
        return SampleService.named(new ServiceKey("prod", "web"), "u1")
                .resourceVersion(resourceVersion)
                .build();
    }

    @Test
    void cacheThatLagsBehindAnAnswer_isNotPlannedFrom() {
        memory.remember(version("20"));

        assertThat(memory.newest(Optional.of(version("9")))).contains(version("20"));
        assertThat(memory.newest(Optional.of(version("21")))).contains(version("21"));
        assertThat(memory.newest(Optional.of(version("9")))).contains(version("9"));
    }

    @Test
    void echoOfOurWrite_isNoNewsOnce_butWhatALiveReadFoundIs() {
        memory.wrote(version("20"));
        assertThat(memory.isEcho("u1", "20")).isTrue();
        assertThat(memory.isEcho("u1", "20")).isFalse();

        memory.remember(version("30"));
        assertThat(memory.isEcho("u1", "30")).isFalse();
    }

    @Test
    void unchangedRequest_isNotSentBeforeItsTime_andAnotherIs() {
        Duration delay = memory.failed("request", Optional.empty(), backoff, NOW);

        assertThat(memory.mustWait("request", NOW)).contains(delay);
        assertThat(memory.mustWait("another", NOW)).isEmpty();
        assertThat(memory.mustWait("request", NOW.plus(delay))).isEmpty();
    }

    @Test
    void providersOwnDelay_isExact_andCountsForNoFailure() {
        assertThat(memory.failed("request", Optional.of(Duration.ofSeconds(7)), backoff, NOW))
                .isEqualTo(Duration.ofSeconds(7));
        assertThat(memory.failed("request", Optional.empty(), backoff, NOW)).isLessThanOrEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void whatFailed_isTriedAtOnce_whenItsProviderIsBack_andNotForAnother() {
        ServiceIdentity web = new ServiceIdentity("prod", "web", "u1");
        LoadBalancerRequest request =
                LoadBalancerRequest.builder("c", web, IpMode.VIP).build();
        memory.mayExist(
                request,
                SampleClasses.one("x/y", "pool", Capabilities.fromPools(IpMode.VIP), null, Classless.ALWAYS)
                        .served()
                        .getFirst());
        memory.failed(request, Optional.of(Duration.ofSeconds(7)), backoff, NOW);

        assertThat(memory.mayTryAgain("other")).isFalse();
        assertThat(memory.mustWait(request, NOW)).isPresent();
        assertThat(memory.mayTryAgain("pool")).isTrue();
        assertThat(memory.mustWait(request, NOW)).isEmpty();
    }

    @Test
    void thirdOverwriteInTenMinutes_isLetStandForAWhile_thenPutRight() {
        assertThat(memory.overwritten(backoff, NOW)).isEmpty();
        assertThat(memory.overwritten(backoff, NOW.plusSeconds(1))).isEmpty();
        Duration wait = memory.overwritten(backoff, NOW.plusSeconds(2)).orElseThrow();

        assertThat(memory.isInConflict(NOW.plusSeconds(2))).isTrue();
        assertThat(memory.overwritten(backoff, NOW.plusSeconds(3))).isPresent();
        assertThat(memory.overwritten(backoff, NOW.plusSeconds(2).plus(wait))).isEmpty();
    }

    @Test
    void conflict_isOverTenMinutesAfterTheLastOverwrite() {
        for (int second = 0; second < 3; second++) {
            memory.overwritten(backoff, NOW.plusSeconds(second));
        }

        assertThat(memory.isInConflict(NOW.plusSeconds(2).plus(ServiceMemory.OVERWRITES_WITHIN)))
                .isFalse();
    }
}
