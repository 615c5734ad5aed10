package dev.berth.migration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A BGPPeer of MetalLB. */
final class MetalLbPeer {
    private static final String AGENTS_NAMESPACE = "berth-agents";

    private static final long HOLD_BY_DEFAULT = 90;
    private static final long LONGEST_HOLD = 65_535;
    private static final long FURTHEST = 255;

    private static final List<String> KNOWN = List.of(
            "bfdProfile",
            "connectTime",
            "disableMP",
            "dualStackAddressFamily",
            "dynamicASN",
            "ebgpMultiHop",
            "enableGracefulRestart",
            "holdTime",
            "interface",
            "keepaliveTime",
            "myASN",
            "nodeSelectors",
            "password",
            "passwordSecret",
            "peerASN",
            "peerAddress",
            "peerPort",
            "sourceAddress",
            "vrf");

    private final Foreign peer;
    private final Predicate<String> isTaken;
    private final List<String> notes = new ArrayList<>();

    /** @param isTaken whether another BGPPeer has a name */
    MetalLbPeer(Foreign peer, Predicate<String> isTaken) {
        this.peer = peer;
        this.isTaken = isTaken;
    }

    /** The names of the BGPPeers that it becomes; empty: none. */
    List<String> names() {
        if (obstacle().isPresent()) {
            return List.of();
        }
        int count = selectors().size();
        return count < 2
                ? List.of(peer.name())
                : Stream.iterate(1, number -> number + 1)
                        .map(number -> peer.name() + "-" + number)
                        .filter(isTaken.negate())
                        .limit(count)
                        .toList();
    }

    Exported export() {
        String origin = "BGPPeer \"" + peer.name() + "\"";
        Optional<String> obstacle = obstacle();
        if (obstacle.isPresent()) {
            return new Exported(origin, List.of(), List.of("not exported: " + obstacle.get()));
        }
        ObjectNode spec = spec();
        List<JsonNode> selectors = selectors();
        List<String> names = names();
        List<JsonNode> objects = new ArrayList<>();
        for (int number = 0; number < names.size(); number++) {
            ObjectNode object = Foreign.ours("BGPPeer", names.get(number));
            ObjectNode own = spec.deepCopy();
            if (!selectors.isEmpty()) {
                own.set("nodeSelector", selectors.get(number));
            }
            object.set("spec", own);
            objects.add(object);
        }
        if (names.size() > 1) {
            notes.add(
                    "its nodeSelectors are a BGPPeer each; on a node that several of them select, the older one counts");
        }
        peer.text("bfdProfile")
                .ifPresent(profile -> notes.add(
                        "bfdProfile \"%s\" has no counterpart: a node whose power is cut is noticed when holdTime is over"
                                .formatted(profile)));
        notes.addAll(peer.unknown(KNOWN));
        return new Exported(origin, objects, notes);
    }

    /** Why it cannot be carried over. */
    private Optional<String> obstacle() {
        if (peer.says("vrf")) {
            return Optional.of("vrf \"%s\": a session in another network than the node's own has no counterpart"
                    .formatted(peer.text("vrf").orElse("")));
        }
        if (peer.says("dynamicASN")) {
            return Optional.of(
                    "dynamicASN \"%s\" has no counterpart; make a BGPPeer with the autonomous system of the router as peerASN"
                            .formatted(peer.text("dynamicASN").orElse("")));
        }
        return Stream.of(isOnInterface() ? "interface" : "peerAddress", "peerASN", "myASN")
                .filter(field -> !peer.says(field))
                .findFirst()
                .map(field -> field + " is missing");
    }

    private boolean isOnInterface() {
        return peer.says("interface");
    }

    private ObjectNode spec() {
        ObjectNode spec = JsonNodeFactory.instance.objectNode();
        if (isOnInterface()) {
            spec.set("peerInterface", peer.spec("interface"));
            leftOut("peerAddress");
            leftOut("sourceAddress");
        }
        Stream.of("peerAddress", "peerASN", "myASN", "peerPort", "sourceAddress")
                .filter(field -> peer.says(field) && !(isOnInterface() && field.endsWith("Address")))
                .forEach(field -> spec.set(field, peer.spec(field)));
        password(spec);
        timers(spec);
        if (peer.says("ebgpMultiHop") && isOnInterface()) {
            leftOut("ebgpMultiHop");
        } else if (peer.says("ebgpMultiHop")) {
            spec.put("ebgpMultihop", FURTHEST);
        }
        if (!peer.says("enableGracefulRestart")) {
            spec.put("gracefulRestartTime", inSeconds(0));
        }
        if (peer.says("dualStackAddressFamily")) {
            spec.putArray("families").add("IPv4").add("IPv6");
        } else if (peer.says("disableMP")) {
            boolean isIpv6 =
                    isOnInterface() || peer.text("peerAddress").orElse("").contains(":");
            spec.putArray("families").add(isIpv6 ? "IPv6" : "IPv4");
        }
        return spec;
    }

    private void leftOut(String field) {
        if (peer.says(field)) {
            notes.add("%s is left out: it has no meaning with an interface".formatted(field));
        }
    }

    private void password(ObjectNode spec) {
        String secret = peer.spec("passwordSecret").path("name").asText("");
        if (!secret.isEmpty()) {
            String namespace = Optional.of(
                            peer.spec("passwordSecret").path("namespace").asText(""))
                    .filter(given -> !given.isEmpty())
                    .orElse(peer.namespace());
            secret(spec, secret, "secret " + secret, namespace, "{.data.password}' | base64 -d");
        } else if (peer.says("password")) {
            secret(
                    spec,
                    peer.name() + "-password",
                    "bgppeers.metallb.io " + peer.name(),
                    peer.namespace(),
                    "{.spec.password}'");
        }
    }

    private void secret(ObjectNode spec, String name, String source, String namespace, String path) {
        spec.putObject("passwordSecret").put("name", name);
        notes.add(
                "the agents read its password in their own namespace: kubectl -n %s create secret generic %s --from-literal=password=\"$(kubectl -n %s get %s -o jsonpath='%s)\""
                        .formatted(AGENTS_NAMESPACE, name, namespace, source, path));
    }

    private void timers(ObjectNode spec) {
        OptionalLong hold = seconds("holdTime", "holdTime", 3, LONGEST_HOLD);
        long third = hold.orElse(HOLD_BY_DEFAULT) / 3;
        OptionalLong keepalive = seconds("keepaliveTime", "keepaliveTime", 1, LONGEST_HOLD);
        if (keepalive.isPresent() && keepalive.getAsLong() > third) {
            notes.add("keepaliveTime %s is more than a third of the hold time, and becomes %s"
                    .formatted(peer.text("keepaliveTime").orElse(""), inSeconds(third)));
        }
        hold.ifPresent(seconds -> spec.put("holdTime", inSeconds(seconds)));
        if (hold.isPresent() || keepalive.isPresent()) {
            spec.put("keepaliveTime", inSeconds(Math.min(keepalive.orElse(third), third)));
        }
        seconds("connectTime", "connectRetryTime", 2, 3600)
                .ifPresent(seconds -> spec.put("connectRetryTime", inSeconds(seconds)));
    }

    private OptionalLong seconds(String field, String ours, long least, long most) {
        Optional<String> given = peer.text(field);
        if (given.isEmpty()) {
            return OptionalLong.empty();
        }
        Optional<Long> seconds = GoDuration.seconds(given.get()).filter(length -> length >= least && length <= most);
        if (seconds.isEmpty()) {
            notes.add("%s is \"%s\"; %s must be a duration of whole seconds from %ds to %ds, and has its default"
                    .formatted(field, given.get(), ours, least, most));
            return OptionalLong.empty();
        }
        return OptionalLong.of(seconds.get());
    }

    /** As our kinds write it, and as people who know MetalLB's objects do. */
    private static String inSeconds(long seconds) {
        return seconds + "s";
    }

    /** One for each BGPPeer; empty: one that selects all nodes. */
    private List<JsonNode> selectors() {
        List<JsonNode> given = peer.elements("nodeSelectors").toList();
        if (given.isEmpty() || given.stream().anyMatch(JsonNode::isEmpty)) {
            return List.of();
        }
        List<String> keys = given.stream().map(MetalLbPeer::onlyKey).distinct().toList();
        if (given.size() == 1 || keys.size() > 1 || keys.getFirst().isEmpty()) {
            return given;
        }
        String key = keys.getFirst();
        ObjectNode anyOf = JsonNodeFactory.instance.objectNode();
        ObjectNode expression = anyOf.putArray("matchExpressions").addObject();
        expression.put("key", key);
        expression.put("operator", "In");
        ArrayNode values = expression.putArray("values");
        given.stream()
                .map(selector -> selector.path("matchLabels").path(key).asText(""))
                .distinct()
                .forEach(values::add);
        return List.of(anyOf);
    }

    /** The one label that a selector is about; empty: it says more, or something else. */
    private static String onlyKey(JsonNode selector) {
        JsonNode labels = selector.path("matchLabels");
        return selector.path("matchExpressions").isEmpty() && labels.size() == 1
                ? labels.fieldNames().next()
                : "";
    }
}
