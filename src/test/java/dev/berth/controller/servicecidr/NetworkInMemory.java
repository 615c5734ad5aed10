package dev.berth.controller.servicecidr;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.ClusterIps;
import dev.berth.servicecidr.ExcludedNetwork;
import dev.berth.servicecidr.Parent;
import dev.berth.servicecidr.ReadyCondition;
import dev.berth.servicecidr.SampleCidrs;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.servicecidr.ServiceRange;
import dev.berth.testing.cluster.ClusterInMemory;
import dev.berth.testing.cluster.Line;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The ServiceCIDRs and IPAddresses of a cluster in memory, and one operator's way to them: a cache, which lags behind for as
 * long as a test wants, and a {@link Line}.
 */
class NetworkInMemory implements ClusterNetwork {
    static final Instant START = SampleCidrs.START;

    private final ClusterInMemory store = new ClusterInMemory();
    private final ClusterInMemory.Kind<String, ServiceCidr> cidrObjects = store.kind(
            ClusterInMemory.Metadata.ofUid(ServiceCidr::uid, cidr -> cidr.isTerminating() && !cidr.finalizer()));
    private final ClusterInMemory.Kind<Ip, ClusterIp> addressObjects =
            store.kind(ClusterInMemory.Metadata.ofUid(ClusterIp::uid, address -> false));

    /** The truth. */
    final NavigableMap<String, ServiceCidr> cidrs = cidrObjects.objects();

    final NavigableMap<Ip, ClusterIp> addresses = addressObjects.objects();

    private final ClusterInMemory.Kind<String, ServiceCidr>.Watch cidrCache = cidrObjects.watch();
    private final ClusterInMemory.Kind<Ip, ClusterIp>.Watch addressCache = addressObjects.watch();
    private final ClusterIps cachedAddresses = new ClusterIps();

    /** Each write that was tried, as {@code verb object}. */
    final List<String> writes = new ArrayList<>();

    /** Why IPAddresses cannot be watched; absent: they can. */
    Optional<String> blind = Optional.empty();

    /** Why IPAddresses are not seen at the moment. */
    Optional<String> interruption = Optional.empty();

    final List<ExcludedNetwork> pods = new ArrayList<>();

    /** Nodes, API servers, AddressPools and published addresses that no cache has heard of. */
    final List<ExcludedNetwork> taken = new ArrayList<>();

    boolean watched;

    /** Whether live reads fail. */
    boolean silent;

    int liveReads;

    /** What becomes of each write. */
    Line.Fault fault = Line.Fault.NONE;

    private boolean lagging;

    private final Line scripted = new Line() {
        @Override
        public Fault sending(String call, Runnable effect) {
            writes.add(call);
            return fault;
        }

        @Override
        public boolean readFails(String call) {
            liveReads++;
            return silent;
        }

        @Override
        public String message(Fault fault) {
            return switch (fault) {
                case CONFLICT -> "it exists already";
                case REFUSED -> "a policy denies it";
                case NOT_FOUND -> "not found";
                default -> "connection reset";
            };
        }
    };

    /** What goes wrong on the way. */
    Line line() {
        return scripted;
    }

    /** What the API server takes for the time. */
    Instant now() {
        return START;
    }

    // ---- what others do

    /** As the API server's allocator makes it. */
    static ClusterIp allocated(String ip, String service) {
        Ip parsed = Ip.parse(ip);
        return new ClusterIp(
                parsed,
                "uid-" + ip,
                ClusterIp.ALLOCATOR,
                parsed.family().toString(),
                Parent.of(new ServiceKey("prod", service)),
                START);
    }

    Optional<ServiceCidr> live(String name) {
        return Optional.ofNullable(cidrs.get(name));
    }

    Optional<ClusterIp> live(Ip address) {
        return Optional.ofNullable(addresses.get(address));
    }

    String newUid() {
        return store.newUid();
    }

    void put(ServiceCidr cidr) {
        cidrObjects.put(cidr.name(), cidr);
    }

    void put(ClusterIp address) {
        addressObjects.put(address.ip(), address);
    }

    void remove(String cidr) {
        cidrObjects.remove(cidr);
    }

    void remove(Ip address) {
        addressObjects.remove(address);
    }

    /** As a user deletes it: it goes at once if nobody holds it. */
    void delete(String name) {
        ServiceCidr known = cidrs.get(name);
        if (known != null && !known.isTerminating()) {
            put(SampleCidrs.deleted(known, now().truncatedTo(ChronoUnit.SECONDS)));
        }
    }

    // ---- what the operator sees

    /** From now on the cache sees nothing, unless it is to {@link #hear()}. */
    void lag() {
        hearUnlessLagging();
        lagging = true;
    }

    private void hearUnlessLagging() {
        boolean heard = !lagging;
        while (heard) {
            heard = hear();
        }
    }

    /** Also the cache sees it, but nothing else that it has missed. */
    void retire(String cidr) {
        live(cidr).ifPresent(known -> put(SampleCidrs.retiring(known)));
        cidrCache.hearOf(cidr);
    }

    /**
     * Its cache hears of the next change.
     *
     * @return false: there was none
     */
    boolean hear() {
        if (cidrCache.nextRevision() < addressCache.nextRevision()) {
            cidrCache.hear();
        } else if (addressCache.hasNews()) {
            ClusterInMemory.Change<Ip, ClusterIp> change = addressCache.hear();
            ClusterIp now = change.now();
            if (now == null) {
                cachedAddresses.remove(change.key());
            } else {
                cachedAddresses.put(now);
            }
        } else {
            return false;
        }
        return true;
    }

    /** The caches are filled again, as at a start. */
    void relist() {
        cidrCache.relist();
        addressCache.relist();
        cachedAddresses.replaceAll(addresses.values());
    }

    @Override
    public List<ServiceCidr> serviceCidrs() {
        hearUnlessLagging();
        return List.copyOf(cidrCache.cached().values());
    }

    @Override
    public Optional<String> watchClusterIps() {
        watched = true;
        return blind;
    }

    @Override
    public Optional<String> interruption() {
        return interruption;
    }

    @Override
    public <A> A askClusterIps(Function<ClusterIps, A> question) {
        hearUnlessLagging();
        return question.apply(cachedAddresses);
    }

    @Override
    public Read<List<ServiceCidr>> readServiceCidrs() {
        return read(() -> cidrs.values().stream());
    }

    @Override
    public Read<List<ClusterIp>> readClusterIps() {
        return read(() -> addresses.values().stream());
    }

    @Override
    public Read<List<ClusterIp>> readReservations() {
        return read(() -> addresses.values().stream().filter(ClusterIp::isReservation));
    }

    @Override
    public Read<List<ExcludedNetwork>> readPods(List<IpRange> networks) {
        return read(() -> pods.stream().filter(pod -> networks.stream().anyMatch(pod.range()::overlaps)));
    }

    @Override
    public Read<List<ExcludedNetwork>> readTaken(List<IpRange> networks) {
        return read(() -> taken.stream().filter(one -> networks.stream().anyMatch(one.range()::overlaps)));
    }

    private <T> Read<List<T>> read(Supplier<Stream<T>> all) {
        return line().readFails("list")
                ? new Read.Failed<>("no route to host")
                : new Read.Found<>(all.get().toList());
    }

    // ---- what the operator writes

    @Override
    public Write<ServiceCidr> addFinalizer(ServiceCidr seen) {
        // No new finalizers can be added if the object is being deleted.
        return change("addFinalizer", seen, cidr -> cidr.isTerminating() ? cidr : SampleCidrs.with(cidr, true));
    }

    @Override
    public Write<ServiceCidr> removeFinalizer(ServiceCidr seen) {
        return change("removeFinalizer", seen, cidr -> SampleCidrs.with(cidr, false));
    }

    @Override
    public Write<ServiceCidr> setReady(ServiceCidr seen, ReadyCondition ready, Instant since) {
        return change(
                "setReady " + ready.status(),
                seen,
                cidr -> SampleCidrs.with(cidr, ready, since.truncatedTo(ChronoUnit.SECONDS)));
    }

    private Write<ServiceCidr> change(String verb, ServiceCidr seen, UnaryOperator<ServiceCidr> change) {
        return write(verb, seen, () -> put(change.apply(Objects.requireNonNull(cidrs.get(seen.name())))));
    }

    @Override
    public Write<ServiceCidr> deleteServiceCidr(ServiceCidr seen) {
        return write("delete", seen, () -> delete(seen.name()));
    }

    private Write<ServiceCidr> write(String verb, ServiceCidr seen, Runnable effect) {
        return line().write(
                        verb + " " + seen.name(),
                        () -> cidrObjects.ifSame(seen.name(), seen, () -> {
                            effect.run();
                            return new Write.Done<>(cidrs.getOrDefault(seen.name(), seen));
                        }));
    }

    @Override
    public Write<ServiceCidr> createServiceCidr(String name, ServiceRange range) {
        return line().write("create " + name, () -> {
            if (cidrs.containsKey(name)) {
                return new Write.Conflict<>("exists");
            }
            put(SampleCidrs.created(
                    SampleCidrs.madeByBerth(SampleCidrs.cidr(name, range.toString())), newUid(), now()));
            return new Write.Done<>(Objects.requireNonNull(cidrs.get(name)));
        });
    }

    @Override
    public Write<ClusterIp> reserve(Ip ip, ServiceKey service) {
        return line().write(
                        "reserve " + ip,
                        () -> addressObjects.create(
                                ip,
                                () -> new ClusterIp(ip, newUid(), ClusterIp.BERTH, null, Parent.of(service), now())));
    }

    @Override
    public Write<ClusterIp> release(ClusterIp seen) {
        return line().write(
                        "release " + seen.ip(),
                        () -> addressObjects.ifSame(seen.ip(), seen, () -> {
                            remove(seen.ip());
                            return new Write.Done<>(seen);
                        }));
    }
}
