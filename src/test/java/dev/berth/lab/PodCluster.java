package dev.berth.lab;

import dev.berth.testing.ControlPlane;
import dev.berth.testing.OwnedDirectory;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A whole cluster that runs Pods, in namespaces: control plane, scheduler, and nodes with kubelet, containerd and
 * kube-proxy, all real. Its images are Berth's own, as src/main/docker/Dockerfile makes it, {@link #PEER_IMAGE},
 * and on node1 the one of HAProxy.
 *
 * <pre>
 *   client -------- bridge ---- node1 ---- its Pods
 *   10.77.0.100     10.77.0.1   .11        10.244.1.0/24
 *   fd77::100       (API server)::11       fd00:244:1::/64
 *                     +-------- node2, the same with 2
 * </pre>
 *
 * <p>Only within {@link LabOnly}; one at a time. Its logs stay in the build directory, below {@code pods}.
 */
final class PodCluster implements AutoCloseable {
    /** The program of src/test/lab/peer, as {@code peer} in it. */
    static final String PEER_IMAGE = "docker.io/library/peer:1";

    static final String PAUSE_IMAGE = "docker.io/library/peer:pause";

    private static final String HERE = "10.77.0.1";
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private final Path folder;
    private final OwnedDirectory owned = OwnedDirectory.create();
    private final String controlGroup = owned.path().getFileName().toString();
    private final Namespace client = Namespace.create("client");
    private final Bridge bridge = Bridge.create("br-pods", HERE, "fd77::1");
    private final List<PodNode> nodes = new ArrayList<>();
    private final ControlPlane controlPlane;

    private PodCluster(Path folder, PodImages images, int count) {
        this.folder = folder;
        ControlGroups.removeStale(owned.path());
        bridge.plug(client, "10.77.0.100", "fd77::100");
        controlPlane = ControlPlane.builder()
                .reachableAt(HERE)
                .withNodes()
                .controllerManager("*")
                .start();
        boolean isUp = false;
        try {
            IntStream.rangeClosed(1, count).forEach(number -> connect(number, images.ofNode(number)));
            nodes.forEach(this::route);
            awaitNodes();
            isUp = true;
        } finally {
            if (!isUp) {
                close();
            }
        }
    }

    /**
     * Starts it, and returns once all nodes are Ready.
     *
     * @param folder of its nodes' files and logs, of this cluster alone
     */
    static PodCluster start(Path folder, PodImages images, int nodes) {
        return new PodCluster(folder, images, nodes);
    }

    private void connect(int number, List<Path> images) {
        Namespace namespace = Namespace.create("node" + number);
        bridge.plug(namespace, PodNode.ipv4(number), PodNode.ipv6(number));
        namespace.ip("route add default via " + HERE);
        Path own = folder.resolve("node" + number);
        delete(own);
        nodes.add(PodNode.start(number, own, images, controlGroup, controlPlane));
    }

    private void route(PodNode node) {
        node.routeFrom(Namespace.HERE);
        nodes.stream()
                .filter(other -> other.number() != node.number())
                .map(PodNode::namespace)
                .forEach(node::routeFrom);
    }

    private void awaitNodes() {
        KubernetesClient admin = controlPlane.adminClient();
        try {
            Awaitility.await().atMost(PATIENCE).until(() -> {
                requireAlive();
                return admin.nodes().list().getItems().stream()
                                .filter(Readiness::isNodeReady)
                                .count()
                        == nodes.size();
            });
        } catch (ConditionTimeoutException late) {
            throw new IllegalStateException("not all nodes are Ready after " + PATIENCE + "; " + logs(), late);
        }
    }

    /** @throws IllegalStateException if a node has ended */
    void requireAlive() {
        nodes.forEach(node -> node.process().requireAlive());
    }

    ControlPlane controlPlane() {
        return controlPlane;
    }

    PodNode node(int number) {
        return nodes.get(number - 1);
    }

    /** A machine beside the nodes. */
    Namespace client() {
        return client;
    }

    /** What there is, what was last said of it, and the logs. */
    String state() {
        StringBuilder state = new StringBuilder();
        for (String question : List.of(
                "get nodes,pods,services,daemonsets,deployments -A -o wide",
                "get events -A --sort-by=.metadata.creationTimestamp",
                "-n berth-system logs deployment/berth --all-pods --tail=20")) {
            state.append("%n%n$ kubectl %s%n".formatted(question));
            try {
                state.append(controlPlane.kubectl(question.split(" ")));
            } catch (IllegalStateException refused) {
                state.append(refused.getMessage());
            }
        }
        return state + "\n\n" + logs();
    }

    /** How the logs of the nodes end, and where they are. */
    String logs() {
        StringBuilder logs = new StringBuilder("logs in " + folder);
        for (PodNode node : nodes) {
            for (String process : List.of("node", "containerd", "kubelet", "kube-proxy")) {
                logs.append("%n%n%s of %s:%n".formatted(process, node.name()));
                logs.append(tail(node.folder().resolve(process + ".log")));
            }
        }
        return logs.toString();
    }

    private static String tail(Path log) {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 10), lines.size()));
        } catch (IOException none) {
            return "none";
        }
    }

    @Override
    public void close() {
        try (owned) {
            nodes.forEach(node -> node.process().close());
            controlPlane.close();
            nodes.forEach(node -> bridge.remove(node.namespace()));
            bridge.remove(client);
            bridge.close();
            ControlGroups.remove(controlGroup);
            nodes.forEach(node -> deleteArchives(node.folder()));
        }
    }

    private static void deleteArchives(Path folder) {
        try (Stream<Path> entries = Files.list(folder)) {
            for (Path archive :
                    entries.filter(entry -> entry.toString().endsWith(".tar")).toList()) {
                Files.delete(archive);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void delete(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> tree = Files.walk(folder)) {
            for (Path entry : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(entry);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
