package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.announce.Announcements;
import dev.berth.announce.NodeReport;
import dev.berth.announce.Protocol;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.pool.PoolDeclaration;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.PoolSet;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.TargetHealth;
import dev.berth.reason.Reason;
import dev.berth.testing.TypedPage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Each condition of a Service that is served, and what it says. */
class ServiceConditionsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final WaitReason FULL = new WaitReason(Reason.PoolExhausted, "no free address");
    private static final ServedClass POOLS = served(Capabilities.fromPools(IpMode.VIP));
    private static final ServedClass CLOUD = served(Capabilities.ofItsOwn(IpMode.PROXY));
    private static final ServiceFailure FAILED = new ServiceFailure(
            "ensuring load balancer for prod/web",
            Reason.EnsureFailed,
            "quota exceeded",
            new Attempt.TearDown(List.of()));

    private static ServedClass served(Capabilities capabilities) {
        return SampleClasses.one("x/y", "cloud", capabilities, null, Classless.ALWAYS)
                .served()
                .getFirst();
    }

    private static List<String> of(ServedClass served, Facts facts, ServiceState service, String... addresses) {
        return new ServiceConditions(
                        service,
                        served,
                        facts,
                        List.of(addresses).stream().map(Ip::parse).toList(),
                        List.of(),
                        PoolSet.empty(),
                        Optional.empty(),
                        false,
                        false,
                        Announcements.NONE,
                        service.ingress(),
                        NOW)
                .all().stream()
                        .map(condition -> condition.type().replace("berth.dev/", "") + "=" + condition.status() + " "
                                + condition.reason() + ": " + condition.message())
                        .toList();
    }

    private static List<String> of(ServedClass served, Facts facts, String... addresses) {
        return of(served, facts, new SampleService().build(), addresses);
    }

    @Test
    void serviceWithItsAddresses_isAssigned_andSaysNothingElse() {
        assertThat(of(POOLS, Facts.NONE, "192.0.2.1"))
                .containsExactly("AddressAssigned=True Assigned: holds 192.0.2.1");
    }

    @Test
    void serviceWithoutAnAddress_saysWhyItWaits_beforeWhatWentWrong() {
        assertThat(of(POOLS, Facts.NONE.with(new Outcome.Lacks(FULL))))
                .containsExactly("AddressAssigned=False PoolExhausted: no free address");
        assertThat(of(
                        POOLS,
                        Facts.NONE.with(new Outcome.Failed(new ServiceFailure(
                                "claiming 192.0.2.1", Reason.ClaimFailed, "denied", new Attempt.TearDown(List.of()))))))
                .containsExactly("AddressAssigned=False ClaimFailed: claiming 192.0.2.1: denied");
    }

    @Test
    void serviceWithOneOfTwoFamilies_isPartiallyAssigned() {
        ServiceState dual = new SampleService()
                .families(FamilyPolicy.PREFER_DUAL_STACK, IpFamily.IPV4, IpFamily.IPV6)
                .build();

        assertThat(of(POOLS, Facts.NONE.with(new Outcome.Lacks(FULL)), dual, "192.0.2.1"))
                .containsExactly("AddressAssigned=True PartiallyAssigned: holds 192.0.2.1; no free address");
    }

    @Test
    void serviceThatAsksForAnotherAddress_keepsItsOwn_untilThatIsFree() {
        assertThat(of(POOLS, Facts.NONE.with(new Outcome.Lacks(FULL)), "192.0.2.1"))
                .containsExactly("AddressAssigned=True ReplacementPending: holds 192.0.2.1; no free address");
    }

    @Test
    void whatCannotBeUnderstood_isTheReason_alsoWhileItHasAnAddress() {
        Facts facts = Facts.NONE.with(
                new Outcome.NotUnderstood(new WaitReason(Reason.InvalidRetain, "neither true nor false")));

        assertThat(of(POOLS, facts)).containsExactly("AddressAssigned=False InvalidRetain: neither true nor false");
        assertThat(of(POOLS, facts, "192.0.2.1"))
                .containsExactly("AddressAssigned=True InvalidRetain: holds 192.0.2.1; neither true nor false");
    }

    @Test
    void providerThatFails_isSaidAsProgrammed_withTheAddressKept() {
        assertThat(of(POOLS, Facts.NONE.with(new Outcome.Failed(FAILED)), "192.0.2.1"))
                .containsExactly(
                        "AddressAssigned=True Assigned: holds 192.0.2.1",
                        "Programmed=False EnsureFailed: ensuring load balancer for prod/web: quota exceeded");
    }

    @Test
    void providerOfItsOwnAddresses_isWhyNoneIsAssigned() {
        assertThat(of(CLOUD, Facts.NONE))
                .containsExactly("AddressAssigned=False Pending: waiting for provider \"cloud\"");
        assertThat(of(CLOUD, Facts.NONE.with(new Outcome.OnItsWay(Duration.ofSeconds(5), "is being made"))))
                .containsExactly(
                        "AddressAssigned=False Pending: is being made", "Programmed=False Pending: is being made");
        assertThat(of(
                        CLOUD,
                        Facts.NONE.with(
                                new Outcome.ToPublish(List.of(new Published("203.0.113.1", null, IpMode.PROXY))))))
                .containsExactly("AddressAssigned=True Assigned: provider \"cloud\" gave 203.0.113.1");
    }

    private static String targets(boolean local, int healthy, int total) {
        ServiceState service =
                local ? new SampleService().localTraffic(Map.of()).build() : new SampleService().build();
        EnsureOutcome.Ready ready =
                EnsureOutcome.ready(LoadBalancerStatus.of(List.of(Ingress.ofIp("192.0.2.1", IpMode.PROXY)))
                        .withTargets(new TargetHealth(total, healthy)));
        return new ServiceConditions(
                        service,
                        POOLS,
                        Facts.NONE,
                        List.of(),
                        List.of(),
                        PoolSet.empty(),
                        Optional.of(ready),
                        false,
                        false,
                        Announcements.NONE,
                        service.ingress(),
                        NOW)
                .all().stream()
                        .filter(condition -> condition.type().equals(WellKnownNames.TARGETS_HEALTHY))
                        .map(condition -> condition.status() + " " + condition.reason() + ": " + condition.message())
                        .findFirst()
                        .orElse("");
    }

    /** With policy Local, those without an endpoint fail, and nothing is wrong. */
    @Test
    void targets_areHealthy_ifOneOfThemIs() {
        assertThat(targets(false, 3, 3)).isEqualTo("True AllTargetsHealthy: 3 of 3 targets pass the health check");
        assertThat(targets(true, 1, 3)).isEqualTo("True SomeTargetsHealthy: 1 of 3 targets pass the health check");
        assertThat(targets(false, 0, 0)).isEqualTo("False NoTargets: there is no target");
        assertThat(targets(false, 0, 3))
                .isEqualTo("False AllTargetsUnhealthy: 0 of 3 targets pass the health check; connections go to all of"
                        + " them");
        assertThat(targets(true, 0, 3))
                .isEqualTo("False AllTargetsUnhealthy: 0 of 3 targets pass the health check; with"
                        + " externalTrafficPolicy: Local no connection is served");
    }

    @Test
    void sharingConflict_isSaid_besideTheAddress() {
        assertThat(of(
                        POOLS,
                        Facts.NONE.with(new Outcome.CannotShare(new WaitReason(Reason.PortInUse, "port 80 is taken"))),
                        "192.0.2.1"))
                .contains("SharingConflict=True PortInUse: port 80 is taken");
    }

    @Test
    void whatMetricsCount_isTheReasonOfAllThatAreNotWhollyAssigned() {
        assertThat(ServiceConditions.waitsFor(new Condition("t", Condition.Status.TRUE, "Assigned", "", NOW)))
                .isEmpty();
        assertThat(ServiceConditions.waitsFor(new Condition("t", Condition.Status.TRUE, "PartiallyAssigned", "", NOW)))
                .contains("PartiallyAssigned");
    }

    @Test
    void whoeverHasAnAddress_andAsksForAnother_isNotCounted() {
        for (String reason :
                List.of("ReplacementPending", "AddressOfOtherPool", "PoolNotFound", "InvalidRetain", "ClassMissing")) {
            Condition assigned = new Condition("t", Condition.Status.TRUE, reason, "", NOW);
            assertThat(ServiceConditions.waitsFor(assigned)).isEmpty();
            assertThat(ServiceConditions.notAsRequested(assigned)).contains(reason);
        }
        assertThat(ServiceConditions.waitsFor(new Condition("t", Condition.Status.FALSE, "PoolNotFound", "", NOW)))
                .contains("PoolNotFound");
    }

    private static Holding of(String pool, String ip) {
        ClaimSpec spec = ClaimSpec.of(pool, "x/y", new Owner(new ServiceKey("prod", "web"), "u1"));
        return Holding.of(new Claim(Ip.parse(ip), "c", "5", spec));
    }

    private static List<String> stranded(PoolSet pools, Holding... stranded) {
        return new ServiceConditions(
                        new SampleService().build(),
                        POOLS,
                        Facts.NONE,
                        List.of(),
                        List.of(stranded),
                        pools,
                        Optional.empty(),
                        false,
                        false,
                        Announcements.NONE,
                        List.of(),
                        NOW)
                .all().stream()
                        .filter(condition -> condition.type().equals(WellKnownNames.ADDRESS_STRANDED))
                        .map(condition -> condition.status() + " " + condition.reason() + ": " + condition.message())
                        .toList();
    }

    @Test
    void addressThatNoPoolHas_isSaid_withWhatBecameOfItsPool() {
        PoolSet pools = PoolSet.of(
                List.of(new PoolDeclaration(
                        "edge", NOW, List.of("192.0.2.0/28"), List.of(), false, PoolPolicy.OPEN, false)),
                List.of());

        assertThat(stranded(pools)).isEmpty();
        assertThat(stranded(pools, of("edge", "192.0.2.99")))
                .containsExactly(
                        "True NotInAnyPool: 192.0.2.99 is no longer in AddressPool \"edge\"; the Service keeps the"
                                + " address until the Service is deleted or the pool reclaims it");
        assertThat(stranded(pools, of("office", "203.0.113.0"), of("office", "2001:db8:1::")))
                .singleElement()
                .asString()
                .startsWith("True PoolDeleted: AddressPool \"office\", which had 203.0.113.0, was deleted; the Service"
                        + " keeps the address until the Service is deleted or a new AddressPool with the same"
                        + " name reclaims it")
                .contains("which had 2001:db8:1::, was deleted");
    }

    @Test
    void annotationsThatAreNotRead_areSaid() {
        assertThat(of(
                        POOLS,
                        Facts.NONE.with(new Outcome.Ignored(new WaitReason(Reason.UnknownAnnotation, "is not known"))),
                        "192.0.2.1"))
                .containsExactly(
                        "AddressAssigned=True Assigned: holds 192.0.2.1",
                        "AnnotationsIgnored=True UnknownAnnotation: is not known");
    }

    @Test
    void targetsOfThePage_areSaidAsItShows() throws IOException {
        assertThat(targets(false, 2, 3))
                .endsWith(": "
                        + TypedPage.steps(Path.of("docs/load-balancer-classes.md")).stream()
                                .filter(step -> step.typed().contains("TargetsHealthy"))
                                .findFirst()
                                .orElseThrow()
                                .printed());
    }

    private static List<String> announced(String provider, Announcements announcements, String... addresses) {
        ServedClass served = SampleClasses.one(
                        "x/y", provider, Capabilities.fromPools(IpMode.VIP), null, Classless.ALWAYS)
                .served()
                .getFirst();
        return new ServiceConditions(
                        new SampleService().build(),
                        served,
                        Facts.NONE,
                        List.of(addresses).stream().map(Ip::parse).toList(),
                        List.of(),
                        PoolSet.empty(),
                        Optional.empty(),
                        false,
                        false,
                        announcements,
                        List.of(),
                        NOW)
                .all().stream()
                        .filter(condition -> condition.type().equals(WellKnownNames.ANNOUNCED))
                        .map(condition -> condition.status() + " " + condition.reason() + ": " + condition.message())
                        .toList();
    }

    @Test
    void announced_saysWho_orWhyNobodyDoes_ofProvidersThatAgentsAnnounce() {
        Announcements known = Announcements.NONE.reported(
                "worker-1",
                new NodeReport(new TreeMap<>(Map.of(
                        Protocol.L2,
                        new NodeReport.Part(
                                List.of(IpRange.parse("192.0.2.1")),
                                List.of(),
                                new TreeMap<>(Map.of("NoEndpoints", List.of(IpRange.parse("2001:db8::1")))))))),
                NOW);
        assertThat(announced("l2", known, "192.0.2.1"))
                .containsExactly("True Announced: node worker-1 announces 192.0.2.1 by ARP");
        assertThat(announced("l2", known, "192.0.2.1", "2001:db8::1"))
                .containsExactly("False NoEndpoints: node worker-1 announces 192.0.2.1 by ARP; no node announces"
                        + " 2001:db8::1: its Services have no ready endpoint");
        assertThat(announced("l2", known, "192.0.2.1", "192.0.2.7"))
                .containsExactly(
                        "Unknown NotReported: node worker-1 announces 192.0.2.1 by ARP; no agent has reported on"
                                + " 192.0.2.7 yet");
        assertThat(announced("bgp", known, "192.0.2.1"))
                .singleElement()
                .asString()
                .startsWith("False NoAgent: ");
        assertThat(announced("l2", known)).isEmpty();
        assertThat(announced(
                        "l2",
                        Announcements.NONE.reported(
                                "worker-1",
                                new NodeReport(new TreeMap<>(Map.of(
                                        Protocol.L2,
                                        new NodeReport.Part(
                                                List.of(
                                                        IpRange.parse("192.0.2.1-192.0.2.2"),
                                                        IpRange.parse("2001:db8::1")),
                                                List.of(IpRange.parse("2001:db8::1")),
                                                new TreeMap<>())))),
                                NOW),
                        "192.0.2.1",
                        "2001:db8::1"))
                .singleElement()
                .asString()
                .startsWith("True AddressConflict: node worker-1 announces 192.0.2.1 by ARP; node worker-1 announces"
                        + " 2001:db8::1 by NDP; another machine claims");
        assertThat(announced("pool", known, "192.0.2.1")).isEmpty();
    }
}
