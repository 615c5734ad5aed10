package dev.berth.loadbalancer;

import dev.berth.provider.LoadBalancerRequest.Node;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes get packets of load balancers, and which changes of nodes have load balancers notified. Pure, and as
 * Kubernetes' service controller has it; that its addresses, its zone or what else a request says of a node changes has
 * them notified, too.
 *
 * @see <a href="https://kubernetes.io/docs/reference/labels-annotations-taints/#node-kubernetes-io-exclude-from-external-load-balancers">exclude-from-external-load-balancers</a>
 */
public final class NodeRules {
    /** A label: its node gets no packets, unless the value says false. */
    public static final String EXCLUDE = "node.kubernetes.io/exclude-from-external-load-balancers";

    /** A taint of a node that is about to go. */
    public static final String TO_BE_DELETED = "ToBeDeletedByClusterAutoscaler";

    static final String ZONE = "topology.kubernetes.io/zone";
    static final String REGION = "topology.kubernetes.io/region";

    /**
     * Of the labels under these, few change in the life of a node. Others are written every few minutes on some
     * clusters, and each change would have every load balancer updated.
     */
    private static final List<String> LASTING = List.of(
            "kubernetes.io/",
            "node.kubernetes.io/",
            "node-role.kubernetes.io/",
            "node-restriction.kubernetes.io/",
            "topology.kubernetes.io/");

    /** As Go's strconv.ParseBool reads them. */
    private static final List<String> FALSE = List.of("0", "f", "F", "FALSE", "false", "False");

    private NodeRules() {}

    /** Whether anything depends on the label of this name. */
    public static boolean isRead(String label) {
        return LASTING.stream().anyMatch(label::startsWith);
    }

    /** Whether the node is to get packets. Whether it is ready is for a health check to find out, not for this. */
    public static boolean mayGetPackets(NodeState node) {
        return !node.deleting() && !isExcluded(node) && !node.taints().contains(TO_BE_DELETED);
    }

    private static boolean isExcluded(NodeState node) {
        return Optional.ofNullable(node.labels().get(EXCLUDE))
                .filter(value -> !FALSE.contains(value))
                .isPresent();
    }

    /** What a request says of the nodes that are to get packets, by name. */
    public static List<Node> targets(Collection<NodeState> nodes) {
        // A copy, for that is what requests share instead of copying it again.
        return List.copyOf(nodes.stream()
                .filter(NodeRules::mayGetPackets)
                .map(NodeRules::target)
                .sorted(Comparator.comparing(Node::name))
                .toList());
    }

    private static Node target(NodeState node) {
        Map<String, String> others = new TreeMap<>(node.labels());
        others.keySet().removeAll(List.of(ZONE, REGION, EXCLUDE));
        return Node.named(node.name())
                .withProviderId(node.providerId())
                .withAddresses(node.addresses())
                .withZone(node.labels().getOrDefault(ZONE, ""))
                .withRegion(node.labels().getOrDefault(REGION, ""))
                .withLabels(others);
    }

    /**
     * Whether load balancers are to be notified of a change now. Taints, readiness and a deletion that has begun wait
     * until something else has them notified: they come and go.
     *
     * @param before null: it was not there
     * @param now null: it is gone
     */
    public static boolean isWorthTelling(@Nullable NodeState before, @Nullable NodeState now) {
        if (before == null || now == null) {
            return (before == null) != (now == null);
        }
        return isExcluded(before) != isExcluded(now) || !target(before).equals(target(now));
    }
}
