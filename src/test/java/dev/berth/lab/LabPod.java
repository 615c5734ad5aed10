package dev.berth.lab;

import dev.berth.testing.ChildProcess;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodIP;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;

/** A pod of the {@link Lab}: its Pod object, its namespace behind its node, and a {@link Peer} that serves. */
final class LabPod implements AutoCloseable {
    /** For how long nothing may come to a server before it ends. */
    private static final Duration QUIET = Duration.ofMillis(500);

    /** Where it answers. */
    static final int PORT = 8080;

    private final LabNode node;
    private final int number;
    private final String kubernetesNamespace;
    private final String name;
    private final Namespace namespace;
    private final ChildProcess server;
    private boolean closed;

    /** Runs a Pod that there is, and says that it is ready. */
    LabPod(LabNode node, int number, String kubernetesNamespace, String name) {
        this.node = node;
        this.number = number;
        this.kubernetesNamespace = kubernetesNamespace;
        this.name = name;
        this.namespace = Namespace.create("pod-" + node.number() + "-" + number);
        connect();
        this.server = namespace.start(
                "peer", node.lab().folder(), Peer.program(), "serve", "--name", name, "--listen", ":" + PORT);
        ready(true);
    }

    /** Gives it another IPv4 address. */
    void alsoHas(String address) {
        node.namespace().ip("route add " + address + "/32 dev pod" + number);
        namespace.ip("addr add " + address + "/32 dev eth0");
    }

    /** As the CNI plug-in ptp does it: the node is the gateway, by an address of its own on each interface. */
    private void connect() {
        Namespace host = node.namespace();
        String port = "pod" + number;
        String gateway4 = "10.244." + node.number() + ".1";
        String gateway6 = "fd00:244:" + node.number() + "::1";
        host.ip("link add " + port + " type veth peer name eth0 netns " + namespace.name());
        host.ip("link set " + port + " up");
        host.ip("addr add " + gateway4 + "/32 dev " + port);
        host.ip("addr add " + gateway6 + "/128 dev " + port + " nodad");
        host.ip("route add " + ipv4() + "/32 dev " + port);
        host.ip("route add " + ipv6() + "/128 dev " + port);
        namespace.ip("link set eth0 up");
        namespace.ip("addr add " + ipv4() + "/32 dev eth0");
        namespace.ip("addr add " + ipv6() + "/128 dev eth0 nodad");
        namespace.ip("route add " + gateway4 + " dev eth0");
        namespace.ip("route add " + gateway6 + " dev eth0");
        namespace.ip("route add default via " + gateway4);
        namespace.ip("route add default via " + gateway6);
    }

    /** Creates a Pod on this node, which nothing runs yet. */
    static void create(LabNode node, String kubernetesNamespace, String name, Map<String, String> labels) {
        node.lab()
                .controlPlane()
                .adminClient()
                .resource(new PodBuilder()
                        .withNewMetadata()
                        .withNamespace(kubernetesNamespace)
                        .withName(name)
                        .withLabels(labels)
                        .endMetadata()
                        .withNewSpec()
                        .withNodeName(node.name())
                        .addNewContainer()
                        .withName("peer")
                        .withImage("peer")
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
    }

    /** Says in its status whether it is ready, as a kubelet would after its readiness probe. */
    void ready(boolean ready) {
        admin().pods()
                .inNamespace(kubernetesNamespace)
                .withName(name)
                .editStatus(pod -> pod.edit()
                        .editOrNewStatus()
                        .withPhase("Running")
                        .withPodIP(ipv4())
                        .withPodIPs(new PodIP(ipv4()), new PodIP(ipv6()))
                        .withHostIP(node.ipv4())
                        .withConditions()
                        .addNewCondition()
                        .withType("Ready")
                        .withStatus(ready ? "True" : "False")
                        .endCondition()
                        .withContainerStatuses(pod.getSpec().getContainers().stream()
                                .map(container -> new ContainerStatusBuilder()
                                        .withName(container.getName())
                                        .withImage(container.getImage())
                                        .withImageID(container.getImage())
                                        .withRestartCount(0)
                                        .withReady(ready)
                                        .withNewState()
                                        .withNewRunning()
                                        .endRunning()
                                        .endState()
                                        .build())
                                .toList())
                        .endStatus()
                        .build());
    }

    /** Begins its deletion: the Pod is terminating, and still serves, until {@link #close()}. */
    void terminate() {
        admin().pods()
                .inNamespace(kubernetesNamespace)
                .withName(name)
                .withGracePeriod(3600)
                .delete();
    }

    private KubernetesClient admin() {
        return node.lab().controlPlane().adminClient();
    }

    String name() {
        return name;
    }

    /** The name of its network namespace. */
    String place() {
        return namespace.name();
    }

    String ipv4() {
        return "10.244." + node.number() + "." + number;
    }

    String ipv6() {
        return "fd00:244:" + node.number() + "::" + number;
    }

    LabNode node() {
        return node;
    }

    /** A client in this pod. */
    Peer client() {
        return new Peer(namespace);
    }

    /**
     * Ends it as a server that ends in order: once what {@code client} had sent it is answered, and nothing came for a while,
     * as one with a preStop hook that sleeps. A SYN that was dropped is on its way for another second, and a proxy that has
     * chosen this server may not have come to connect yet.
     */
    void closeInOrder(Namespace client) {
        List<String> opening = client.tcpSockets("syn-sent");
        Awaitility.await()
                .during(QUIET)
                .until(() -> Collections.disjoint(opening, client.tcpSockets("syn-sent"))
                        && namespace.tcpSockets("syn-recv").isEmpty()
                        && namespace.tcpSockets("established").isEmpty());
        close();
    }

    /** Ends the process and removes the Pod and its namespace. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        server.close();
        admin().pods()
                .inNamespace(kubernetesNamespace)
                .withName(name)
                .withGracePeriod(0)
                .delete();
        node.namespace().ip("link del pod" + number);
        namespace.delete();
    }
}
