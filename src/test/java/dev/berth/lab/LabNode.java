package dev.berth.lab;

import dev.berth.testing.ChildProcess;
import dev.berth.testing.Conflicts;
import dev.berth.testing.KubeBinaries;
import dev.berth.testing.Patience;
import io.fabric8.kubernetes.api.model.NodeAddress;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A node of the {@link Lab}: its Node object, its namespace, its kube-proxy and its pods. */
final class LabNode implements AutoCloseable {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();

    private final Lab lab;
    private final int number;
    private final Namespace namespace;
    private final List<LabPod> pods = new CopyOnWriteArrayList<>();
    private @Nullable ChildProcess kubeProxy;

    LabNode(Lab lab, int number) {
        this.lab = lab;
        this.number = number;
        this.namespace = Namespace.create("node" + number);
        lab.plug(namespace, ipv4(), ipv6());
        lab.throughRouter(namespace);
        register();
        isSaidToHave(ipv6());
    }

    private void register() {
        KubernetesClient admin = lab.controlPlane().adminClient();
        admin.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name())
                        .addToLabels("kubernetes.io/hostname", name())
                        .endMetadata()
                        .withNewSpec()
                        .withPodCIDR("10.244." + number + ".0/24")
                        .withPodCIDRs("10.244." + number + ".0/24", "fd00:244:" + number + "::/64")
                        .endSpec()
                        .build())
                .create();
    }

    /** Another Node object of the same name, whose status has no address: a cloud controller manager has not seen it yet. */
    void isRecreatedWithoutAddresses() {
        lab.controlPlane().adminClient().nodes().withName(name()).delete();
        register();
        isSaidToHave(List.of());
    }

    /** Has the Node's status name IPv6 addresses, beside its own IPv4 address. */
    void isSaidToHave(String... ipv6) {
        isSaidToHave(Stream.concat(Stream.of(ipv4()), Stream.of(ipv6))
                .map(address -> new NodeAddress(address, "InternalIP"))
                .toList());
    }

    private void isSaidToHave(List<NodeAddress> addresses) {
        Conflicts.untilNone(() -> lab.controlPlane()
                .adminClient()
                .nodes()
                .withName(name())
                .editStatus(node -> node.edit()
                        .withNewStatus()
                        .addNewAddress(name(), "Hostname")
                        .addAllToAddresses(addresses)
                        .addNewCondition()
                        .withType("Ready")
                        .withStatus("True")
                        .withReason("KubeletReady")
                        .endCondition()
                        .endStatus()
                        .build()));
    }

    /** Marks it as unschedulable, as {@code kubectl cordon} does, or takes that back. */
    void cordon(boolean cordoned) {
        Conflicts.untilNone(() -> lab.controlPlane()
                .adminClient()
                .nodes()
                .withName(name())
                .edit(node -> new NodeBuilder(node)
                        .editOrNewSpec()
                        .withUnschedulable(cordoned ? true : null)
                        .endSpec()
                        .build()));
    }

    String name() {
        return "node" + number;
    }

    int number() {
        return number;
    }

    String ipv4() {
        return "10.77.0.1" + number;
    }

    String ipv6() {
        return "fd77::1" + number;
    }

    Namespace namespace() {
        return namespace;
    }

    Lab lab() {
        return lab;
    }

    /** A client on the node itself, like a process of the host. */
    Peer client() {
        return new Peer(namespace);
    }

    /** Has what is for the pods of this node sent to it. */
    void routeFrom(Namespace other) {
        other.ip("route add 10.244." + number + ".0/24 via " + ipv4());
        other.ip("route add fd00:244:" + number + "::/64 via " + ipv6());
    }

    /** Starts a real kube-proxy; its log is in the lab's folder. */
    void startKubeProxy(KubeProxyMode mode) {
        Path kubeconfig = lab.controlPlane().serviceAccountKubeconfig("kube-system", "kube-proxy");
        kubeProxy = namespace.start(
                "kube-proxy",
                lab.folder(),
                "env",
                "PATH=" + (mode == KubeProxyMode.LEGACY_IPTABLES ? LegacyIptables.path(lab) : System.getenv("PATH")),
                KubeBinaries.ofThisMachine().kubeProxy().toString(),
                "--kubeconfig=" + kubeconfig,
                "--hostname-override=" + name(),
                "--proxy-mode=" + mode.flag(),
                "--cluster-cidr=10.244.0.0/16,fd00:244::/32",
                "--conntrack-max-per-core=0",
                "--conntrack-tcp-timeout-established=0",
                "--conntrack-tcp-timeout-close-wait=0",
                "--iptables-min-sync-period=100ms",
                "--nodeport-addresses=primary");
    }

    void stopKubeProxy() {
        Objects.requireNonNull(kubeProxy, "not started").close();
    }

    /** Waits until kube-proxy is healthy: it has programmed what it knew at its start. */
    void awaitKubeProxy() {
        Awaitility.await()
                .atMost(Patience.USUAL)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> {
                    Objects.requireNonNull(kubeProxy, "not started").requireAlive();
                    return httpStatus(10256, "/healthz") == 200;
                });
    }

    /** The status code of an answer of the node to the network; 0 without an answer. */
    int httpStatus(int port, String path) {
        try {
            return HTTP.send(
                            HttpRequest.newBuilder(URI.create("http://" + ipv4() + ":" + port + path))
                                    .timeout(Duration.ofSeconds(2))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException unreachable) {
            return 0;
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopping);
        }
    }

    /** Runs a ready pod on this node that answers on port 8080, by HTTP and UDP, in the name of the Pod. */
    LabPod pod(String kubernetesNamespace, String name, Map<String, String> labels) {
        LabPod.create(this, kubernetesNamespace, name, labels);
        return run(kubernetesNamespace, name);
    }

    /** All that have run here. */
    List<LabPod> pods() {
        return pods;
    }

    /** The same for a Pod that there is, of this node. */
    LabPod run(String kubernetesNamespace, String name) {
        LabPod pod = new LabPod(this, pods.size() + 10, kubernetesNamespace, name);
        pods.add(pod);
        return pod;
    }

    @Override
    public void close() {
        pods.forEach(LabPod::close);
        if (kubeProxy != null) {
            kubeProxy.close();
        }
        lab.remove(namespace);
    }
}
