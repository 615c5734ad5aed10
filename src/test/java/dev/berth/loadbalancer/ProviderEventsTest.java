package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Node;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ServiceIdentity;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ProviderEventsTest {
    private static final String CALLED = "load balancer \"lb-1\"";
    private static final ServedClass TO_NODES =
            served(Capabilities.ofItsOwn(IpMode.PROXY).withTargets(Capabilities.Targets.NODE_PORTS));
    private static final ServedClass TO_ENDPOINTS =
            served(Capabilities.ofItsOwn(IpMode.PROXY).withTargets(Capabilities.Targets.ENDPOINTS));
    private static final ServedClass POOL =
            served(Capabilities.fromPools(IpMode.VIP).withImmediate(true).withTargets(Capabilities.Targets.NONE));
    private static final LoadBalancerRequest NO_NODES = toNodes(0);

    private record Row(String sentence, List<ServiceEvent> events, List<String> texts) {
        Row(String sentence, List<ServiceEvent> events, String... texts) {
            this(sentence, events, List.of(texts));
        }
    }

    private static final List<Row> ROWS = List.of(
            new Row(
                    "a call to what works outside is said",
                    ProviderEvents.before(new ProviderCall.Ensure(toNodes(1)), TO_NODES),
                    "NORMAL EnsuringLoadBalancer"),
            new Row(
                    "a load balancer without nodes is a fault",
                    ProviderEvents.before(new ProviderCall.Ensure(NO_NODES), TO_NODES),
                    "NORMAL EnsuringLoadBalancer",
                    "WARNING UnAvailableLoadBalancer"),
            new Row(
                    "one that sends to endpoints needs no nodes",
                    ProviderEvents.before(new ProviderCall.Ensure(NO_NODES), TO_ENDPOINTS),
                    "NORMAL EnsuringLoadBalancer"),
            new Row(
                    "of what touches nothing outside nothing is said",
                    ProviderEvents.before(new ProviderCall.Ensure(NO_NODES), POOL)),
            new Row(
                    "a look says nothing",
                    ProviderEvents.before(
                            new ProviderCall.Look(NO_NODES, EnsureOutcome.ready(shows("203.0.113.1"))), TO_NODES)),
            new Row(
                    "new nodes are said",
                    ProviderEvents.after(new ProviderCall.Update(toNodes(1)), TO_NODES),
                    "NORMAL UpdatedLoadBalancer"),
            new Row(
                    "new endpoints are not: they change with each roll-out",
                    ProviderEvents.after(new ProviderCall.Update(toNodes(1)), TO_ENDPOINTS)),
            new Row(
                    "a call that ensures says nothing when it is done",
                    ProviderEvents.after(new ProviderCall.Ensure(toNodes(1)), TO_NODES)),
            new Row(
                    "a deletion is said before",
                    ProviderEvents.deleting(TO_NODES, CALLED),
                    "NORMAL DeletingLoadBalancer"),
            new Row("a deletion is said after", ProviderEvents.deleted(TO_NODES, CALLED), "NORMAL DeletedLoadBalancer"),
            new Row("a deletion by what touches nothing outside is not said", ProviderEvents.deleting(POOL, CALLED)),
            new Row("nor when it is done", ProviderEvents.deleted(POOL, CALLED)));

    private static ServedClass served(Capabilities can) {
        return SampleClasses.one("x/y", "edge", can, null, Classless.ALWAYS)
                .served()
                .getFirst();
    }

    private static LoadBalancerRequest toNodes(int nodes) {
        return LoadBalancerRequest.builder("c", new ServiceIdentity("prod", "web", "u1"), IpMode.PROXY)
                .nodes(IntStream.range(0, nodes)
                        .mapToObj(number -> Node.named("n" + number))
                        .toList())
                .build();
    }

    private static LoadBalancerStatus shows(String ip) {
        return LoadBalancerStatus.of(List.of(Ingress.ofIp(ip, IpMode.PROXY)));
    }

    @Test
    void callsAreSaid_asACloudsOwnControllerSaysThem() {
        assertThat(ROWS)
                .allSatisfy(row -> assertThat(row.events())
                        .extracting(event -> event.type() + " " + event.reason())
                        .as(row.sentence())
                        .containsExactlyElementsOf(row.texts()));
    }

    @Test
    void deletion_namesTheLoadBalancer() {
        assertThat(ProviderEvents.deleting(TO_NODES, CALLED))
                .extracting(ServiceEvent::message)
                .containsExactly("Deleting load balancer \"lb-1\"");
        assertThat(ProviderEvents.deleted(TO_NODES, CALLED))
                .extracting(ServiceEvent::message)
                .containsExactly("Deleted load balancer \"lb-1\"");
    }

    @Test
    void nodesOfAnUpdateThatFailed_areNamed_upToTwenty() {
        assertThat(ProviderEvents.notUpdated(toNodes(2), TO_NODES, "on fire").message())
                .isEqualTo("Error updating load balancer with new hosts [n0 n1], error: on fire");
        assertThat(ProviderEvents.notUpdated(toNodes(21), TO_NODES, "on fire").message())
                .contains(" n19 ...] (21 in all), error");
        assertThat(ProviderEvents.notUpdated(toNodes(2), TO_ENDPOINTS, "on fire")
                        .message())
                .isEqualTo("Error updating load balancer with new 0 endpoints, error: on fire");
    }

    @Test
    void drift_saysWhatIsThere_andWhatShouldBe() {
        assertThat(ProviderEvents.drifted(CALLED, shows("203.0.113.1"), Optional.empty())
                        .message())
                .isEqualTo("The load balancer \"lb-1\" is gone; ensuring it again");
        assertThat(ProviderEvents.drifted(CALLED, shows("203.0.113.1"), Optional.of(shows("203.0.113.66")))
                        .message())
                .isEqualTo(
                        "The load balancer \"lb-1\" has 203.0.113.66 (Proxy) instead of 203.0.113.1 (Proxy); ensuring it again");
    }
}
