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
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * ServiceCIDRs and IPAddresses as an API server keeps them, its allocators, and one operator's caches, which lag behind.
 * What the world does, it does between the calls of the operator; any call may be the last of it.
 */
final class SimulatedNetwork implements ClusterNetwork {
    /** The process ended here. */
    static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** So late may an API server see a change of a ServiceCIDR: a little less than the grace that it is given. */
    private static final Duration LAG = Duration.ofSeconds(9);

    final NavigableMap<String, ServiceCidr> cidrs = new TreeMap<>();
    final NavigableMap<Ip, ClusterIp> addresses = new TreeMap<>();
    final List<String> story = new ArrayList<>();

    /** Statuses and deletions that nobody waits for any more, and that are still to be done. */
    final List<Runnable> late = new ArrayList<>();

    /** What happens between two calls. */
    Runnable meanwhile = () -> {};

    boolean faults = true;
    int writes;
    Instant now = SampleCidrs.START;

    private final Random random;
    private final List<Runnable> news = new ArrayList<>();
    private final NavigableMap<String, ServiceCidr> cachedCidrs = new TreeMap<>();
    private final ClusterIps cachedAddresses = new ClusterIps();

    /** Until when an API server may go on giving addresses of what it should not. */
    private final NavigableMap<String, Instant> openUntil = new TreeMap<>();

    private List<ServiceCidr> lastRead = List.of();
    private int nextUid = 1;

    SimulatedNetwork(Random random) {
        this.random = random;
    }

    void tell(String what) {
        story.add(now + " " + what);
    }

    static AssertionError broken(String rule) {
        return new AssertionError(rule);
    }

    // ---- the truth

    void put(ServiceCidr cidr) {
        ServiceCidr before = cidrs.put(cidr.name(), cidr);
        if (!cidr.equals(before)) {
            close(cidr);
            news.add(() -> cachedCidrs.put(cidr.name(), cidr));
        }
    }

    /**
     * An API server has one allocator for a CIDR, and takes it out of use when it sees a change of a ServiceCIDR that is
     * the only one of it, and is being deleted.
     */
    private void close(ServiceCidr changed) {
        String range = changed.ranges().getFirst().toString();
        boolean isAlone = cidrs.values().stream()
                        .filter(other -> other.ranges().getFirst().toString().equals(range))
                        .count()
                == 1;
        if (changed.isTerminating() && isAlone) {
            openUntil.putIfAbsent(range, now.plus(LAG));
        } else {
            openUntil.remove(range);
        }
    }

    void remove(String name) {
        ServiceCidr gone = cidrs.remove(name);
        if (gone == null) {
            return;
        }
        tell("ServiceCIDR " + name + " is gone");
        news.add(() -> cachedCidrs.remove(name));
        addresses.values().stream()
                .filter(ClusterIp::ofAllocator)
                .filter(address -> cidrs.values().stream().noneMatch(other -> other.contains(address.ip())))
                .findFirst()
                .ifPresent(orphan -> {
                    throw broken("with ServiceCIDR " + name + " the last one of " + orphan.ip() + " of "
                            + orphan.owner() + " is gone");
                });
    }

    /** As a user deletes it: it goes at once if nobody holds it. */
    void delete(String name) {
        ServiceCidr known = cidrs.get(name);
        if (known == null || known.isTerminating()) {
            return;
        }
        if (known.finalizer()) {
            put(SampleCidrs.deleted(known, now.truncatedTo(ChronoUnit.SECONDS)));
        } else {
            remove(name);
        }
    }

    void create(String name, String range, boolean ofBerth) {
        if (!cidrs.containsKey(name)) {
            ServiceCidr made = SampleCidrs.created(
                    ofBerth ? SampleCidrs.madeByBerth(SampleCidrs.cidr(name, range)) : SampleCidrs.cidr(name, range),
                    "uid-" + nextUid++,
                    now);
            put(made);
        }
    }

    /** An API server gives a Service the lowest free address; false: it has none. */
    boolean allocate(ServiceKey service) {
        for (ServiceCidr cidr : cidrs.values()) {
            ServiceRange range = cidr.ranges().getFirst();
            Instant closes = openUntil.get(range.toString());
            boolean gives = closes == null ? isGiving(range) : now.isBefore(closes);
            Optional<IpRange> all = range.addresses().filter(any -> gives);
            if (all.isPresent()) {
                ClusterIps taken = new ClusterIps();
                taken.replaceAll(addresses.values());
                Optional<Ip> free = taken.nextFree(all.get().lower(), all.get());
                if (free.isPresent()) {
                    tell("an API server gives " + service + " " + free.get() + " of " + range);
                    Ip ip = free.get();
                    ClusterIp address = new ClusterIp(
                            ip,
                            "uid-" + nextUid++,
                            ClusterIp.ALLOCATOR,
                            ip.family().toString(),
                            Parent.of(service),
                            now);
                    addresses.put(ip, address);
                    news.add(() -> cachedAddresses.put(address));
                    return true;
                }
            }
        }
        return false;
    }

    /** Several of one CIDR that are all being deleted go on giving. */
    private boolean isGiving(ServiceRange range) {
        List<ServiceCidr> same = cidrs.values().stream()
                .filter(other -> other.ranges().getFirst().equals(range))
                .toList();
        return same.stream().anyMatch(ServiceCidr::isReady) || same.size() > 1;
    }

    void free(Ip ip) {
        if (addresses.remove(ip) != null) {
            tell(ip + " is given back");
            news.add(() -> cachedAddresses.remove(ip));
        }
    }

    // ---- what the operator sees

    boolean hear() {
        if (news.isEmpty()) {
            return false;
        }
        news.removeFirst().run();
        return true;
    }

    void relist() {
        news.clear();
        cachedCidrs.clear();
        cachedCidrs.putAll(cidrs);
        cachedAddresses.replaceAll(addresses.values());
    }

    @Override
    public List<ServiceCidr> serviceCidrs() {
        return List.copyOf(cachedCidrs.values());
    }

    @Override
    public Optional<String> watchClusterIps() {
        return Optional.empty();
    }

    @Override
    public Optional<String> interruption() {
        return faults && random.nextInt(20) == 0 ? Optional.of("the watch broke") : Optional.empty();
    }

    @Override
    public <A> A askClusterIps(Function<ClusterIps, A> question) {
        return question.apply(cachedAddresses);
    }

    @Override
    public Read<List<ServiceCidr>> readServiceCidrs() {
        Read<List<ServiceCidr>> read = read(() -> cidrs.values().stream());
        if (read instanceof Read.Found<List<ServiceCidr>>(List<ServiceCidr> found)) {
            lastRead = found;
        }
        return read;
    }

    @Override
    public Read<List<ClusterIp>> readClusterIps() {
        return read(() -> addresses.values().stream());
    }

    @Override
    public Read<List<ExcludedNetwork>> readPods(List<IpRange> networks) {
        return read(Stream::empty);
    }

    @Override
    public Read<List<ExcludedNetwork>> readTaken(List<IpRange> networks) {
        return read(Stream::empty);
    }

    @Override
    public Read<List<ClusterIp>> readReservations() {
        return read(() -> addresses.values().stream().filter(ClusterIp::isReservation));
    }

    private <T> Read<List<T>> read(Supplier<Stream<T>> all) {
        pause();
        return faults && random.nextInt(12) == 0
                ? new Read.Failed<>("no route to host")
                : new Read.Found<>(all.get().toList());
    }

    private void pause() {
        if (faults) {
            meanwhile.run();
            if (random.nextInt(25) == 0) {
                throw new Crash();
            }
        }
    }

    // ---- what the operator writes

    @Override
    public Write<ServiceCidr> addFinalizer(ServiceCidr seen) {
        return change("add the finalizer of", seen, cidr -> {
            // No new finalizers can be added if the object is being deleted.
            put(cidr.isTerminating() ? cidr : SampleCidrs.with(cidr, true));
        });
    }

    @Override
    public Write<ServiceCidr> removeFinalizer(ServiceCidr seen) {
        return change("remove the finalizer of", seen, cidr -> {
            if (cidr.isTerminating()) {
                remove(cidr.name());
            } else {
                put(SampleCidrs.with(cidr, false));
            }
        });
    }

    @Override
    public Write<ServiceCidr> setReady(ServiceCidr seen, ReadyCondition ready, Instant since) {
        return change(
                "say " + ready.status() + " " + ready.reason() + " of",
                seen,
                cidr -> put(SampleCidrs.with(cidr, ready, since.truncatedTo(ChronoUnit.SECONDS))));
    }

    @Override
    public Write<ServiceCidr> deleteServiceCidr(ServiceCidr seen) {
        checkDelete(seen);
        return change("delete", seen, cidr -> delete(cidr.name()));
    }

    /** By what it has read: what changed since, nobody could know. */
    private void checkDelete(ServiceCidr seen) {
        List<ServiceRange> staying = lastRead.stream()
                .filter(other -> !other.isTerminating() && !other.name().equals(seen.name()))
                .map(other -> other.ranges().getFirst())
                .toList();
        ServiceRange range = seen.ranges().getFirst();
        lastRead.stream()
                .filter(other -> other.isTerminating() && !other.name().equals(seen.name()))
                .map(other -> other.ranges().getFirst())
                .filter(range::overlaps)
                .filter(other -> staying.stream().noneMatch(kept -> kept.contains(range) || kept.contains(other)))
                .findFirst()
                .ifPresent(other -> {
                    throw broken("ServiceCIDR " + seen.name() + " is deleted while " + other
                            + ", which has addresses of it, is going, too");
                });
    }

    private Write<ServiceCidr> change(String what, ServiceCidr seen, Consumer<ServiceCidr> change) {
        return write(what + " " + seen.name(), () -> {
            ServiceCidr current = cidrs.get(seen.name());
            if (current == null) {
                return new Write.NotFound<>("gone");
            }
            if (!current.uid().equals(seen.uid())) {
                return new Write.Conflict<>("another uid");
            }
            change.accept(current);
            return new Write.Done<>(seen);
        });
    }

    @Override
    public Write<ServiceCidr> createServiceCidr(String name, ServiceRange range) {
        return write("create " + name + " of " + range, () -> {
            if (cidrs.containsKey(name)) {
                return new Write.Conflict<>("exists");
            }
            create(name, range.toString(), true);
            return new Write.Done<>(Objects.requireNonNull(cidrs.get(name)));
        });
    }

    @Override
    public Write<ClusterIp> reserve(Ip ip, ServiceKey service) {
        throw new IllegalStateException("nothing is to be reserved");
    }

    @Override
    public Write<ClusterIp> release(ClusterIp seen) {
        throw new IllegalStateException("nothing is reserved");
    }

    private <T> Write<T> write(String what, Supplier<Write<T>> effect) {
        writes++;
        pause();
        int luck = faults ? random.nextInt(24) : 23;
        Write<T> outcome = switch (luck) {
            case 0 -> new Write.Conflict<>("simulated");
            case 1 -> new Write.Refused<>("simulated");
            case 2 -> new Write.Unknown<>("simulated");
            case 3 -> {
                Objects.requireNonNull(effect.get());
                yield new Write.Unknown<>("simulated");
            }
            case 4 -> {
                late.add(() -> {
                    tell("late: " + what);
                    Objects.requireNonNull(effect.get());
                });
                yield new Write.Unknown<>("simulated");
            }
            default -> effect.get();
        };
        tell("Berth: " + what + ": " + outcome.getClass().getSimpleName());
        pause();
        return outcome;
    }
}
