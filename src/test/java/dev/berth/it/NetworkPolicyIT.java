package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.HealthCheckPolicy;
import dev.berth.testing.RenderedManifests;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The component {@code network-policy}, as kubectl renders it: it lets through what the operator needs. */
class NetworkPolicyIT {
    @TempDir
    private Path overlay;

    private RenderedManifests manifests;
    private NetworkPolicy policy;
    private PodTemplateSpec pod;

    @BeforeEach
    void render() {
        manifests = RenderedManifests.withComponents(overlay, "network-policy", "haproxy");
        policy = manifests.all(NetworkPolicy.class).findFirst().orElseThrow();
        pod = manifests
                .all(Deployment.class)
                .filter(one -> one.getMetadata().getName().equals("berth"))
                .findFirst()
                .orElseThrow()
                .getSpec()
                .getTemplate();
    }

    private Stream<NetworkPolicyPort> egress() {
        return policy.getSpec().getEgress().stream()
                .filter(rule -> rule.getTo().isEmpty())
                .flatMap(rule -> rule.getPorts().stream());
    }

    private static List<ContainerPort> ports(PodTemplateSpec of) {
        return of.getSpec().getContainers().stream()
                .map(Container::getPorts)
                .flatMap(List::stream)
                .toList();
    }

    @Test
    void policy_isForTheOperatorsPods() {
        assertThat(policy.getMetadata().getNamespace()).isEqualTo("berth-system");
        assertThat(pod.getMetadata().getLabels())
                .containsAllEntriesOf(policy.getSpec().getPodSelector().getMatchLabels());
        assertThat(policy.getSpec().getPolicyTypes()).containsExactlyInAnyOrder("Ingress", "Egress");
    }

    @Test
    void toThePods_theirPortOfMetricsAndHealthIsOpen_andNoOther() {
        assertThat(policy.getSpec().getIngress())
                .singleElement()
                .satisfies(rule -> assertThat(rule.getPorts())
                        .singleElement()
                        .extracting(port -> port.getPort().getStrVal())
                        .isEqualTo(ports(pod).getFirst().getName()));
        assertThat(ports(pod)).hasSize(1);
    }

    @Test
    void fromThePods_theApiServer_thePlugin_kubeProxysHealthAndDnsAreReached() {
        int plugin = manifests
                .all(Service.class)
                .filter(service -> service.getMetadata().getName().equals("berth-haproxy"))
                .findFirst()
                .orElseThrow()
                .getSpec()
                .getPorts()
                .getFirst()
                .getPort();

        assertThat(egress().map(port -> port.getPort() + "/" + port.getProtocol()))
                .containsExactlyInAnyOrder(
                        port(443, "TCP"),
                        port(6443, "TCP"),
                        port(plugin, "TCP"),
                        port(HealthCheckPolicy.KUBE_PROXY, "TCP"),
                        port(53, "UDP"),
                        port(53, "TCP"));
    }

    private static String port(int number, String protocol) {
        return new IntOrString(number) + "/" + protocol;
    }
}
