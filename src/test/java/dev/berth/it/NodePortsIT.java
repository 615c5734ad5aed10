package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A class with {@code nodePorts: Release}, under the permissions of the manifests. */
@ExtendWith(SharedInstallation.class)
class NodePortsIT {
    private static final String BOTH_PROTOCOLS = """
            {"spec":{"ports":[{"name":"dns","port":53,"protocol":"UDP"},{"name":"dns-tcp","port":53,"protocol":"TCP"}]}}
            """;

    @Test
    void areReleased_onceTheComponentAllowsIt_andStayAway_andThatTheyCameBackIsSaid(Installation berth) {
        ControlPlane controlPlane = berth.controlPlane();
        String namespace = berth.namespace("ports");
        berth.pool(namespace, "198.51.100.0/29");
        berth.loadBalancerClass(namespace, "VIP", "Release");
        berth.operator();
        berth.service(
                namespace,
                "dns",
                builder -> builder.editSpec()
                        .withLoadBalancerClass("test.dev/" + namespace)
                        .endSpec());
        controlPlane.kubectl(
                "patch", "service", "dns", "--namespace=" + namespace, "--type=merge", "--patch=" + BOTH_PROTOCOLS);
        berth.awaitAddress(namespace, "dns");
        await().untilAsserted(() -> assertThat(berth.events(namespace, "dns"))
                .anyMatch(event -> event.getValue().contains("components/release-node-ports")));
        assertThat(nodePorts(dns(berth, namespace))).doesNotContain(0).hasSize(2);

        controlPlane.kubectl("apply", "--filename=src/main/kubernetes/components/release-node-ports/rbac.yaml");

        await().untilAsserted(() -> {
            Service released = dns(berth, namespace);
            assertThat(nodePorts(released)).containsExactly(0, 0);
            assertThat(released.getSpec().getAllocateLoadBalancerNodePorts()).isFalse();
            assertThat(released.getMetadata().getAnnotations())
                    .containsEntry(WellKnownNames.NODE_PORTS_RELEASED, "53/UDP 53/TCP");
        });
        controlPlane.kubectl(
                "patch",
                "service",
                "dns",
                "--namespace=" + namespace,
                "--type=merge",
                "--patch={\"spec\":{\"allocateLoadBalancerNodePorts\":true}}");
        await().untilAsserted(() -> assertThat(dns(berth, namespace).getStatus().getConditions())
                .anySatisfy(condition -> {
                    assertThat(condition.getType()).isEqualTo(WellKnownNames.NODE_PORTS_CONFLICT);
                    assertThat(condition.getReason()).isEqualTo("NodePortsReallocated");
                }));
        assertThat(nodePorts(dns(berth, namespace))).doesNotContain(0).hasSize(2);
    }

    private static Service dns(Installation berth, String namespace) {
        return Objects.requireNonNull(
                berth.client().services().inNamespace(namespace).withName("dns").get());
    }

    /** 0: none. */
    private static List<Integer> nodePorts(Service service) {
        return service.getSpec().getPorts().stream()
                .map(ServicePort::getNodePort)
                .map(port -> Optional.ofNullable(port).orElse(0))
                .toList();
    }
}
