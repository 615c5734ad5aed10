package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState.Delivery;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.Protocol;
import dev.berth.provider.ProviderException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * What about a Service has its provider asked again: the rows of upstream's TestNeedsUpdate, TestNeedsCleanup,
 * TestSyncLoadBalancerIfNeeded, TestAddFinalizer, TestRemoveFinalizer and TestPatchStatus.
 */
class ServiceChangesTest extends CloudStage {
    private static final Port HTTP = new Port("http", Protocol.TCP, 80, 30080);

    private static SampleService web() {
        return SampleService.named(key("web"), "uid-web").ports(HTTP);
    }

    /** Its load balancer may be gone: the answer to the delete was lost. */
    @Test
    void provider_isAskedAgain_forAServiceThatIsALoadBalancerAgain_afterADeleteThatFailed() {
        served("web");
        cloud.deleteFails = new ProviderException("no answer");
        put(SampleService.from(service("web")).typeLoadBalancer(false));
        reconcile("web");
        cloud.calls.clear();

        put(SampleService.from(service("web")).typeLoadBalancer(true));
        reconcile("web");

        assertThat(cloud.calls).containsExactly("ensure web[n1]");
    }

    @Test
    void anAddressThatIsReleasedWhileItsProviderIsAsked_isNotPublishedBeforeItIsClaimedAgain() {
        takeAddressesFrom("192.0.2.0/32");
        Ip ip = Ip.parse("192.0.2.0");
        cloud.answer = EnsureOutcome.ready(LoadBalancerStatus.of(List.of(Ingress.ofIp("192.0.2.0", IpMode.PROXY))));
        create("web");
        cloud.meanwhile = () -> {
            Claim claim = Objects.requireNonNull(cluster.claims.get(ip));
            client.deleteClaim(claim);
            ledger.free(claim);
        };

        reconcile("web");

        assertThat(service("web").publishedAddresses()).containsExactly(ip);
        assertThat(cluster.claims).containsKey(ip);
    }

    private record Change(String rule, UnaryOperator<SampleService> edit, boolean isAsked) {}

    @Test
    void provider_isAskedAgain_whenWhatItIsAskedChanges_andForNothingElse() {
        List<Change> changes = List.of(
                new Change("nothing", service -> service, false),
                new Change("labels", service -> service.labels(Map.of("a", "b")), true),
                new Change(
                        "an annotation that the provider does not read",
                        service -> service.annotation("x", "y"),
                        false),
                new Change("one that it reads", service -> service.annotation("cloud.test.dev/size", "7"), true),
                new Change("the port", service -> service.ports(new Port("http", Protocol.TCP, 81, 30080)), true),
                new Change("its name", service -> service.ports(new Port("web", Protocol.TCP, 80, 30080)), true),
                new Change("its protocol", service -> service.ports(new Port("http", Protocol.UDP, 80, 30080)), true),
                new Change("its node port", service -> service.ports(new Port("http", Protocol.TCP, 80, 30081)), true),
                new Change(
                        "one port more",
                        service -> service.ports(HTTP, new Port("https", Protocol.TCP, 443, 30443)),
                        true),
                new Change(
                        "an appProtocol comes",
                        service -> service.ports(new Port("http", Protocol.TCP, 80, 30080, "http")),
                        true),
                new Change(
                        "source ranges",
                        service -> service.delivery(new Delivery(List.of("198.51.100.0/24"), null, 0)),
                        true),
                new Change(
                        "session affinity",
                        service -> service.delivery(new Delivery(List.of(), Duration.ofHours(3), 0)),
                        true),
                new Change("loadBalancerIP", service -> service.loadBalancerIp("203.0.113.9"), true),
                new Change("externalTrafficPolicy", service -> service.localTraffic(Map.of()), true),
                new Change(
                        "ipFamilies",
                        service -> service.families(FamilyPolicy.PREFER_DUAL_STACK, IpFamily.IPV4, IpFamily.IPV6),
                        true));
        for (Change change : changes) {
            cluster.endService(key("web"));
            reconcile("web");
            put(web());
            reconcile("web");
            cloud.calls.clear();
            put(change.edit().apply(SampleService.from(service("web"))));

            reconcile("web");

            assertThat(cloud.calls)
                    .as(change.rule())
                    .isEqualTo(change.isAsked() ? List.of("ensure web[n1]") : List.of());
        }
    }

    @Test
    void healthCheckNodePort_isAChange_ofALocalService() {
        put(web().localTraffic(Map.of()).delivery(new Delivery(List.of(), null, 31000)));
        reconcile("web");
        cloud.calls.clear();
        put(SampleService.from(service("web")).delivery(new Delivery(List.of(), null, 31001)));

        reconcile("web");

        assertThat(cloud.calls).containsExactly("ensure web[n1]");
        assertThat(cloud.requests.getLast().healthCheck())
                .isEqualTo(new LoadBalancerRequest.HealthCheck(31001, "/healthz"));
    }

    @Test
    void everyProtocolThatTheProviderCarries_isEnsured() {
        for (Protocol protocol : List.of(Protocol.TCP, Protocol.UDP)) {
            String name = "s-" + protocol.name().toLowerCase(Locale.ROOT);
            put(SampleService.named(key(name), "uid-" + name).ports(new Port("", protocol, 53, 30053)));

            reconcile(name);

            assertThat(cloud.calls).contains("ensure " + name + "[n1]");
        }
    }

    @Test
    void serviceThatWantsNone_orOfAnotherClass_causesNoCallAndNoWrite() {
        put(SampleService.named(key("internal"), "u1").typeLoadBalancer(false));
        put(SampleService.named(key("others"), "u2")
                .loadBalancerClass("example.com/other")
                .finalizers(List.of("service.kubernetes.io/load-balancer-cleanup")));
        int before = cluster.writes();

        reconcile("internal");
        reconcile("others");

        assertThat(cloud.calls).isEmpty();
        assertThat(cluster.writes()).isEqualTo(before);
        assertThat(service("others").finalizers()).containsExactly("service.kubernetes.io/load-balancer-cleanup");
    }

    @Test
    void typeThatIsNoLongerLoadBalancer_isCleanedUp_withStatusAndFinalizer() {
        served("web");
        put(SampleService.from(service("web")).typeLoadBalancer(false));

        reconcile("web");

        assertThat(cloud.calls).containsExactly("delete web[n1]");
        assertThat(service("web").ingress()).isEmpty();
        assertThat(service("web").hasOurFinalizer()).isFalse();
        assertThat(service("web").asked().annotations()).isEmpty();
    }

    @Test
    void serviceWithTheFinalizerOn_isPublishedByOneWrite_andSettled_byNone() {
        put(web().finalizer(WellKnownNames.FINALIZER).annotation(WellKnownNames.SERVED_BY_CLASS, CLASS));
        int before = cluster.writes();

        reconcile("web");
        int published = cluster.writes();
        reconcile("web");

        assertThat(published - before).isEqualTo(1);
        assertThat(cluster.writes()).isEqualTo(published);
    }

    @Test
    void anotherOfTheSameName_hasTheOldLoadBalancerDeletedFirst() {
        served("web");
        put(SampleService.named(key("web"), "uid-new"));

        reconcile("web");

        assertThat(cloud.calls).containsExactly("delete web[n1]", "ensure web[n1]");
        assertThat(cloud.requests.get(cloud.requests.size() - 2).service().uid())
                .isEqualTo("uid-web");
        assertThat(cloud.requests.getLast().service().uid()).isEqualTo("uid-new");
    }

    @Test
    void serviceThatIsGone_withoutItsFinalizer_hasItsLoadBalancerDeleted() {
        served("web");
        cluster.endService(key("web"));

        reconcile("web");

        assertThat(cloud.calls).containsExactly("delete web[n1]");
    }
}
