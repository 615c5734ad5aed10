package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.controller.Next;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.AnswerRules;
import dev.berth.loadbalancer.AnsweredAddresses;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.pool.PoolSet;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.PortError;
import dev.berth.provider.Protocol;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import dev.berth.testing.cluster.Line;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What a provider answers against the contract is said on the Service, is not published, and is asked for again later. */
class HostileAnswersTest extends CloudStage {
    private static final Ip PUBLISHED = Ip.parse("203.0.113.1");

    record Row(String sentence, String rule, LoadBalancerStatus answer) {
        Row(String sentence, String rule, Ingress... ingress) {
            this(sentence, rule, LoadBalancerStatus.of(List.of(ingress)));
        }

        @Override
        public String toString() {
            return sentence;
        }
    }

    private static Ingress proxy(String ip) {
        return Ingress.ofIp(ip, IpMode.PROXY);
    }

    private static Ingress host(String name) {
        return Ingress.ofHostname(name);
    }

    /** It was given 192.0.2.0. */
    static final List<Row> OF_ONE_THAT_TAKES_ADDRESSES = List.of(
            new Row("its own address", "ensure04", proxy("8.8.8.8")),
            new Row("the node itself", "ensure04", proxy("127.0.0.1")),
            new Row("a free address of the pool", "ensure04", proxy("192.0.2.1")),
            new Row("one more than it was given", "ensure04", proxy("192.0.2.0"), proxy("192.0.2.1")),
            new Row("its address in other words", "ensure04", proxy("::ffff:192.0.2.0")),
            new Row("a hostname", "ensure04", proxy("192.0.2.0"), host("lb.test.dev")),
            new Row("an address that is none", "ensure04", proxy("\u001b[2J192.0.2.0")),
            new Row("another ipMode", "ensure07", Ingress.ofIp("192.0.2.0", IpMode.VIP)),
            new Row("no ipMode, which is VIP", "ensure07", Ingress.ofIp("192.0.2.0", null)),
            new Row("its address twice", "ensure06", proxy("192.0.2.0"), proxy("192.0.2.0")),
            new Row(
                    "an error of a port that nobody asked for",
                    "ensure08",
                    LoadBalancerStatus.of(List.of(proxy("192.0.2.0")))
                            .withPortErrors(List.of(new PortError(81, Protocol.TCP, "NoListenerLeft")))));

    /** The pool has 192.0.2.0/28 without 192.0.2.8, and the cluster 10.96.0.0/16. */
    static final List<Row> OF_ONE_WITH_ITS_OWN = List.of(
            new Row("the node itself", "ensure06", proxy("127.0.0.1")),
            new Row("no address", "ensure06", proxy("0.0.0.0")),
            new Row("where clouds tell their secrets", "ensure06", proxy("169.254.169.254")),
            new Row("everybody", "ensure06", proxy("224.0.0.1")),
            new Row("a family that was not asked for", "ensure06", proxy("2001:db8::1")),
            new Row("no canonical text", "ensure06", proxy("203.0.113.01")),
            new Row("what is not a hostname", "ensure06", host("a b\n")),
            new Row("an address as a hostname", "ensure06", host("10.96.0.1")),
            new Row("the cluster IP of the API server", "ensure25", proxy("10.96.0.1")),
            new Row("a free address of a pool", "ensure25", proxy("192.0.2.1")),
            new Row("an address that a pool excludes", "ensure25", proxy("192.0.2.8")),
            new Row("an address that another Service has", "ensure25", proxy("198.51.100.7")),
            new Row("another ipMode", "ensure07", Ingress.ofIp("203.0.113.1", IpMode.VIP)));

    @ParameterizedTest
    @FieldSource("OF_ONE_THAT_TAKES_ADDRESSES")
    void answerAgainstARule_ofAProviderThatTakesAddresses_isNotPublished_andTheConditionNamesTheRule(Row row) {
        takeAddressesFrom("192.0.2.0/28");

        isRefused(row);
    }

    @ParameterizedTest
    @FieldSource("OF_ONE_WITH_ITS_OWN")
    void answerAgainstARule_ofAProviderWithItsOwn_isNotPublished_andTheConditionNamesTheRule(Row row) {
        pool(List.of("192.0.2.0/28"), "192.0.2.8");
        ledger.observe(new Claim(
                Ip.parse("198.51.100.7"),
                "uid-of-the-address",
                "1",
                ClaimSpec.of(null, null, new Owner(key("other"), "uid-other"))));

        isRefused(row);
    }

    private void isRefused(Row row) {
        cloud.answer = EnsureOutcome.ready(row.answer());
        create("web");

        Next next = reconcile("web");
        reconcile("web");

        assertThat(service("web").ingress()).isEmpty();
        Condition said = service("web").condition(WellKnownNames.PROGRAMMED).orElseThrow();
        assertThat(said.status()).isEqualTo(Condition.Status.FALSE);
        assertThat(said.reason()).isEqualTo("AnswerRefused");
        assertThat(said.message())
                .contains("provider \"cloud\" answered ", "(rule " + row.rule() + ")")
                .doesNotContain("\u001b", "\n");
        assertThat(recorded.events)
                .contains("Warning SyncLoadBalancerFailed: Error syncing load balancer: " + said.message());
        assertThat(cloud.calls).as("before its time").hasSize(1);
        clock = clock.plus(next.delay().orElseThrow());
        reconcile("web");
        assertThat(cloud.calls).as("in its time").hasSize(2);
    }

    @Test
    void addressOfItsOwn_thatAPoolNamesSince_isAskedForAgain_andTheServiceSaysSo() {
        served("web");

        pool(List.of("203.0.113.0/24"));
        reconcile("web");

        assertThat(cloud.calls).containsExactly("ensure web[n1]");
        assertThat(service("web")
                        .condition(WellKnownNames.PROGRAMMED)
                        .orElseThrow()
                        .message())
                .contains("203.0.113.1", "AddressPool \"edge\"");
    }

    /** A pool that names it since must not give it to another Service meanwhile. */
    @Test
    void addressOfItsOwn_isWithheldFromPools_whileItIsPublished() {
        served("web");

        pool(List.of("203.0.113.1"));
        reconcile("web");

        assertThat(service("web").publishedAddresses()).containsExactly(PUBLISHED);
        assertWithheld();

        cloud.answer = EnsureOutcome.ready(LoadBalancerStatus.of(List.of(proxy("203.0.113.2"))));
        clock = clock.plus(Duration.ofHours(1));
        reconcile("web");

        assertThat(service("web").publishedAddresses()).containsExactly(Ip.parse("203.0.113.2"));
        assertThat(ledger.holding(PUBLISHED)).isEmpty();
    }

    /** The leader that gave it to the Service knew; this one has not been answered yet. */
    @Test
    void addressOfItsOwn_thatALeaderBeforePublishedLate_isWithheldFromPools_alsoWhileTheProviderIsNotAsked() {
        ServiceState published = publishedByALeaderBefore();
        reconcile("web");

        put(SampleService.from(published));
        reconcile("web");
        pool(List.of("203.0.113.1"));

        assertThat(cloud.calls).hasSize(1);
        assertWithheld();
    }

    /** Another leader published it just before the pool came, and this one reads it after that. */
    @Test
    void addressOfItsOwn_isWithheldFromAPoolThatNamesItAlready_whileItIsPublished() {
        ServiceState published = publishedByALeaderBefore();
        pool(List.of("203.0.113.1"));

        put(SampleService.from(published));
        reconcile("web");

        assertWithheld();
    }

    /** The write was carried out, and the cache does not have it yet. */
    @Test
    void addressOfItsOwn_isWithheldFromPools_untilItIsKnownWhetherItWasPublished() {
        create("web");
        cloud.meanwhile = () -> writes = Line.Fault.UNKNOWN_DONE;
        reconcile("web");
        writes = Line.Fault.NONE;

        pool(List.of("203.0.113.1"));
        control.reconcile(key("web"));

        assertThat(service("web").publishedAddresses()).containsExactly(PUBLISHED);
        assertWithheld();
    }

    /** The cache has seen the end of the Service of this name before it, and not yet that this one is there. */
    private void servedBeforeTheCacheHasIt() {
        served("web");
        put(SampleService.from(service("web")).ports(new Port("", Protocol.TCP, 81, 30081)));
        client.relist();
        cluster.endService(key("web"));
        put(SampleService.named(key("web"), "uid-next"));
        control.reconcile(key("web"));
        assertThat(service("web").publishedAddresses()).containsExactly(PUBLISHED);
        client.serviceCache.hear();
        assertThat(client.hasService(key("web"))).isFalse();
    }

    @Test
    void addressOfItsOwn_isWithheldFromPools_thoughTheCacheDoesNotHaveTheServiceYet_untilItIsGone() {
        servedBeforeTheCacheHasIt();
        pool(List.of("203.0.113.1"));
        assertWithheld();
        cloud.ensureFails = new ProviderException("no answer");
        control.reconcile(key("web"));
        assertWithheld();

        cluster.endService(key("web"));
        List.copyOf(later).forEach(task -> task.what().run());
        assertThat(ledger.holding(PUBLISHED)).isEmpty();
    }

    @Test
    void addressOfItsOwn_isFree_onceTheServiceIsGone_thoughTheCacheHasOnlySeenThatItIsNotThere() {
        servedBeforeTheCacheHasIt();
        pool(List.of("203.0.113.1"));

        cluster.endService(key("web"));
        reconcile("web");

        assertThat(ledger.holding(PUBLISHED)).isEmpty();
    }

    /** What the leader before is about to write; the one that leads now has no answer of the provider. */
    private ServiceState publishedByALeaderBefore() {
        served("web");
        ServiceState published = service("web");
        create("web");
        control = operator();
        cloud.ensureFails = new ProviderException("no answer");
        return published;
    }

    private void assertWithheld() {
        assertThat(ledger.holding(PUBLISHED)).get().extracting(Holding::owners).isEqualTo(List.of());
    }

    /** One that listens on a host port of each Node publishes the Nodes' addresses; by ipMode Proxy nothing is taken. */
    @Test
    void addressOfANode_isPublishedWithIpModeProxy() {
        ofNodes.add(Ip.parse("203.0.113.1"));
        create("web");

        reconcile("web");

        assertThat(service("web").ingress()).extracting(Object::toString).containsExactly("203.0.113.1 (Proxy)");
    }

    /** By ipMode VIP each kube-proxy would take what is sent to that Node for the Service's. */
    @Test
    void addressOfANode_withIpModeVip_isNotPublished() {
        LoadBalancerStatus answer = LoadBalancerStatus.of(List.of(Ingress.ofIp("203.0.113.1", IpMode.VIP)));
        LoadBalancerRequest request = LoadBalancerRequest.builder(
                        "test", new ServiceIdentity("prod", "web", "uid-web"), IpMode.VIP)
                .families(List.of(Capabilities.Family.IPV4))
                .build();

        Optional<AnswerRules.Broken> broken = AnswerRules.broken(
                answer,
                request,
                Capabilities.ofItsOwn(IpMode.VIP),
                new AnsweredAddresses(List.of(), PoolSet.of(List.of(), List.of()), List.of(Ip.parse("203.0.113.1"))));
        Optional<AnswerRules.Broken> elsewhere =
                AnswerRules.broken(answer, request, Capabilities.ofItsOwn(IpMode.VIP), AnsweredAddresses.NONE);

        assertThat(broken.orElseThrow().toString()).contains("203.0.113.1 of a Node", "(rule ensure25)");
        assertThat(elsewhere).isEmpty();
    }

    @Test
    void rightAnswer_afterAWrongOne_isPublished() {
        cloud.answer = EnsureOutcome.ready(LoadBalancerStatus.of(List.of(proxy("127.0.0.1"))));
        create("web");
        Next next = reconcile("web");
        cloud.answer = null;
        clock = clock.plus(next.delay().orElseThrow());

        reconcile("web");

        assertThat(service("web").ingress()).extracting(Object::toString).containsExactly("203.0.113.1 (Proxy)");
        assertThat(service("web").condition(WellKnownNames.PROGRAMMED)).isEmpty();
    }

    @Test
    void oneOfTwoFamilies_isNotPublishedWithoutTheOther() {
        takeAddressesFrom("192.0.2.0/28", "2001:db8::/120");
        cloud.answer = EnsureOutcome.ready(LoadBalancerStatus.of(List.of(proxy("192.0.2.0"))));
        put(SampleService.named(key("web"), "uid-web")
                .families(FamilyPolicy.REQUIRE_DUAL_STACK, IpFamily.IPV4, IpFamily.IPV6));

        reconcile("web");

        assertThat(service("web").ingress()).isEmpty();
        assertThat(service("web")
                        .condition(WellKnownNames.PROGRAMMED)
                        .orElseThrow()
                        .message())
                .endsWith("provider \"cloud\" answered 192.0.2.0, and not 2001:db8::, which it was given"
                        + " (rule ensure05); nothing of it is published");
    }
}
