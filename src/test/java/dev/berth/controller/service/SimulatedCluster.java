package dev.berth.controller.service;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.kube.CachedServices;
import dev.berth.kube.Cluster;
import dev.berth.kube.Read;
import dev.berth.kube.Unreadable;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.provider.LoadBalancerRequest.Port;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cluster in memory, as an API server behaves: resource versions, uids, finalizers, preconditions. Each
 * operator looks at it through a {@link Client} of its own. What goes wrong is up to the {@link Line}.
 */
final class SimulatedCluster {
    /** What becomes of one write. */
    enum Fault {
        NONE,
        CONFLICT,
        /** Of a create only: the kind is not there. Of anything else it would say that the object is gone. */
        NOT_FOUND,
        REFUSED,
        UNKNOWN_DONE,
        UNKNOWN_NOT_DONE,
        /** Not done yet when the client gives up, but in the end. */
        UNKNOWN_LATE,
        /** Done, and sent again by a client that did not hear of it: the answer is to the second. */
        SENT_TWICE
    }

    /** The line between an operator and its API server. */
    interface Line {
        /** A write is about to go out; may throw, and {@code effect} may still happen later. */
        Fault sending(String call, Runnable effect);

        /** The answer to a call comes back; may throw. */
        void answered(String call);

        /** Whether a live read fails. */
        boolean readFails(String call);

        /** Nobody waits for {@code effect} any more; it is still to be done. */
        void late(String call, Runnable effect);

        /** Whether anybody reads what the calls say, beyond their first word. */
        default boolean isRead() {
            return true;
        }
    }

    /** What a cache hears. */
    sealed interface Change {
        record OfService(
                ServiceKey key,
                @Nullable ServiceState before,
                @Nullable ServiceState now) implements Change {}

        record OfClaim(
                Ip ip, @Nullable Claim before, @Nullable Claim now) implements Change {}
    }

    /** The truth. */
    final NavigableMap<ServiceKey, ServiceState> services = new TreeMap<>();

    final NavigableMap<Ip, Claim> claims = new TreeMap<>();

    /** Who wrote the ingress that stands; those absent have it from a stranger, or have none. */
    final NavigableMap<ServiceKey, String> publishedByUs = new TreeMap<>();

    private final List<Client> clients = new ArrayList<>();
    private final List<Change.OfService> past = new ArrayList<>();
    /** Whose Addresses are refused, by a quota or a webhook, say. */
    final Set<ServiceKey> refused = new TreeSet<>();

    private boolean dropsIpMode;
    private final Line line;
    private long revision = 100;
    private long nextUid = 1;
    private int writes;

    SimulatedCluster(boolean dropsIpMode, Line line) {
        this.dropsIpMode = dropsIpMode;
        this.line = line;
    }

    /** Switches the gate LoadBalancerIPMode of the API server. */
    void dropIpMode(boolean drops) {
        dropsIpMode = drops;
    }

    boolean dropsIpMode() {
        return dropsIpMode;
    }

    int writes() {
        return writes;
    }

    /** A way in for one more operator, with caches of its own. */
    Client client() {
        Client client = new Client();
        clients.add(client);
        client.relist();
        return client;
    }

    private void hear(Change.OfService change) {
        past.add(change);
        clients.forEach(client -> client.serviceNews.add(change));
    }

    private void hear(Change.OfClaim change) {
        clients.forEach(client -> client.claimNews.add(change));
    }

    // ---- what others do

    String newUid() {
        return "uid-" + nextUid++;
    }

    /** Stores a Service as a user, or the API server, wants it; absent: removes it. */
    ServiceState put(ServiceKey key, @Nullable SampleService wanted) {
        ServiceState before = services.get(key);
        ServiceState now = wanted == null ? null : wanted.build();
        if (now != null && before != null && now.equals(before)) {
            return before;
        }
        ServiceState stored = now == null
                ? null
                : SampleService.from(now).resourceVersion(next()).build();
        if (stored == null || (stored.deleting() && stored.finalizers().isEmpty())) {
            services.remove(key);
            publishedByUs.remove(key);
            if (before != null) {
                hear(new Change.OfService(key, before, null));
            }
        } else {
            services.put(key, stored);
            if (before == null || !before.uid().equals(stored.uid())) {
                publishedByUs.remove(key);
            }
            hear(new Change.OfService(key, before, stored));
        }
        return stored == null ? Objects.requireNonNull(before) : stored;
    }

    void deleteService(ServiceKey key) {
        ServiceState before = services.get(key);
        if (before != null) {
            put(
                    key,
                    before.finalizers().isEmpty()
                            ? null
                            : SampleService.from(before).deleting(true));
        }
    }

    void writeIngressAsStranger(ServiceKey key, List<Published> ingress) {
        ServiceState before = services.get(key);
        if (before != null && !Publication.sameIngress(ingress, before.ingress())) {
            put(key, SampleService.from(before).ingress(ingress));
            publishedByUs.remove(key);
        }
    }

    Claim putClaim(Claim wanted) {
        List<ServiceKey> names = wanted.owners().stream().map(Owner::service).toList();
        if (names.size() != Set.copyOf(names).size()) {
            throw new AssertionError("the API server refuses a list of claims that has a name twice: " + wanted);
        }
        Claim before = claims.get(wanted.ip());
        Claim stored = new Claim(wanted.ip(), wanted.uid(), next(), wanted.spec());
        claims.put(wanted.ip(), stored);
        hear(new Change.OfClaim(wanted.ip(), before, stored));
        return stored;
    }

    void removeClaim(Ip ip) {
        Claim before = claims.remove(ip);
        if (before != null) {
            next();
            hear(new Change.OfClaim(ip, before, null));
        }
    }

    private String next() {
        return Long.toString(++revision);
    }

    /** Grows with each change. */
    long revision() {
        return revision;
    }

    private String call(String doing, Object... about) {
        if (!line.isRead()) {
            return doing;
        }
        StringBuilder text = new StringBuilder(doing);
        for (Object part : about) {
            text.append(part);
        }
        return text.toString();
    }

    /** One operator's way in: its caches, which lag behind until it is told of the next change, and its writes. */
    final class Client implements Cluster {
        private final NavigableMap<ServiceKey, ServiceState> cachedServices = new TreeMap<>();
        private final NavigableMap<Ip, Claim> cachedClaims = new TreeMap<>();
        private final Map<String, Map<String, String>> cachedNamespaces = new TreeMap<>();
        private Deque<Change.OfService> serviceNews = new ArrayDeque<>();
        private Deque<Change.OfClaim> claimNews = new ArrayDeque<>();

        private Client() {}

        boolean hasServiceNews() {
            return !serviceNews.isEmpty();
        }

        boolean hasClaimNews() {
            return !claimNews.isEmpty();
        }

        /** The service cache hears of the next change. */
        Change.OfService deliverService() {
            Change.OfService change = serviceNews.removeFirst();
            ServiceState now = change.now();
            if (now == null) {
                cachedServices.remove(change.key());
            } else {
                cachedServices.put(change.key(), now);
            }
            return change;
        }

        /** The Address cache hears of the next change. */
        Change.OfClaim deliverClaim() {
            Change.OfClaim change = claimNews.removeFirst();
            Claim now = change.now();
            if (now == null) {
                cachedClaims.remove(change.ip());
            } else {
                cachedClaims.put(change.ip(), now);
            }
            return change;
        }

        /** The caches are filled again, as at a start. */
        void relist() {
            serviceNews.clear();
            claimNews.clear();
            cachedServices.clear();
            cachedServices.putAll(services);
            cachedClaims.clear();
            cachedClaims.putAll(claims);
        }

        /** The cache has heard of all changes of Services but the last: another API server, which lags behind. */
        void forgetServices(int last) {
            List<Change.OfService> unheard = past.subList(Math.max(0, past.size() - last), past.size());
            for (Change.OfService change : unheard.reversed()) {
                if (change.before() == null) {
                    cachedServices.remove(change.key());
                } else {
                    cachedServices.put(change.key(), change.before());
                }
            }
            serviceNews.clear();
            serviceNews.addAll(unheard);
        }

        /** A watch broke, and the list that follows has one change for each object, whatever became of it meanwhile. */
        void missHistory() {
            Map<ServiceKey, Change.OfService> ofServices = new LinkedHashMap<>();
            serviceNews.forEach(change -> ofServices.merge(
                    change.key(),
                    change,
                    (first, last) -> new Change.OfService(change.key(), first.before(), last.now())));
            serviceNews = new ArrayDeque<>(ofServices.values());
            serviceNews.removeIf(change -> change.before() == null && change.now() == null);
            Map<Ip, Change.OfClaim> ofClaims = new LinkedHashMap<>();
            claimNews.forEach(change -> ofClaims.merge(
                    change.ip(), change, (first, last) -> new Change.OfClaim(change.ip(), first.before(), last.now())));
            claimNews = new ArrayDeque<>(ofClaims.values());
            claimNews.removeIf(change -> change.before() == null && change.now() == null);
        }

        void namespaces(Map<String, Map<String, String>> all) {
            cachedNamespaces.clear();
            cachedNamespaces.putAll(all);
        }

        void namespace(String namespace, Map<String, String> labels) {
            cachedNamespaces.put(namespace, labels);
        }

        @Override
        public Optional<ServiceState> service(ServiceKey key) {
            ServiceState cached = cachedServices.get(key);
            if (cached != null && UnknownWords.has(cached)) {
                throw new Unreadable("simulated");
            }
            return Optional.ofNullable(cached);
        }

        @Override
        public boolean hasService(ServiceKey key) {
            return cachedServices.containsKey(key);
        }

        @Override
        public CachedServices allServices() {
            SequencedMap<ServiceKey, List<Published>> unreadable = new TreeMap<>();
            cachedServices.values().stream()
                    .filter(UnknownWords::has)
                    .forEach(service -> unreadable.put(service.key(), service.ingress()));
            return new CachedServices(
                    cachedServices.values().stream()
                            .filter(service -> !UnknownWords.has(service))
                            .toList(),
                    unreadable);
        }

        @Override
        public Map<String, String> namespaceLabels(String namespace) {
            return cachedNamespaces.getOrDefault(namespace, Map.of());
        }

        @Override
        public Optional<Claim> claim(Ip ip) {
            return Optional.ofNullable(cachedClaims.get(ip));
        }

        @Override
        public List<Claim> claims() {
            return List.copyOf(cachedClaims.values());
        }

        @Override
        public Read<ServiceState> readService(ServiceKey key) {
            Read<ServiceState> answer = read(call("read Service ", key), () -> Optional.ofNullable(services.get(key)));
            return answer instanceof Read.Found<ServiceState>(ServiceState found) && UnknownWords.has(found)
                    ? new Read.Failed<>("cannot be read")
                    : answer;
        }

        @Override
        public Read<Claim> readClaim(Ip ip) {
            return read(call("read Address ", ip), () -> Optional.ofNullable(claims.get(ip)));
        }

        private <T> Read<T> read(String call, Supplier<Optional<T>> get) {
            if (line.readFails(call)) {
                return new Read.Failed<>("simulated");
            }
            Read<T> answer = get.get().<Read<T>>map(Read.Found::new).orElseGet(Read.Absent::new);
            line.answered(call);
            return answer;
        }

        private <T> Write<T> write(String call, Supplier<Write<T>> effect) {
            writes++;
            return switch (line.sending(call, () -> Objects.requireNonNull(effect.get()))) {
                case NONE -> {
                    Write<T> answer = effect.get();
                    line.answered(call(call, " -> ", answer));
                    yield answer;
                }
                case CONFLICT -> {
                    line.answered(call + " -> conflict");
                    yield new Write.Conflict<>("simulated");
                }
                case NOT_FOUND -> {
                    line.answered(call + " -> not found");
                    yield call.startsWith("create")
                            ? new Write.NotFound<>("simulated")
                            : new Write.Unknown<>("simulated");
                }
                case REFUSED -> {
                    line.answered(call + " -> refused");
                    yield new Write.Refused<>("simulated");
                }
                case UNKNOWN_DONE -> {
                    Write<T> lost = effect.get();
                    line.answered(call(call, " -> unknown, but ", lost));
                    yield new Write.Unknown<>("simulated");
                }
                case UNKNOWN_NOT_DONE -> {
                    line.answered(call + " -> unknown, not done");
                    yield new Write.Unknown<>("simulated");
                }
                case UNKNOWN_LATE -> {
                    line.late(call, () -> Objects.requireNonNull(effect.get()));
                    yield new Write.Unknown<>("simulated");
                }
                case SENT_TWICE -> {
                    Write<T> lost = effect.get();
                    Write<T> answer = effect.get();
                    line.answered(call(call, " -> ", lost, ", sent again -> ", answer));
                    yield answer;
                }
            };
        }

        @Override
        public Write<Claim> createClaim(Ip ip, ClaimSpec spec) {
            return write(call("create Address ", ip, " for ", spec.owners()), () -> {
                if (spec.owners().stream().anyMatch(owner -> refused.contains(owner.service()))) {
                    return new Write.Refused<>("denied by a webhook");
                }
                if (claims.containsKey(ip)) {
                    return new Write.Conflict<>("exists");
                }
                return new Write.Done<>(putClaim(new Claim(ip, newUid(), "", spec)));
            });
        }

        @Override
        public Write<Claim> updateClaim(Claim seen, ClaimSpec spec) {
            return write(
                    call("update Address ", seen.ip(), " to ", spec),
                    () -> Optional.<Write<Claim>>empty()
                            .or(() -> unlessSame(seen))
                            .orElseGet(() -> new Write.Done<>(putClaim(new Claim(seen.ip(), seen.uid(), "", spec)))));
        }

        @Override
        public Write<Claim> confirmClaim(Claim seen) {
            return write(
                    call("confirm Address ", seen.ip(), " of ", seen.owners()),
                    () -> unlessSame(seen).orElseGet(() -> new Write.Done<>(putClaim(seen))));
        }

        @Override
        public Write<Claim> deleteClaim(Claim seen) {
            return write(
                    call("delete Address ", seen.ip(), " of ", seen.owners()),
                    () -> unlessSame(seen).orElseGet(() -> {
                        removeClaim(seen.ip());
                        return new Write.Done<>(seen);
                    }));
        }

        private Optional<Write<Claim>> unlessSame(Claim seen) {
            Claim now = claims.get(seen.ip());
            if (now == null) {
                return Optional.of(new Write.NotFound<>("gone"));
            }
            if (!now.uid().equals(seen.uid()) || !now.resourceVersion().equals(seen.resourceVersion())) {
                return Optional.of(new Write.Conflict<>("changed"));
            }
            if (now.spec().otherKind() != null) {
                throw new AssertionError("it is of something else than a Service, and not to be written: " + now);
            }
            return Optional.empty();
        }

        @Override
        public Write<ServiceState> publish(ServiceState seen, Publication.Difference difference, boolean dryRun) {
            if (dryRun) {
                return unlessUnchanged(seen)
                        .orElseGet(() ->
                                new Write.Done<>(published(seen, difference).build()));
            }
            return write(
                    call("publish ", seen.key(), " ", seen.uid(), " ", difference),
                    () -> unlessUnchanged(seen).orElseGet(() -> {
                        boolean addsFinalizer = difference.finalizer() && !seen.hasOurFinalizer();
                        if (addsFinalizer && seen.deleting()) {
                            return new Write.Refused<>("no new finalizers can be added if the object is being deleted");
                        }
                        List<Published> entries = difference.ingress();
                        if (entries != null && !entries.isEmpty() && !seen.typeLoadBalancer()) {
                            return new Write.Refused<>("status.loadBalancer needs spec.type LoadBalancer");
                        }
                        ServiceState stored = put(seen.key(), published(seen, difference));
                        if (entries != null && services.containsKey(seen.key())) {
                            publishedByUs.put(seen.key(), seen.uid());
                        }
                        return new Write.Done<>(stored);
                    }));
        }

        @Override
        public Write<ServiceState> releaseNodePorts(ServiceState seen, String ports) {
            return write(
                    call("release node ports ", seen.key(), " ", seen.uid()),
                    () -> unlessUnchanged(seen)
                            .orElseGet(() -> new Write.Done<>(put(
                                    seen.key(),
                                    SampleService.from(seen)
                                            .annotation(WellKnownNames.NODE_PORTS_RELEASED, ports)
                                            .ports(seen.ports().stream()
                                                    .map(port -> new Port(
                                                            port.name(),
                                                            port.protocol(),
                                                            port.port(),
                                                            0,
                                                            port.appProtocol()))
                                                    .toList())))));
        }

        @Override
        public Write<ServiceState> clear(ServiceState seen, List<Published> others) {
            return write(
                    call("clear ", seen.key(), " ", seen.uid(), " but ", others),
                    () -> unlessUnchanged(seen).orElseGet(() -> {
                        List<String> finalizers = new ArrayList<>(seen.finalizers());
                        finalizers.remove(WellKnownNames.FINALIZER);
                        return new Write.Done<>(put(
                                seen.key(),
                                SampleService.from(seen)
                                        .finalizers(finalizers)
                                        .annotation(WellKnownNames.SERVED_BY_CLASS, null)
                                        .annotation(WellKnownNames.NODE_PORTS_RELEASED, null)
                                        .ingress(others)
                                        .conditions(seen.conditions().stream()
                                                .filter(condition ->
                                                        !WellKnownNames.CONDITIONS.contains(condition.type()))
                                                .toList())));
                    }));
        }

        private Optional<Write<ServiceState>> unlessUnchanged(ServiceState seen) {
            ServiceState now = services.get(seen.key());
            if (now == null) {
                return Optional.of(new Write.NotFound<>("gone"));
            }
            return now.uid().equals(seen.uid()) && now.resourceVersion().equals(seen.resourceVersion())
                    ? Optional.empty()
                    : Optional.of(new Write.Conflict<>("changed"));
        }

        /** As upstream: with its gate off, an API server goes on keeping the field where it is in use. */
        private boolean usesIpMode(ServiceState stored) {
            return stored.ingress().stream().anyMatch(entry -> entry.ipMode() != null);
        }

        private SampleService published(ServiceState seen, Publication.Difference difference) {
            SampleService wanted = SampleService.from(seen);
            if (difference.finalizer() && !seen.hasOurFinalizer()) {
                wanted.finalizer(WellKnownNames.FINALIZER);
            }
            if (difference.servedByClass() != null) {
                wanted.annotation(WellKnownNames.SERVED_BY_CLASS, difference.servedByClass());
            }
            List<Published> entries = difference.ingress();
            if (entries != null) {
                wanted.ingress(
                        dropsIpMode && !usesIpMode(seen)
                                ? entries.stream().map(Published::withoutIpMode).toList()
                                : entries);
            }
            List<Condition> conditions = new ArrayList<>(seen.conditions());
            conditions.removeIf(old -> difference.removedConditions().contains(old.type())
                    || difference.conditions().stream()
                            .anyMatch(changed -> changed.type().equals(old.type())));
            conditions.addAll(difference.conditions());
            return wanted.conditions(conditions);
        }
    }
}
