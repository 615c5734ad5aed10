package dev.berth.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.agent.KeptObjects.AddressObject;
import dev.berth.agent.KeptObjects.Claim;
import dev.berth.agent.KeptObjects.ClassObject;
import dev.berth.agent.KeptObjects.ServiceObject;
import dev.berth.announce.AddressHolder;
import dev.berth.announce.BgpParameters;
import dev.berth.announce.DesiredAddress;
import dev.berth.announce.DesiredRoute;
import dev.berth.announce.L2Parameters;
import dev.berth.announce.NodeFacts;
import dev.berth.announce.Protocol;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the cluster asks to be announced, as it was read last. */
final class ClusterView {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterView.class);
    private static final String L2 = "l2";
    private static final String BGP = "bgp";

    /** How often watches are looked at that may be dead, in milliseconds. */
    private static final long LOOK_AGAIN = 5_000;

    /** How many addresses are not announced for being in the status of one Node: its own two of each family. */
    private static final int MOST_OF_A_NODE = 4;

    private final Reflector<NodeObject> nodes;
    private final Reflector<ServiceObject> services;
    private final Reflector<Slice> slices;
    private final Reflector<AddressObject> addresses;
    private final Reflector<ClassObject> classes;

    /** What a slice has in place of the name of a Node that there is not: anybody may write such names. */
    private static final String UNKNOWN = "?";

    private final Runnable changed;

    /** Of the Nodes, each once; replaced whole. Few, and each slice has some. */
    private volatile Map<String, String> names = Map.of();

    /** By which the slice that was read last was. */
    private volatile Map<String, String> namesOfSlices = names;

    private final AgentPlaces places = new AgentPlaces();
    private final Set<String> unreadable = ConcurrentHashMap.newKeySet();
    private final AtomicLong number = new AtomicLong();
    private final ServicesWithAddress claimed = new ServicesWithAddress();
    private boolean isReadingSlices;
    private volatile boolean closed;

    record Slice(ServiceKey service, IpFamily family, List<String> ready, List<String> terminating) {
        boolean hasUnknown() {
            return ready.contains(UNKNOWN) || terminating.contains(UNKNOWN);
        }
    }

    /** Reads nothing before {@link #start}. */
    ClusterView(ApiServer server, Runnable changed, RandomGenerator random) {
        this.changed = () -> {
            number.incrementAndGet();
            changed.run();
        };
        nodes = watched(server, WatchedKind.NODES, NodeObject::read, (_, _) -> nodesChanged(), random);
        services = watched(server, WatchedKind.SERVICES, KeptObjects::service, this::serviceChanged, random);
        slices = watched(server, WatchedKind.SLICES, this::slice, this::sliceChanged, random);
        addresses = watched(server, WatchedKind.ADDRESSES, KeptObjects::address, this::addressChanged, random);
        classes = watched(
                server, WatchedKind.CLASSES, KeptObjects::loadBalancerClass, (_, _) -> this.changed.run(), random);
    }

    private static <T> Reflector<T> watched(
            ApiServer server,
            WatchedKind kind,
            Function<JsonNode, Optional<T>> reading,
            Reflector.Changed<T> changed,
            RandomGenerator random) {
        return new Reflector<>(server, kind, reading, changed, random, ClusterView::now);
    }

    private Stream<Reflector<?>> kinds() {
        return Stream.of(nodes, services, slices, addresses, classes);
    }

    void start() {
        // Slices once the Nodes are known that they name.
        kinds().filter(kind -> kind != slices).forEach(Reflector::start);
        Thread.ofPlatform().daemon().name("watch-silence").start(this::interruptSilent);
    }

    private void nodesChanged() {
        if (nodes.isKnown()) {
            know(nodes.all().stream().map(NodeObject::name).collect(Collectors.toSet()));
            if (!isReadingSlices) {
                isReadingSlices = true;
                slices.start();
            }
        }
        changed.run();
    }

    private void know(Set<String> now) {
        Map<String, String> before = names;
        if (!before.keySet().equals(now)) {
            names = now.stream()
                    .collect(Collectors.toUnmodifiableMap(name -> name, name -> before.getOrDefault(name, name)));
            readUnknownAgain();
        }
    }

    private void serviceChanged(@Nullable ServiceObject before, @Nullable ServiceObject now) {
        changed(before == null ? null : before.key(), now == null ? null : now.key());
    }

    private void sliceChanged(@Nullable Slice before, @Nullable Slice now) {
        if (!namesOfSlices.equals(names)) {
            readUnknownAgain();
        }
        changed(before == null ? null : before.service(), now == null ? null : now.service());
    }

    private void addressChanged(@Nullable AddressObject before, @Nullable AddressObject now) {
        claimed.change(before == null ? List.of() : before.claims(), now == null ? List.of() : now.claims());
        changed.run();
    }

    /** What is read of a Service without an Address is kept, and looked at once it has one. */
    private void changed(@Nullable ServiceKey before, @Nullable ServiceKey now) {
        boolean isRead = before == null && now == null;
        if (isRead || (before != null && claimed.has(before)) || (now != null && claimed.has(now))) {
            changed.run();
        }
    }

    /** If another Node has come, it may be one of those that were not known. */
    private void readUnknownAgain() {
        if (slices.all().stream().anyMatch(Slice::hasUnknown)) {
            slices.again();
        }
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    private void interruptSilent() {
        QuietCollection garbage = new QuietCollection(System::gc);
        while (!closed) {
            try {
                Thread.sleep(LOOK_AGAIN);
            } catch (InterruptedException stopping) {
                return;
            }
            kinds().forEach(Reflector::interruptIfSilent);
            garbage.look(number(), now());
        }
    }

    /** Another number whenever something else has been read. */
    long number() {
        return number.get();
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

    /** Reads at once what could not be read: the API server answers again. */
    void retry() {
        kinds().forEach(Reflector::retry);
    }

    void close() {
        closed = true;
        kinds().forEach(Reflector::close);
    }

    SequencedMap<String, NodeFacts> nodes() {
        SequencedMap<String, NodeFacts> facts = new TreeMap<>();
        nodes.all().forEach(node -> facts.put(node.name(), node.facts()));
        return facts;
    }

    /** The uid of the Node of this name; absent: there is no such Node, as far as is known. */
    Optional<String> uid(String node) {
        return nodes.all().stream()
                .filter(one -> one.name().equals(node))
                .map(NodeObject::uid)
                .findFirst();
    }

    int nodeCount() {
        return nodes.all().size();
    }

    /** Whether there are other Nodes than this one, whose agents cannot find that of this one: it has had no InternalIP yet. */
    boolean isHidden(String self) {
        Collection<NodeObject> all = nodes.all();
        return all.size() > 1
                && all.stream().anyMatch(node -> node.name().equals(self))
                && !places.of(all).containsKey(self);
    }

    /** Where agents of other nodes may be. */
    Map<String, InetAddress> others(String self) {
        Map<String, InetAddress> others = new HashMap<>(places.of(nodes.all()));
        others.remove(self);
        return others;
    }

    /** What is asked of an address, with the parameters of its class. */
    private interface Asking<P, T> {
        T of(Ip address, List<AddressHolder> services, P parameters, boolean isOfNode);
    }

    /** By address. */
    List<DesiredAddress> asked() {
        return asked(parameters(L2, L2Parameters::of), DesiredAddress::new)
                .sorted(Comparator.comparing(DesiredAddress::address))
                .toList();
    }

    /** By address. */
    List<DesiredRoute> askedRoutes() {
        return asked(parameters(BGP, BgpParameters::of), DesiredRoute::new)
                .sorted(Comparator.comparing(DesiredRoute::address))
                .toList();
    }

    private <P, T> Stream<T> asked(Map<String, P> byClass, Asking<P, T> asking) {
        Map<ServiceKey, List<Slice>> byService = new HashMap<>();
        slices.all()
                .forEach(slice -> byService
                        .computeIfAbsent(slice.service(), _ -> new ArrayList<>())
                        .add(slice));
        Set<Ip> ofNodes = ofNodes();
        return addresses.all().stream()
                .flatMap(address -> Stream.ofNullable(byClass.get(address.loadBalancerClass()))
                        .map(parameters -> asking.of(
                                address.ip(),
                                address.claims().stream()
                                        .flatMap(claim ->
                                                asking(claim, address.ip().family(), byService).stream())
                                        .toList(),
                                parameters,
                                ofNodes.contains(address.ip()))));
    }

    /** Of each Node a few: whoever may write its status may not keep all addresses from being announced. */
    private Set<Ip> ofNodes() {
        Set<Ip> all = addresses.all().stream().map(AddressObject::ip).collect(Collectors.toSet());
        return nodes.all().stream()
                .flatMap(node -> node.addresses().stream()
                        .filter(all::contains)
                        .distinct()
                        .limit(MOST_OF_A_NODE))
                .collect(Collectors.toSet());
    }

    /**
     * Of two classes for one value the older counts, whatever its provider is; one that is not accepted only if there is no
     * other, because Services may have addresses of it.
     */
    private <P> Map<String, P> parameters(String provider, Function<Map<String, String>, P> reading) {
        Map<String, P> byValue = new HashMap<>();
        Set<String> taken = new LinkedHashSet<>();
        classes.all().stream()
                .sorted(Comparator.comparing(ClassObject::isRejected)
                        .thenComparing(ClassObject::created)
                        .thenComparing(ClassObject::name))
                .filter(this::canBeRead)
                .filter(one -> taken.add(one.value()) && one.provider().equals(provider))
                .forEach(one -> byValue.put(one.value(), reading.apply(one.parameters())));
        return byValue;
    }

    private boolean canBeRead(ClassObject one) {
        Optional<String> fault = Protocol.find(one.provider()).flatMap(protocol -> protocol.fault(one.parameters()));
        fault.filter(_ -> unreadable.add(one.name()))
                .ifPresent(message -> LOG.warn("LoadBalancerClass {}: {}", one.name(), message));
        return fault.isEmpty();
    }

    /** Interfaces that classes name, as they do. */
    List<L2Parameters> allParameters() {
        return List.copyOf(parameters(L2, L2Parameters::of).values());
    }

    private Optional<AddressHolder> asking(Claim claim, IpFamily family, Map<ServiceKey, List<Slice>> byService) {
        ServiceObject service = services.byKey().get(claim.service().toString());
        if (service == null || !service.uid().equals(claim.uid())) {
            return Optional.empty();
        }
        List<Slice> ofFamily = byService.getOrDefault(claim.service(), List.of()).stream()
                .filter(slice -> slice.family() == family)
                .toList();
        return Optional.of(new AddressHolder(
                claim.service(),
                service.isLocal(),
                ofFamily.stream()
                        .flatMap(slice -> slice.ready().stream())
                        .distinct()
                        .toList(),
                ofFamily.stream()
                        .flatMap(slice -> slice.terminating().stream())
                        .distinct()
                        .toList()));
    }

    private Optional<Slice> slice(JsonNode object) {
        JsonNode metadata = object.path("metadata");
        String service =
                metadata.path("labels").path("kubernetes.io/service-name").asText("");
        String type = object.path("addressType").asText("");
        if (service.isEmpty() || !(type.equals("IPv4") || type.equals("IPv6"))) {
            return Optional.empty();
        }
        Map<String, String> known = names;
        namesOfSlices = known;
        Set<String> ready = new LinkedHashSet<>();
        Set<String> terminating = new LinkedHashSet<>();
        object.path("endpoints").valueStream().forEach(endpoint -> {
            String name = endpoint.path("nodeName").asText("");
            String node = name.isEmpty() ? name : known.getOrDefault(name, UNKNOWN);
            JsonNode conditions = endpoint.path("conditions");
            // What is not set counts as ready, as Kubernetes has it.
            boolean isReady = conditions.path("ready").asBoolean(true);
            if (isReady) {
                ready.add(node);
            } else if (conditions.path("serving").asBoolean(false)
                    && conditions.path("terminating").asBoolean(false)) {
                terminating.add(node);
            }
        });
        return Optional.of(new Slice(
                new ServiceKey(metadata.path("namespace").asText(""), service),
                type.equals("IPv4") ? IpFamily.IPV4 : IpFamily.IPV6,
                List.copyOf(ready),
                List.copyOf(terminating)));
    }
}
