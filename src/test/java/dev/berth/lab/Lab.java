package dev.berth.lab;

import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.OwnedDirectory;
import dev.berth.testing.Patience;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * A cluster network in network namespaces, with a real control plane and a real kube-proxy on each node:
 *
 * <pre>
 *   client ---- router ---- bridge of the lab ---- node1 ---- its pods
 *   10.78.0.2   .1 / .254   10.77.0.1 (API server) .11        10.244.1.0/24
 *   fd78::2     ::1 / ::fe  fd77::1     |          ::11       fd00:244:1::/64
 *                                       +--------- node2, the same with 2
 *                                       +--------- lb, the load balancer's host, 10.77.0.5, fd77::5
 * </pre>
 *
 * <p>Router and load balancer's host have routes to the pods, as in a cluster whose pod network is routed.
 *
 * <p>There is no kubelet: {@link LabNode#pod} creates a Pod, its namespace and its process, and says that it is ready.
 * kube-controller-manager's own controllers make the EndpointSlices. Only within {@link LabOnly}; one at a time.
 */
final class Lab implements AutoCloseable {
    /** Where the API server is, and Berth. */
    static final String HERE = "10.77.0.1";

    /** Addresses of the network between nodes and router that nobody has. */
    static final String FREE_IPV4 = "10.77.0.100-10.77.0.199";

    static final String FREE_IPV6 = "fd77::1:0/112";

    private static final List<String> CONTROLLERS =
            List.of("endpointslice-controller", "serviceaccount-controller", "service-cidr-controller");

    private final KubeProxyMode mode;
    private final OwnedDirectory folder = OwnedDirectory.create();
    private final List<LabNode> nodes = new ArrayList<>();
    private final Bridge bridge;
    private final Namespace client = Namespace.create("client");
    private final Namespace router = Namespace.create("router");
    private final Namespace loadBalancerHost = Namespace.create("lb");
    private final ControlPlane controlPlane;
    private final Installation installation;

    private Lab(KubeProxyMode mode, int count, List<String> moreControllers) {
        this.mode = mode;
        bridge = Bridge.create("br-lab", HERE, "fd77::1");
        connect();
        controlPlane = ControlPlane.builder()
                .reachableAt(HERE)
                .withAuditLog()
                .controllerManager(Stream.concat(CONTROLLERS.stream(), moreControllers.stream())
                        .toArray(String[]::new))
                .start();
        installation = new Installation(controlPlane);
        letKubeProxyIn();
        IntStream.rangeClosed(1, count).forEach(number -> nodes.add(new LabNode(this, number)));
        nodes.forEach(node -> {
            nodes.stream()
                    .filter(other -> other != node)
                    .map(LabNode::namespace)
                    .forEach(node::routeFrom);
            List.of(router, loadBalancerHost).forEach(node::routeFrom);
        });
        nodes.forEach(node -> node.startKubeProxy(mode));
        nodes.forEach(LabNode::awaitKubeProxy);
    }

    /** Starts everything, and returns once each kube-proxy has programmed its node. */
    static Lab start(KubeProxyMode mode, int nodes) {
        return start(mode, nodes, List.of());
    }

    /** The same with more of kube-controller-manager's controllers. */
    static Lab start(KubeProxyMode mode, int nodes, List<String> moreControllers) {
        return new Lab(mode, nodes, moreControllers);
    }

    private void connect() {
        plug(router, "10.77.0.254", "fd77::fe");
        plug(loadBalancerHost, "10.77.0.5", "fd77::5");
        throughRouter(loadBalancerHost);
        Namespace.HERE.ip("link add eth0 netns client type veth peer name eth1 netns router");
        router.ip("link set eth1 up");
        router.ip("addr add 10.78.0.1/24 dev eth1");
        router.ip("addr add fd78::1/64 dev eth1 nodad");
        client.ip("link set eth0 up");
        client.ip("addr add 10.78.0.2/24 dev eth0");
        client.ip("addr add fd78::2/64 dev eth0 nodad");
        client.ip("route add default via 10.78.0.1");
        client.ip("route add default via fd78::1");
    }

    /** Gives a namespace an interface eth0 on the network between nodes and router. */
    void plug(Namespace namespace, String ipv4, String ipv6) {
        bridge.plug(namespace, ipv4, ipv6);
    }

    /** Removes a namespace that was plugged in. */
    void remove(Namespace plugged) {
        bridge.remove(plugged);
    }

    /** Sends what is for elsewhere to the router. */
    void throughRouter(Namespace namespace) {
        namespace.ip("route add default via 10.77.0.254");
        namespace.ip("route add default via fd77::fe");
    }

    private void letKubeProxyIn() {
        KubernetesClient admin = controlPlane.adminClient();
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName("kube-system")
                        .endMetadata()
                        .build())
                .serverSideApply();
        admin.resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withNamespace("kube-system")
                        .withName("kube-proxy")
                        .endMetadata()
                        .build())
                .create();
        admin.resource(new ClusterRoleBindingBuilder()
                        .withNewMetadata()
                        .withName("lab-kube-proxy")
                        .endMetadata()
                        .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "system:node-proxier")
                        .addNewSubject()
                        .withKind("ServiceAccount")
                        .withNamespace("kube-system")
                        .withName("kube-proxy")
                        .endSubject()
                        .build())
                .create();
    }

    KubeProxyMode mode() {
        return mode;
    }

    /** For logs and the like; it goes with the lab. */
    Path folder() {
        return folder.path();
    }

    ControlPlane controlPlane() {
        return controlPlane;
    }

    /** A new namespace that Pods can be created in. */
    String namespace(String prefix) {
        String name = installation.namespace(prefix);
        awaitPodsAllowed(name);
        return name;
    }

    /**
     * Waits until Pods can be created there: kube-controller-manager makes what they need, after an outage of the API server
     * up to a minute late.
     */
    void awaitPodsAllowed(String kubernetesNamespace) {
        Awaitility.await()
                .atMost(Patience.LONG)
                .until(() -> installation
                                .client()
                                .serviceAccounts()
                                .inNamespace(kubernetesNamespace)
                                .withName("default")
                                .get()
                        != null);
    }

    Installation installation() {
        return installation;
    }

    /** A node by its number, which begins with 1. */
    LabNode node(int number) {
        return nodes.get(number - 1);
    }

    List<LabNode> nodes() {
        return nodes;
    }

    /** A client beyond the router. */
    Peer client() {
        return new Peer(client);
    }

    Namespace router() {
        return router;
    }

    /** A machine beside the nodes that a load balancer may run on. */
    Namespace loadBalancerHost() {
        return loadBalancerHost;
    }

    @Override
    public void close() {
        try (folder) {
            nodes.forEach(LabNode::close);
            installation.close();
            controlPlane.close();
            client.delete();
            List.of(router, loadBalancerHost).forEach(this::remove);
            bridge.close();
        }
    }
}
