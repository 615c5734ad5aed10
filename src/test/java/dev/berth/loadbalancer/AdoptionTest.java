package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.claim.QueuePosition;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.pool.PoolSet;
import dev.berth.pool.Refusal;
import dev.berth.pool.RefusalReason;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What becomes of a Service that another controller gave its addresses. */
class AdoptionTest {
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final ForeignAnnotations THEIRS = new ForeignAnnotations(
            "theirs", List.of("theirs/ips"), List.of("theirs/pool"), List.of("theirs/key"), false);
    private static final ClassSet CLASSES = SampleClasses.one(Classless.AUTO);

    private static SampleService web() {
        return SampleService.named(WEB, "u1").ingress("192.0.2.7");
    }

    private static ServicePlan plan(SampleService service, List<ForeignAnnotations> migrateFrom, Holding... holdings) {
        return Planner.plan(new ServiceSnapshot(
                WEB,
                Optional.of(service.build()),
                List.of(holdings),
                PoolSet.empty(),
                CLASSES,
                Optional.of(new Deference("Service prod/api has ingress 192.0.2.8")),
                Map.of(),
                new QueuePosition(NOW, NOW, "u1"),
                migrateFrom));
    }

    @Test
    void withoutMigration_aStatusIsAnothers_andNeverARequest() {
        // CVE-2020-8554: anyone who may write a status could take any address by it.
        assertThat(plan(web(), List.of()))
                .isInstanceOfSatisfying(
                        ServicePlan.Skip.class,
                        left -> assertThat(left.reason().name()).isEqualTo("ServedByOtherController"));
    }

    @Test
    void withMigration_whatItPublishesIsAskedForExactly_beforeAllWhoWait() {
        assertThat(plan(web().annotation("theirs/key", "dns"), List.of(THEIRS)))
                .isInstanceOfSatisfying(ServicePlan.Adopt.class, adopt -> {
                    assertThat(adopt.request().constraints().addresses()).containsExactly(Ip.parse("192.0.2.7"));
                    assertThat(adopt.request().constraints().sharing()).isNotNull();
                    assertThat(adopt.request().allOrNone()).isTrue();
                    assertThat(adopt.request().turn().since()).isEqualTo(Instant.EPOCH);
                });
    }

    @Test
    void whatIsReservedForIt_needsNoAsking() {
        ClaimSpec spec = ClaimSpec.of(null, null, new Owner(WEB, null));
        Claim claim = new Claim(Ip.parse("192.0.2.7"), "c", "5", spec);
        Holding reserved = new Holding(claim.ip(), Holding.State.CLAIMED, spec, claim);

        assertThat(plan(web(), List.of(THEIRS), reserved)).isInstanceOf(ServicePlan.Serve.class);
        assertThat(plan(web(), List.of(), reserved)).isInstanceOf(ServicePlan.Skip.class);
    }

    private record Row(SampleService service, String reason, String said) {}

    private static final List<Row> LEFT_ALONE = List.of(
            new Row(
                    web().finalizer("service.kubernetes.io/load-balancer-cleanup"),
                    "ServedByOtherController",
                    "stop that controller, then: kubectl patch service web --namespace=prod --patch='{\"metadata\":{\"$deleteFromPrimitiveList/finalizers\":[\"service.kubernetes.io/load-balancer-cleanup\"]}}'"),
            new Row(
                    web().ingress(List.of(new Published(null, "lb.example.com", null))),
                    "ServedByOtherController",
                    "it has lb.example.com from another controller; Berth can only take over IP addresses"),
            new Row(
                    web().ingress("192.0.2.7", "192.0.2.8"),
                    "ServedByOtherController",
                    "it has 192.0.2.7, 192.0.2.8 from another controller; Berth assigns one IPv4 address"),
            new Row(
                    web().ingress("192.0.2.7", "2001:db8::7"),
                    "ServedByOtherController",
                    "it has 2001:db8::7 from another controller, but its ipFamilyPolicy and ipFamilies do not include"
                            + " IPv6"),
            new Row(
                    web().annotation("theirs/ips", "192.0.2.9"),
                    "ServedByOtherController",
                    "it has 192.0.2.7 from another controller and requests 192.0.2.9"),
            new Row(
                    web().annotation("theirs/ips", "nonsense"),
                    "ServedByOtherController",
                    "annotation theirs/ips: \"nonsense\" is not an IP address (see docs/annotations.md); until then"
                            + " it keeps 192.0.2.7 from another controller"));

    @Test
    void whatCannotBecomeOursAsItIs_isLeftAlone_withTheReason() {
        for (Row row : LEFT_ALONE) {
            assertThat(plan(row.service(), List.of(THEIRS))).isInstanceOfSatisfying(ServicePlan.Skip.class, left -> {
                assertThat(left.reason().name()).isEqualTo(row.reason());
                assertThat(left.message()).contains(row.said());
            });
        }
    }

    @Test
    void ofVeryManyAddresses_sixtyFourAreWithheld_andTenAreNamed() {
        ServiceState many = web().ingress(
                        IntStream.range(0, 100).mapToObj(i -> "192.0.2." + i).toArray(String[]::new))
                .build();

        assertThat(Adoption.withheld(many)).hasSize(64).contains(Ip.parse("192.0.2.63"));
        assertThat(Adoption.withheld(web().build())).containsExactly(Ip.parse("192.0.2.7"));
        assertThat(plan(SampleService.from(many), List.of(THEIRS)))
                .isInstanceOfSatisfying(
                        ServicePlan.Skip.class,
                        left -> assertThat(left.message())
                                .contains("192.0.2.9 and 90 more from another controller")
                                .endsWith("Berth withholds only the first 64 of them from other Services"));
    }

    @Test
    void anAddressInNoPool_isSaid_withThePoolToAddItTo() {
        ServicePlan.Adopt any = (ServicePlan.Adopt) plan(web(), List.of(THEIRS));
        ServicePlan.Adopt named = (ServicePlan.Adopt) plan(web().annotation("theirs/pool", "edge"), List.of(THEIRS));
        Refusal notThere =
                new Refusal("edge", IpFamily.IPV4, RefusalReason.NOT_ITS_ADDRESS, "", BigInteger.ONE, BigInteger.ONE);

        assertThat(Adoption.refused(any.request(), List.of()).message())
                .isEqualTo("it has 192.0.2.7 from another controller, and keeps it until Berth can assign it: add"
                        + " 192.0.2.7 to an AddressPool");
        assertThat(Adoption.refused(named.request(), List.of(notThere)).message())
                .endsWith("add 192.0.2.7 to AddressPool \"edge\"");
    }

    @Test
    void oneThatHoldsAPart_asksForTheRestOfWhatItPublishes() {
        SampleService dual = web().families(FamilyPolicy.PREFER_DUAL_STACK, IpFamily.IPV4, IpFamily.IPV6)
                .ingress("192.0.2.7", "2001:db8::7");
        ClaimSpec spec = ClaimSpec.of("edge", "berth.dev/pool", new Owner(WEB, "u1"));
        Claim claim = new Claim(Ip.parse("192.0.2.7"), "c", "5", spec);

        ServicePlan plan = plan(dual, List.of(THEIRS), new Holding(claim.ip(), Holding.State.CLAIMED, spec, claim));

        assertThat(plan.steps())
                .filteredOn(Step.Acquire.class::isInstance)
                .singleElement()
                .isInstanceOfSatisfying(
                        Step.Acquire.class,
                        acquire -> assertThat(acquire.request().preferred()).contains(Ip.parse("2001:db8::7")));
    }

    @Test
    void twoFamilies_areTakenOverTogether() {
        SampleService dual = web().families(FamilyPolicy.PREFER_DUAL_STACK, IpFamily.IPV4, IpFamily.IPV6)
                .ingress("192.0.2.7", "2001:db8::7");

        assertThat(plan(dual, List.of(THEIRS)))
                .isInstanceOfSatisfying(
                        ServicePlan.Adopt.class,
                        adopt -> assertThat(adopt.request().families()).containsExactly(IpFamily.IPV4, IpFamily.IPV6));
    }
}
