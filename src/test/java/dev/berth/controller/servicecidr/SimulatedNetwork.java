package dev.berth.controller.servicecidr;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.ClusterIps;
import dev.berth.servicecidr.Parent;
import dev.berth.servicecidr.SampleCidrs;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.servicecidr.ServiceRange;
import dev.berth.testing.cluster.Line;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/**
 * A network with the allocators of its API servers. What the world does, it does between the calls of the operator; any
 * call may be the last of it.
 */
final class SimulatedNetwork extends NetworkInMemory {
    /** The process ended here. */
    static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** So late may an API server see a change of a ServiceCIDR: a little less than the grace that it is given. */
    private static final Duration LAG = Duration.ofSeconds(9);

    final List<String> story = new ArrayList<>();

    /** Statuses and deletions that nobody waits for any more, and that are still to be done. */
    final List<Runnable> late = new ArrayList<>();

    /** What happens between two calls. */
    Runnable meanwhile = () -> {};

    boolean faults = true;
    Instant now = START;

    private final Random random;
    private final Line line = new Unreliable();

    /** Until when an API server may go on giving addresses of what it should not. */
    private final NavigableMap<String, Instant> openUntil = new TreeMap<>();

    private List<ServiceCidr> lastRead = List.of();

    SimulatedNetwork(Random random) {
        this.random = random;
        lag();
    }

    void tell(String what) {
        story.add(now + " " + what);
    }

    static AssertionError broken(String rule) {
        return new AssertionError(rule);
    }

    // ---- the truth

    @Override
    void put(ServiceCidr cidr) {
        ServiceCidr before = cidrs.get(cidr.name());
        super.put(cidr);
        if (live(cidr.name()).isEmpty()) {
            checkEnd(cidr.name());
        } else if (!cidr.equals(before)) {
            close(cidr);
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

    private void checkEnd(String name) {
        tell("ServiceCIDR " + name + " is gone");
        addresses.values().stream()
                .filter(ClusterIp::ofAllocator)
                .filter(address -> cidrs.values().stream().noneMatch(other -> other.contains(address.ip())))
                .findFirst()
                .ifPresent(orphan -> {
                    throw broken("with ServiceCIDR " + name + " the last one of " + orphan.ip() + " of "
                            + orphan.owner() + " is gone");
                });
    }

    void create(String name, String range) {
        if (!cidrs.containsKey(name)) {
            put(SampleCidrs.created(SampleCidrs.cidr(name, range), newUid(), now));
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
                    put(new ClusterIp(
                            ip, newUid(), ClusterIp.ALLOCATOR, ip.family().toString(), Parent.of(service), now));
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
        if (addresses.containsKey(ip)) {
            remove(ip);
            tell(ip + " is given back");
        }
    }

    // ---- the operator's way

    @Override
    Instant now() {
        return now;
    }

    @Override
    Line line() {
        return line;
    }

    private final class Unreliable implements Line {
        @Override
        public Fault sending(String call, Runnable effect) {
            writes.add(call);
            pause();
            return switch (faults ? random.nextInt(24) : 23) {
                case 0 -> Fault.CONFLICT;
                case 1 -> Fault.REFUSED;
                case 2 -> Fault.UNKNOWN_NOT_DONE;
                case 3 -> Fault.UNKNOWN_DONE;
                case 4 -> Fault.UNKNOWN_LATE;
                default -> Fault.NONE;
            };
        }

        @Override
        public void answered(String call) {
            tell("Berth: " + call);
            pause();
        }

        @Override
        public boolean readFails(String call) {
            pause();
            return faults && random.nextInt(12) == 0;
        }

        @Override
        public void late(String call, Runnable effect) {
            late.add(() -> {
                tell("late: " + call);
                effect.run();
            });
            answered(call + " -> unknown, and not done yet");
        }
    }

    private void pause() {
        if (faults) {
            meanwhile.run();
            if (random.nextInt(25) == 0) {
                throw new Crash();
            }
        }
    }

    @Override
    public Optional<String> interruption() {
        return faults && random.nextInt(20) == 0 ? Optional.of("the watch broke") : Optional.empty();
    }

    @Override
    public Read<List<ServiceCidr>> readServiceCidrs() {
        Read<List<ServiceCidr>> read = super.readServiceCidrs();
        if (read instanceof Read.Found<List<ServiceCidr>>(List<ServiceCidr> found)) {
            lastRead = found;
        }
        return read;
    }

    @Override
    public Write<ServiceCidr> deleteServiceCidr(ServiceCidr seen) {
        checkDelete(seen);
        return super.deleteServiceCidr(seen);
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

    @Override
    public Write<ClusterIp> reserve(Ip ip, ServiceKey service) {
        throw new IllegalStateException("nothing is to be reserved");
    }

    @Override
    public Write<ClusterIp> release(ClusterIp seen) {
        throw new IllegalStateException("nothing is reserved");
    }
}
