package dev.berth.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.announce.NodeFacts;
import dev.berth.ip.Ip;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A Node.
 *
 * @param agent where its agent hears; absent: it has no InternalIP
 * @param addresses all that it has
 */
record NodeObject(String name, String uid, NodeFacts facts, Optional<InetAddress> agent, List<Ip> addresses) {
    private static final String EXCLUDE = "node.kubernetes.io/exclude-from-external-load-balancers";
    private static final String OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";
    private static final String TO_BE_DELETED = "ToBeDeletedByClusterAutoscaler";

    /** As Go's strconv.ParseBool reads them. */
    private static final List<String> FALSE = List.of("0", "f", "F", "FALSE", "false", "False");

    static Optional<NodeObject> read(JsonNode object) {
        JsonNode metadata = object.path("metadata");
        JsonNode spec = object.path("spec");
        JsonNode status = object.path("status");
        JsonNode label = metadata.path("labels").path(EXCLUDE);
        List<String> taints = spec.path("taints")
                .valueStream()
                .map(taint -> taint.path("key").asText(""))
                .toList();
        boolean isUnavailable = status.path("conditions")
                .valueStream()
                .anyMatch(condition -> condition.path("type").asText("").equals("NetworkUnavailable")
                        && condition.path("status").asText("").equals("True"));
        return Optional.of(new NodeObject(
                metadata.path("name").asText(""),
                metadata.path("uid").asText(""),
                new NodeFacts(
                        label.isTextual() && !FALSE.contains(label.asText()),
                        metadata.hasNonNull("deletionTimestamp"),
                        taints.contains(OUT_OF_SERVICE),
                        isUnavailable,
                        spec.path("unschedulable").asBoolean(false) || taints.contains(TO_BE_DELETED)),
                addresses(status, "InternalIP"::equals)
                        .map(ip -> InetAddress.ofLiteral(ip.toString()))
                        .findFirst(),
                addresses(status, _ -> true).toList()));
    }

    private static Stream<Ip> addresses(JsonNode status, Predicate<String> types) {
        return status.path("addresses")
                .valueStream()
                .filter(address -> types.test(address.path("type").asText("")))
                .flatMap(address -> Ip.find(address.path("address").asText("")).stream());
    }
}
