package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Next;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.testing.cluster.Line;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A provider brings its own address, and it is somebody else's already. */
class AddressClashTest extends CloudStage {
    private static final Ip PUBLIC_IP = Ip.parse("203.0.113.1");

    private List<ServiceKey> isHeldFor(ServiceKey holder) {
        return ledger.observe(new Claim(
                        PUBLIC_IP,
                        "uid-of-the-address",
                        "1",
                        ClaimSpec.of(null, null, new Owner(holder, "uid-holder"))))
                .due();
    }

    private Condition programmed(String name) {
        return service(name).condition(WellKnownNames.PROGRAMMED).orElseThrow();
    }

    @Test
    void addressThatAnotherServiceHolds_isNotPublished_andTheConditionNamesBoth() {
        isHeldFor(key("holder"));
        create("web");

        reconcile("web");

        assertThat(service("web").ingress()).isEmpty();
        assertThat(programmed("web").message()).contains("203.0.113.1", "Service prod/holder");
    }

    @Test
    void addressThatIsClaimedForAnotherAfterItsPublication_leavesTheStatus() {
        served("web");

        assertThat(isHeldFor(key("holder"))).containsExactly(key("web"));
        reconcile("web");

        assertThat(service("web").ingress()).isEmpty();
        assertThat(programmed("web").message()).contains("203.0.113.1", "Service prod/holder");
        assertThat(service("web").condition(WellKnownNames.ADDRESS_ASSIGNED).orElseThrow())
                .satisfies(assigned -> assertThat(assigned.status()).isEqualTo(Condition.Status.FALSE));
    }

    @Test
    void addressThatIsClaimedForAnother_leavesTheStatus_alsoWhereARestartHasForgottenWhoGaveIt() {
        served("web");
        control = operator();
        isHeldFor(key("holder"));
        control.adopt();

        reconcile("web");

        assertThat(service("web").ingress()).isEmpty();
    }

    @Test
    void addressThatIsClaimedForAnother_leavesTheStatus_andWhatElseTheProviderGaveStays() {
        cloud.answer = EnsureOutcome.ready(LoadBalancerStatus.of(
                List.of(Ingress.ofIp(PUBLIC_IP.toString(), IpMode.PROXY), Ingress.ofIp("203.0.113.9", IpMode.PROXY))));
        served("web");
        isHeldFor(key("holder"));

        reconcile("web");

        assertThat(service("web").publishedAddresses()).containsExactly(Ip.parse("203.0.113.9"));
    }

    @Test
    void addressThatIsReleasedByTheOther_isPublishedAgain_whenTheProviderIsAskedNext() {
        served("web");
        isHeldFor(key("holder"));
        Next next = reconcile("web");
        ledger.free(PUBLIC_IP);
        clock = clock.plus(next.delay().orElseThrow());

        reconcile("web");

        assertThat(service("web").publishedAddresses()).containsExactly(PUBLIC_IP);
    }

    @Test
    void addressThatAPoolGetsLater_isLookedAtAtOnce_andNotPublishedForTheProviderAnyMore() {
        create("web");
        reconcile("web");
        assertThat(service("web").ingress()).isNotEmpty();

        ledger.usePools(PoolSet.of(
                List.of(new PoolDeclaration(
                        "late", Instant.EPOCH, List.of("203.0.113.0/30"), List.of(), false, PoolPolicy.OPEN, false)),
                List.of()));
        control.poolsChanged();
        reconcileDue();

        assertThat(programmed("web").reason()).isEqualTo("AnswerRefused");
    }

    @Test
    void addressThatAServiceOfAnotherNamespaceHolds_tellsWhichAddressToLookAt_andNotTheService() {
        isHeldFor(new ServiceKey("secret", "holder"));
        create("web");

        reconcile("web");

        assertThat(programmed("web").message())
                .contains("a Service of another namespace (kubectl get address 203.0.113.1)")
                .doesNotContain("secret");
    }

    @Test
    void addressThatIsClaimedBetweenTheAnswerAndItsPublication_isSaid_andAskedForInItsTimeOnly() {
        cloud.answer = EnsureOutcome.ready(LoadBalancerStatus.of(List.of(Ingress.ofIp("203.0.113.9", IpMode.PROXY))));
        served("web");
        cloud.answer = null;
        put(SampleService.from(service("web")).annotation("cloud.test.dev/size", "large"));
        // Before the old address goes from the status, it is looked for.
        whenRead = () -> isHeldFor(key("holder"));

        Next next = reconcile("web");

        assertThat(service("web").publishedAddresses()).doesNotContain(PUBLIC_IP);
        assertThat(programmed("web").message()).contains("203.0.113.1", "Service prod/holder");
        assertThat(recorded.events)
                .contains("Warning SyncLoadBalancerFailed: Error syncing load balancer: "
                        + programmed("web").message());
        int calls = cloud.calls.size();
        reconcile("web");
        assertThat(cloud.calls).as("before its time").hasSize(calls);
        clock = clock.plus(next.delay().orElseThrow());
        reconcile("web");
        assertThat(cloud.calls).as("in its time").hasSize(calls + 1);
    }

    @Test
    void addressThatAnotherServiceOnlyPublishes_isTheProvidersToGive() {
        put(SampleService.named(key("stranger"), "uid-stranger")
                .loadBalancerClass("other.test.dev/x")
                .ingress("203.0.113.1"));
        reconcile("stranger");
        create("web");

        reconcile("web");

        assertThat(service("web").publishedAddresses()).containsExactly(PUBLIC_IP);
    }

    @Test
    void addressThatAProviderGivesToSeveral_isPublishedForOneThatComesAfterARestart() {
        served("first");
        client.relist();
        control = operator();
        control.adopt();
        create("second");

        reconcile("second");

        assertThat(service("second").publishedAddresses()).containsExactly(PUBLIC_IP);
    }

    @Test
    void serviceThatIsChangedEachTimeItIsLookedAt_saysSo_andIsTriedAgainLaterEachTime() {
        create("web");
        writes = Line.Fault.CONFLICT;

        Duration first = reconcile("web").delay().orElseThrow();
        Duration later = first;
        for (int i = 0; i < 5; i++) {
            later = reconcile("web").delay().orElseThrow();
        }

        assertThat(recorded.events)
                .anyMatch(event -> event.startsWith("Warning SyncLoadBalancerFailed: ")
                        && event.contains("was changed by others 5 times"));
        assertThat(later).isGreaterThan(first.multipliedBy(4));
    }
}
