package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.IpModes;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.reason.Reason;
import dev.berth.testing.cluster.Line;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What the simulator found, each as its own story. */
class ServiceControlTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final Owner WEB_ITSELF = new Owner(WEB, "uid-web");

    private Instant clock = Instant.parse("2026-03-01T12:00:00Z");

    /** One operator, and the cluster that it works on. */
    private final class Stage extends PoolOperator {
        Stage(boolean dropsIpMode) {
            super(new SimulatedCluster(dropsIpMode, new Line() {}), () -> clock);
        }

        void claim(String ip) {
            cluster.putClaim(new Claim(
                    Ip.parse(ip),
                    cluster.newUid(),
                    "",
                    ClaimSpec.of(PoolOperator.POOL, PoolOperator.CLASS, WEB_ITSELF)));
        }

        ServiceState web() {
            return Objects.requireNonNull(cluster.services.get(WEB));
        }

        ServiceState reconcile() {
            hear();
            control.reconcile(WEB);
            ledger.checkInvariants();
            return web();
        }
    }

    private static SampleService web(IpFamily... families) {
        return SampleService.named(WEB, "uid-web")
                .families(families.length == 1 ? FamilyPolicy.SINGLE_STACK : FamilyPolicy.PREFER_DUAL_STACK, families);
    }

    @Test
    void aServiceThatAnotherMarked_isLetGo_withTheLastAddressThatMadeItOurs() {
        Stage stage = new Stage(false);
        stage.claim("192.0.2.2");
        stage.cluster.put(WEB, web(IpFamily.IPV6).finalizers(List.of("service.kubernetes.io/load-balancer-cleanup")));

        ServiceState web = stage.reconcile();

        assertThat(stage.cluster.claims).isEmpty();
        assertThat(web.hasOurConditions()).isFalse();
        assertThat(stage.ledger.waiting()).isEmpty();
    }

    @Test
    void surplusByAnOldCache_isNotReleased_forAnotherOperatorMayHavePublishedIt() {
        Stage stage = new Stage(false);
        stage.cluster.put(WEB, web(IpFamily.IPV6));
        stage.reconcile();
        stage.hear();
        stage.claim("192.0.2.2");
        stage.cluster.put(
                WEB,
                SampleService.from(stage.web())
                        .families(FamilyPolicy.PREFER_DUAL_STACK, IpFamily.IPV6, IpFamily.IPV4)
                        .finalizer(WellKnownNames.FINALIZER)
                        .ingress("192.0.2.2"));
        stage.cluster.claims.values().forEach(stage.ledger::observe);

        stage.control.reconcile(WEB);

        assertThat(stage.cluster.claims).containsKey(Ip.parse("192.0.2.2"));
        assertThat(stage.web().publishes(Ip.parse("192.0.2.2"))).isTrue();
    }

    @Test
    void whatAnotherOperatorPublished_isNotOverwritten_evenIfThisOneHoldsItForAnotherService() {
        Stage stage = new Stage(false);
        Ip published = Ip.parse("192.0.2.2");
        stage.cluster.put(
                WEB, web(IpFamily.IPV4).finalizer(WellKnownNames.FINALIZER).ingress("192.0.2.2"));
        stage.claim("192.0.2.1");
        stage.claim("192.0.2.2");
        stage.client.relist();
        stage.ledger.observe(Objects.requireNonNull(stage.cluster.claims.get(Ip.parse("192.0.2.1"))));
        stage.ledger.holdAgain(List.of(published), new Owner(new ServiceKey("prod", "other"), "uid-other"));

        stage.control.reconcile(WEB);

        assertThat(stage.web().publishedAddresses()).containsExactly(published);
        assertThat(stage.cluster.claims).containsKey(published);
    }

    @Test
    void aDroppedMode_isAskedForByADryRun_andNotTakenForOverwritten() {
        Stage stage = new Stage(true);
        stage.cluster.put(WEB, web(IpFamily.IPV4));
        stage.reconcile();
        int written = stage.cluster.writes();

        for (int i = 0; i < 5; i++) {
            clock = clock.plus(IpModes.ASK_AGAIN);
            stage.reconcile();
        }

        assertThat(stage.cluster.writes()).isEqualTo(written);
        assertThat(stage.web().condition(WellKnownNames.STATUS_CONFLICT)).isEmpty();
    }

    @Test
    void aConflictThatAnotherOperatorReports_staysForAWhile() {
        Stage stage = new Stage(false);
        stage.cluster.put(WEB, web(IpFamily.IPV4));
        stage.reconcile();
        ServiceState served = stage.web();
        stage.cluster.put(
                WEB,
                SampleService.from(served)
                        .conditions(List.of(
                                served.condition(WellKnownNames.ADDRESS_ASSIGNED)
                                        .orElseThrow(),
                                Publication.condition(
                                        served,
                                        WellKnownNames.STATUS_CONFLICT,
                                        true,
                                        Reason.StatusOverwritten,
                                        "by another",
                                        clock))));

        assertThat(stage.reconcile().condition(WellKnownNames.STATUS_CONFLICT)).isPresent();
        clock = clock.plus(Duration.ofMinutes(10));
        assertThat(stage.reconcile().condition(WellKnownNames.STATUS_CONFLICT)).isEmpty();
    }

    /** Its class would be said to leave none alone, and a moment later to leave it alone, at each start. */
    @Test
    void whatIsServedByAnother_isKnownFromTheStart() {
        Stage stage = new Stage(false);
        stage.cluster.put(
                WEB,
                web(IpFamily.IPV4)
                        .loadBalancerClass(PoolOperator.CLASS)
                        .finalizers(List.of("service.kubernetes.io/load-balancer-cleanup")));
        stage.reconcile();
        String className = stage.classes().served().getFirst().name();
        assertThat(stage.ofClasses.servedByAnother(className)).isPresent();

        PoolOperator next = new PoolOperator(stage.cluster, () -> clock);

        assertThat(next.ofClasses.servedByAnother(className)).isEqualTo(stage.ofClasses.servedByAnother(className));
    }
}
