package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.SampleClasses;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.Protocol;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Of a class with {@code nodePorts: Release}, whose provider sends packets to endpoints. */
class NodePortsTest extends CloudStage {
    @BeforeEach
    void release() {
        releasesNodePorts = true;
        targetEndpoints();
        create("web");
    }

    private List<Integer> nodePorts() {
        return service("web").ports().stream().map(Port::nodePort).toList();
    }

    private void allocateAgain() {
        put(SampleService.from(service("web")).ports(List.of(new Port("", Protocol.TCP, 80, 30080))));
    }

    @Test
    void areReleased_onceAnEndpointGetsPackets_andNotBefore() {
        reconcile("web");
        assertThat(service("web").ingress()).isNotEmpty();
        assertThat(nodePorts()).containsExactly(30080);

        endpointsBecome("web", "10.64.0.7");

        assertThat(nodePorts()).containsExactly(0);
        assertThat(service("web").asked().annotations()).containsEntry(WellKnownNames.NODE_PORTS_RELEASED, "80/TCP");
        assertThat(recorded.events).contains("ReleasedNodePorts: Released the node ports of 80/TCP");
    }

    @Test
    void areKept_whileTheProviderIsNotReady() {
        cloud.answer = EnsureOutcome.pending(Duration.ofSeconds(5), "being made");
        endpointsBecome("web", "10.64.0.7");
        reconcile("web");

        assertThat(nodePorts()).containsExactly(30080);
    }

    @Test
    void thatCameBack_areLeft_andItIsSaid_untilTheyAreGone() {
        endpointsBecome("web", "10.64.0.7");
        reconcile("web");

        allocateAgain();
        reconcile("web");
        reconcile("web");

        assertThat(nodePorts()).containsExactly(30080);
        assertThat(service("web").condition(WellKnownNames.NODE_PORTS_CONFLICT))
                .hasValueSatisfying(condition -> assertThat(condition.reason()).isEqualTo("NodePortsReallocated"));
        put(SampleService.from(service("web")).ports(List.of(new Port("", Protocol.TCP, 80, 0))));
        reconcile("web");
        assertThat(service("web").condition(WellKnownNames.NODE_PORTS_CONFLICT)).isEmpty();
    }

    @Test
    void ofOtherPorts_areReleasedOnceMore() {
        endpointsBecome("web", "10.64.0.7");
        reconcile("web");

        put(SampleService.from(service("web")).ports(List.of(new Port("", Protocol.TCP, 8080, 30081))));
        reconcile("web");

        assertThat(nodePorts()).containsExactly(0);
        assertThat(service("web").asked().annotations()).containsEntry(WellKnownNames.NODE_PORTS_RELEASED, "8080/TCP");
    }

    @Test
    void ofAServiceThatIsNoLoadBalancerAnyMore_areForgotten() {
        endpointsBecome("web", "10.64.0.7");
        reconcile("web");

        put(SampleService.from(service("web")).typeLoadBalancer(false));
        reconcile("web");

        assertThat(service("web").asked().annotations()).doesNotContainKey(WellKnownNames.NODE_PORTS_RELEASED);
    }

    /** The default class was changed while the Service had no address: only a user can bring them back. */
    @Test
    void thatWereReleased_andThatTheNextProviderNeeds_areMissed_andItIsSaid() {
        endpointsBecome("web", "10.64.0.7");
        reconcile("web");
        cloud.targets = Targets.NODE_PORTS;
        classes = SampleClasses.one(CLASS, "cloud", cloud.capabilities(), null, Classless.ALWAYS);
        control = operator();

        reconcile("web");

        assertThat(service("web").ingress()).isEmpty();
        assertThat(service("web").condition(WellKnownNames.UNSUPPORTED))
                .hasValueSatisfying(condition -> assertThat(condition.message())
                        .endsWith("port 80 has none; remove spec.allocateLoadBalancerNodePorts: false"));
    }
}
