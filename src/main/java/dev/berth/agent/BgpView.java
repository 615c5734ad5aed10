package dev.berth.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.agent.bgp.PeerReader;
import dev.berth.announce.OwnNode;
import dev.berth.announce.ReadPeer;
import dev.berth.ip.Ip;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** What only BGP asks of the cluster, as it was read last: its peers, their passwords, and what this node is. */
final class BgpView {
    private final Reflector<PeerObject> peers;
    private final Reflector<Secret> secrets;
    private final Reflector<OwnNode> node;

    /** A BGPPeer, its generation, and what its status says of this node. */
    record PeerObject(ReadPeer peer, long generation, PeerEntry.Seen seen) {}

    private record Secret(String name, String password) {
        @Override
        public String toString() {
            return "Secret[name=" + name + "]";
        }
    }

    /**
     * Reads nothing before {@link #start}.
     *
     * @param node the name of the Node object
     * @param namespace where the Secrets are
     */
    BgpView(ApiServer server, String node, String namespace, Runnable changed, RandomGenerator random) {
        peers = watched(server, WatchedKind.PEERS, object -> peer(object, node), changed, random);
        secrets = watched(server, WatchedKind.secrets(namespace), BgpView::secret, changed, random);
        this.node = watched(server, WatchedKind.node(node), BgpView::node, changed, random);
    }

    private static <T> Reflector<T> watched(
            ApiServer server,
            WatchedKind kind,
            Function<JsonNode, Optional<T>> reading,
            Runnable changed,
            RandomGenerator random) {
        return new Reflector<>(server, kind, reading, (_, _) -> changed.run(), random, BgpView::now);
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    private Stream<Reflector<?>> kinds() {
        return Stream.of(peers, secrets, node);
    }

    void start() {
        kinds().forEach(Reflector::start);
    }

    /** Whether all has been read once. */
    boolean isKnown() {
        return kinds().allMatch(Reflector::isKnown);
    }

    /** What has not been read yet, human-readable; absent: all has been. */
    Optional<String> unread() {
        return Reflector.unread(kinds());
    }

    /** The API server does not answer: connections may be dead, but those that tell something now are not. */
    void interrupt() {
        kinds().forEach(kind -> kind.interruptIfSilent(ApiServerAvailability.TIMEOUT));
    }

    void retry() {
        kinds().forEach(Reflector::retry);
    }

    void interruptIfSilent() {
        kinds().forEach(Reflector::interruptIfSilent);
    }

    void close() {
        kinds().forEach(Reflector::close);
    }

    /** By name. */
    List<PeerObject> peers() {
        return peers.all().stream()
                .sorted(Comparator.comparing(one -> one.peer().name()))
                .toList();
    }

    /** By the name of the Secret. */
    Map<String, String> passwords() {
        Map<String, String> passwords = new TreeMap<>();
        secrets.all().forEach(secret -> passwords.put(secret.name(), secret.password()));
        return passwords;
    }

    OwnNode node() {
        return node.all().stream().findFirst().orElse(OwnNode.UNKNOWN);
    }

    private static Optional<PeerObject> peer(JsonNode object, String node) {
        return Optional.of(new PeerObject(
                PeerReader.read(object),
                object.path("metadata").path("generation").asLong(0),
                PeerEntry.Seen.read(object, node)));
    }

    /** Those that have no password are none of ours. */
    private static Optional<Secret> secret(JsonNode object) {
        return Optional.of(object.path("data").path("password").asText(""))
                .filter(encoded -> !encoded.isEmpty())
                .map(encoded -> new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8).strip())
                .filter(password -> !password.isEmpty())
                .map(password -> new Secret(object.path("metadata").path("name").asText(""), password));
    }

    private static Optional<OwnNode> node(JsonNode object) {
        SequencedMap<String, String> labels = new TreeMap<>();
        object.path("metadata")
                .path("labels")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText("")));
        return Optional.of(new OwnNode(labels, addresses(object, "InternalIP"), addresses(object, "")));
    }

    /** @param type empty: of any */
    private static List<Ip> addresses(JsonNode node, String type) {
        return node.path("status")
                .path("addresses")
                .valueStream()
                .filter(address ->
                        type.isEmpty() || address.path("type").asText("").equals(type))
                .flatMap(address -> Ip.find(address.path("address").asText("")).stream())
                .toList();
    }
}
