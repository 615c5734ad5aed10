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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A cluster's ServiceCIDRs and IPAddresses, and a cache of them that lags behind for as long as a test wants. */
final class NetworkInMemory implements ClusterNetwork {
    static final Instant START = SampleCidrs.START;

    /** What the API server answers instead of doing it. */
    enum Fault {
        CONFLICT {
            @Override
            <T> Write<T> answer() {
                return new Write.Conflict<>("it exists already");
            }
        },
        REFUSED {
            @Override
            <T> Write<T> answer() {
                return new Write.Refused<>("a policy denies it");
            }
        },
        UNKNOWN {
            @Override
            <T> Write<T> answer() {
                return new Write.Unknown<>("connection reset");
            }
        },
        NOT_FOUND {
            @Override
            <T> Write<T> answer() {
                return new Write.NotFound<>("not found");
            }
        };

        abstract <T> Write<T> answer();
    }

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

    @Nullable Fault fault;

    private final Map<String, ServiceCidr> cidrs = new TreeMap<>();
    private final Map<Ip, ClusterIp> addresses = new TreeMap<>();
    private boolean lagging;
    private List<ServiceCidr> cachedCidrs = List.of();
    private final ClusterIps cachedAddresses = new ClusterIps();

    /** From now on the cache sees nothing. */
    void lag() {
        lagging = true;
    }

    private void changed() {
        if (!lagging) {
            cachedCidrs = List.copyOf(cidrs.values());
            cachedAddresses.replaceAll(addresses.values());
        }
    }

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

    void put(ServiceCidr cidr) {
        cidrs.put(cidr.name(), cidr);
        changed();
    }

    /** Also the cache sees it, but nothing else that it has missed. */
    void retire(String cidr) {
        cidrs.computeIfPresent(cidr, (name, known) -> SampleCidrs.retiring(known));
        cachedCidrs = cachedCidrs.stream()
                .map(known -> known.name().equals(cidr) ? SampleCidrs.retiring(known) : known)
                .toList();
    }

    void put(ClusterIp address) {
        addresses.put(address.ip(), address);
        changed();
    }

    void remove(String cidr) {
        cidrs.remove(cidr);
        changed();
    }

    void remove(Ip address) {
        addresses.remove(address);
        changed();
    }

    Optional<ServiceCidr> live(String name) {
        return Optional.ofNullable(cidrs.get(name));
    }

    Optional<ClusterIp> live(Ip address) {
        return Optional.ofNullable(addresses.get(address));
    }

    @Override
    public List<ServiceCidr> serviceCidrs() {
        return cachedCidrs;
    }

    @Override
    public Optional<String> watchClusterIps() {
        watched = true;
        return blind;
    }

    @Override
    public <A> A askClusterIps(Function<ClusterIps, A> question) {
        return question.apply(cachedAddresses);
    }

    @Override
    public Optional<String> interruption() {
        return interruption;
    }

    @Override
    public Read<List<ServiceCidr>> readServiceCidrs() {
        return read(cidrs);
    }

    @Override
    public Read<List<ClusterIp>> readClusterIps() {
        return read(addresses);
    }

    @Override
    public Read<List<ExcludedNetwork>> readPods(List<IpRange> networks) {
        return read(pods.stream().filter(pod -> networks.stream().anyMatch(pod.range()::overlaps)));
    }

    @Override
    public Read<List<ExcludedNetwork>> readTaken(List<IpRange> networks) {
        return read(taken.stream().filter(one -> networks.stream().anyMatch(one.range()::overlaps)));
    }

    @Override
    public Read<List<ClusterIp>> readReservations() {
        return read(addresses.values().stream().filter(ClusterIp::isReservation));
    }

    private <T> Read<List<T>> read(Map<?, T> objects) {
        return read(objects.values().stream());
    }

    private <T> Read<List<T>> read(Stream<T> objects) {
        liveReads++;
        return silent ? new Read.Failed<>("no route to host") : new Read.Found<>(objects.toList());
    }

    @Override
    public Write<ServiceCidr> addFinalizer(ServiceCidr seen) {
        return change("addFinalizer", seen, cidr -> SampleCidrs.with(cidr, true));
    }

    @Override
    public Write<ServiceCidr> removeFinalizer(ServiceCidr seen) {
        return change("removeFinalizer", seen, cidr -> SampleCidrs.with(cidr, false));
    }

    @Override
    public Write<ServiceCidr> setReady(ServiceCidr seen, ReadyCondition ready, Instant since) {
        return change("setReady " + ready.status(), seen, cidr -> SampleCidrs.with(cidr, ready, since));
    }

    @Override
    public Write<ServiceCidr> deleteServiceCidr(ServiceCidr seen) {
        return change("delete", seen, cidr -> SampleCidrs.deleted(cidr, START));
    }

    private Write<ServiceCidr> change(String verb, ServiceCidr seen, UnaryOperator<ServiceCidr> change) {
        return write(verb + " " + seen.name(), () -> {
            ServiceCidr changed = change.apply(cidrs.getOrDefault(seen.name(), seen));
            put(changed);
            return changed;
        });
    }

    @Override
    public Write<ServiceCidr> createServiceCidr(String name, ServiceRange range) {
        return write("create " + name, () -> {
            ServiceCidr made = SampleCidrs.madeByBerth(SampleCidrs.cidr(name, range.toString()));
            put(made);
            return made;
        });
    }

    @Override
    public Write<ClusterIp> reserve(Ip ip, ServiceKey service) {
        return write("reserve " + ip, () -> {
            ClusterIp made = new ClusterIp(ip, "uid-" + ip, ClusterIp.BERTH, null, Parent.of(service), START);
            put(made);
            return made;
        });
    }

    @Override
    public Write<ClusterIp> release(ClusterIp seen) {
        return write("release " + seen.ip(), () -> {
            remove(seen.ip());
            return seen;
        });
    }

    private <T> Write<T> write(String what, Supplier<T> effect) {
        writes.add(what);
        Fault wrong = fault;
        return wrong == null ? new Write.Done<>(effect.get()) : wrong.answer();
    }
}
