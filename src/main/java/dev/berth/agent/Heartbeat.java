package dev.berth.agent;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.random.RandomGenerator;

/**
 * A Lease of the node's agent, as the kubelet has one: whoever reads the status of BGPPeers tells by it which entries are of an
 * agent that is no more. Nobody but the operator reads it. Times are milliseconds of a steady clock.
 */
final class Heartbeat {
    /** A third as often as the kubelet renews its Lease. */
    static final long RENEW = 30_000;

    static final int DURATION_SECONDS = 90;

    private static final DateTimeFormatter MICRO_TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final RandomGenerator random;
    private long next;

    /** To be renewed at once. */
    Heartbeat(RandomGenerator random, long now) {
        this.random = random;
        this.next = now;
    }

    /** Whether to renew it now; then it counts as done. Not at the same time as all other agents. */
    boolean begins(long now) {
        if (now < next) {
            return false;
        }
        next = now + RENEW - random.nextLong(RENEW / 10);
        return true;
    }

    static String path(String namespace, String node) {
        return "/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases/" + node;
    }

    /**
     * To be applied.
     *
     * @param uid of the Node, with which it goes; empty: not known
     */
    static String applied(String namespace, String node, String uid, Instant now) {
        ObjectNode lease = JsonNodeFactory.instance.objectNode();
        lease.put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
        ObjectNode metadata = lease.putObject("metadata").put("name", node).put("namespace", namespace);
        metadata.putObject("labels").put("app.kubernetes.io/name", "berth").put("app.kubernetes.io/component", "agent");
        if (!uid.isEmpty()) {
            metadata.putArray("ownerReferences")
                    .addObject()
                    .put("apiVersion", "v1")
                    .put("kind", "Node")
                    .put("name", node)
                    .put("uid", uid);
        }
        lease.putObject("spec")
                .put("holderIdentity", node)
                .put("leaseDurationSeconds", DURATION_SECONDS)
                .put("renewTime", MICRO_TIME.format(now));
        return lease.toString();
    }
}
