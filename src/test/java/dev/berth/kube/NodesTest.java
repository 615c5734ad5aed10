package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.NodeRules;
import dev.berth.loadbalancer.NodeState;
import dev.berth.plugin.grpc.wire.Contract;
import dev.berth.plugin.grpc.wire.RequestMapping;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ServiceIdentity;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The rows of upstream's Test_respectsPredicates (for its stable node set: readiness is none of them) and of
 * Test_shouldSyncUpdatedNode_individualPredicates and …_compoundedPredicates, whose tables are part of the product
 * of states here.
 */
class NodesTest {
    private static NodeBuilder node() {
        return new NodeBuilder()
                .withNewMetadata()
                .withName("n1")
                .endMetadata()
                .withNewSpec()
                .withProviderID("cloud://1")
                .endSpec()
                .withNewStatus()
                .addNewAddress("10.0.0.1", "InternalIP")
                .addNewAddress("192.0.2.1", "ExternalIP")
                .addNewAddress("n1", "Hostname")
                .endStatus();
    }

    private static Node labelled(String label, String value) {
        return node().editMetadata().addToLabels(label, value).endMetadata().build();
    }

    private static Node tainted(String key) {
        return node().editSpec()
                .addNewTaint()
                .withKey(key)
                .withEffect("NoSchedule")
                .endTaint()
                .endSpec()
                .build();
    }

    private static boolean mayGetPackets(Node node) {
        return NodeRules.mayGetPackets(Nodes.state(node));
    }

    @Test
    void node_getsPackets_withoutAProviderId_too() {
        assertThat(mayGetPackets(node().build())).isTrue();
        assertThat(mayGetPackets(new NodeBuilder()
                        .withNewMetadata()
                        .withName("bare")
                        .endMetadata()
                        .build()))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "'',false",
        "true,false",
        "1,false",
        "foo,false",
        "no,false",
        "false,true",
        "False,true",
        "FALSE,true",
        "f,true",
        "0,true"
    })
    void excludedNode_getsNone_unlessTheValueSaysFalse(String value, boolean gets) {
        assertThat(mayGetPackets(labelled(NodeRules.EXCLUDE, value))).isEqualTo(gets);
    }

    @Test
    void otherLabelsAndTaints_andReadiness_excludeNoNode() {
        assertThat(mayGetPackets(labelled("other", ""))).isTrue();
        assertThat(mayGetPackets(tainted("other"))).isTrue();
        assertThat(mayGetPackets(withReady(node(), "False").build())).isTrue();
        assertThat(mayGetPackets(withReady(node(), "Unknown").build())).isTrue();
    }

    @Test
    void nodeAboutToGo_getsNone() {
        assertThat(mayGetPackets(tainted(NodeRules.TO_BE_DELETED))).isFalse();
        assertThat(mayGetPackets(deleting(node()).build())).isFalse();
    }

    private static NodeBuilder withReady(NodeBuilder node, String status) {
        return node.editStatus()
                .addNewCondition()
                .withType("Ready")
                .withStatus(status)
                .endCondition()
                .endStatus();
    }

    private static NodeBuilder deleting(NodeBuilder node) {
        return node.editMetadata().withDeletionTimestamp("2026-01-01T00:00:00Z").endMetadata();
    }

    @Test
    void zoneRegionAndLastingLabels_areInARequest_andNoOthers() {
        Node node = node().editMetadata()
                .addToLabels("topology.kubernetes.io/zone", "a")
                .addToLabels("topology.kubernetes.io/region", "r")
                .addToLabels("node.kubernetes.io/instance-type", "large")
                .addToLabels("node-role.kubernetes.io/worker", "")
                .addToLabels("kubernetes.io/os", "linux")
                .addToLabels("node-restriction.kubernetes.io/edge", "yes")
                .addToLabels(NodeRules.EXCLUDE, "false")
                .addToLabels("feature.node.kubernetes.io/cpu-load", "7")
                .addToLabels("example.com/heartbeat", "1760000000")
                .endMetadata()
                .build();

        assertThat(NodeRules.targets(List.of(Nodes.state(node))))
                .containsExactly(LoadBalancerRequest.Node.named("n1")
                        .withProviderId("cloud://1")
                        .withAddresses(List.of("10.0.0.1"))
                        .withZone("a")
                        .withRegion("r")
                        .withLabels(Map.of(
                                "node.kubernetes.io/instance-type", "large",
                                "node-role.kubernetes.io/worker", "",
                                "kubernetes.io/os", "linux",
                                "node-restriction.kubernetes.io/edge", "yes")));
    }

    @ParameterizedTest
    @CsvSource({
        "topology.kubernetes.io/zone,true",
        "topology.kubernetes.io/region,true",
        "node-role.kubernetes.io/worker,true",
        "example.com/heartbeat,false",
        "feature.node.kubernetes.io/cpu-load,false"
    })
    void changedLabel_isTold_ifARequestHasIt(String label, boolean isTold) {
        assertThat(NodeRules.isWorthTelling(Nodes.state(labelled(label, "a")), Nodes.state(labelled(label, "b"))))
                .isEqualTo(isTold);
        assertThat(Nodes.state(labelled(label, "a")).equals(Nodes.state(labelled(label, "b"))))
                .isEqualTo(!isTold);
    }

    /** As a large cluster of a cloud has it, with 50 labels of others on each. */
    @Test
    void requestWith5000Nodes_fitsIntoAMessageToAPlugin() {
        List<NodeState> nodes = IntStream.range(0, 5000)
                .mapToObj(number -> {
                    String name = "ip-10-123-%d-%d.eu-central-1.compute.internal".formatted(number / 250, number % 250);
                    NodeBuilder node = node().editMetadata()
                            .withName(name)
                            .addToLabels("kubernetes.io/hostname", name)
                            .addToLabels("kubernetes.io/os", "linux")
                            .addToLabels("kubernetes.io/arch", "amd64")
                            .addToLabels("node.kubernetes.io/instance-type", "m7i-flex.24xlarge")
                            .addToLabels("node-role.kubernetes.io/worker", "")
                            .addToLabels("topology.kubernetes.io/zone", "eu-central-1a")
                            .addToLabels("topology.kubernetes.io/region", "eu-central-1")
                            .endMetadata()
                            .editSpec()
                            .withProviderID("aws:///eu-central-1a/i-0%016x".formatted(number))
                            .endSpec();
                    for (int other = 0; other < 50; other++) {
                        node.editMetadata()
                                .addToLabels("feature.node.kubernetes.io/cpu-cpuid.FEATURE" + other, "true")
                                .endMetadata();
                    }
                    return Nodes.state(node.build());
                })
                .toList();
        LoadBalancerRequest request = LoadBalancerRequest.builder(
                        "c1", new ServiceIdentity("prod", "web", "u1"), IpMode.VIP)
                .nodes(NodeRules.targets(nodes))
                .build();

        assertThat(RequestMapping.write(request).getSerializedSize()).isLessThan(Contract.LARGEST_MESSAGE / 2);
    }

    /** A node in some state. */
    private record State(boolean excluded, String providerId, String address, List<String> noise, Node node) {}

    /** Every combination of what matters with every combination of what does not. */
    private static List<State> states() {
        List<State> all = new ArrayList<>();
        for (boolean excluded : new boolean[] {false, true}) {
            for (String providerId : List.of("", "cloud://1", "cloud://2")) {
                for (String address : List.of("10.0.0.1", "10.0.0.2")) {
                    for (int noise = 0; noise < 32; noise++) {
                        all.add(state(excluded, providerId, address, noise));
                    }
                }
            }
        }
        return all;
    }

    private static State state(boolean excluded, String providerId, String address, int noise) {
        List<String> names = new ArrayList<>();
        NodeBuilder builder = node().editStatus()
                .withAddresses(List.of())
                .addNewAddress(address, "InternalIP")
                .endStatus()
                .editSpec()
                .withProviderID(providerId.isEmpty() ? null : providerId)
                .endSpec();
        if (excluded) {
            builder.editMetadata().addToLabels(NodeRules.EXCLUDE, "").endMetadata();
        }
        if ((noise & 1) != 0) {
            names.add("other taint");
            builder.editSpec().addNewTaint().withKey("other").endTaint().endSpec();
        }
        if ((noise & 2) != 0) {
            names.add("tainted by the autoscaler");
            builder.editSpec()
                    .addNewTaint()
                    .withKey(NodeRules.TO_BE_DELETED)
                    .endTaint()
                    .endSpec();
        }
        if ((noise & 4) != 0) {
            names.add("other label");
            builder.editMetadata().addToLabels("other", "").endMetadata();
        }
        if ((noise & 8) != 0) {
            names.add("not ready");
            withReady(builder, "False");
        }
        if ((noise & 16) != 0) {
            names.add("deleting");
            deleting(builder);
        }
        return new State(excluded, providerId, address, names, builder.build());
    }

    @Test
    void change_isToldToLoadBalancers_ifTheNodeIsExcludedOrNoLonger_orIsAnother_orElsewhere_andForNothingElse() {
        List<State> states = states();
        for (State before : states) {
            for (State now : states) {
                boolean matters = before.excluded() != now.excluded()
                        || !before.providerId().equals(now.providerId())
                        || !before.address().equals(now.address());

                assertThat(NodeRules.isWorthTelling(Nodes.state(before.node()), Nodes.state(now.node())))
                        .as("%s → %s", before, now)
                        .isEqualTo(matters);
            }
        }
    }

    @Test
    void nodeThatComesOrGoes_isToldToLoadBalancers() {
        assertThat(NodeRules.isWorthTelling(null, Nodes.state(node().build()))).isTrue();
        assertThat(NodeRules.isWorthTelling(Nodes.state(node().build()), null)).isTrue();
        assertThat(NodeRules.isWorthTelling(null, null)).isFalse();
    }

    @Test
    void request_namesInternalAddresses_orExternalOnesIfThereAreNoOthers_byName() {
        Node second = new NodeBuilder()
                .withNewMetadata()
                .withName("a")
                .endMetadata()
                .withNewStatus()
                .addNewAddress("192.0.2.9", "ExternalIP")
                .endStatus()
                .build();

        assertThat(NodeRules.targets(List.of(
                        Nodes.state(node().build()),
                        Nodes.state(second),
                        Nodes.state(tainted(NodeRules.TO_BE_DELETED)))))
                .containsExactly(
                        LoadBalancerRequest.Node.named("a").withAddresses(List.of("192.0.2.9")),
                        LoadBalancerRequest.Node.named("n1")
                                .withProviderId("cloud://1")
                                .withAddresses(List.of("10.0.0.1")));
    }
}
