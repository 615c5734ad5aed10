package dev.berth.controller.servicecidr;

import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.LoopParts;
import dev.berth.controller.Next;
import dev.berth.controller.NoOpEvents;
import dev.berth.controller.SampleParts;
import dev.berth.controller.StartGate;
import dev.berth.controller.Timing;
import dev.berth.ip.Ip;
import dev.berth.kube.Caches;
import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.Events;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.Finding;
import dev.berth.servicecidr.Forecast;
import dev.berth.servicecidr.ReadyCondition;
import dev.berth.servicecidr.SampleCidrs;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.servicecidr.Usage;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/** One seed's life of a cluster's own ranges: Services come and go, ranges are added, deleted and retired, and grow. */
final class RangesSimulation {
    private static final int STEPS = 250;
    private static final String POLICY = ServiceCIDRPolicy.NAME;
    private static final Duration SETTLED = Duration.ofMinutes(50);

    private final Random random;
    private final SimulatedNetwork network;
    private final UnaryOperator<ClusterNetwork> parts;
    private final ObjectsInMemory<ServiceCIDRPolicy> policies = new ObjectsInMemory<>();
    private final ServiceCidrControl.Mode mode;

    /** When each is looked at; what is not here waits for an event. */
    private final Map<String, Instant> looks = new TreeMap<>();

    private final List<ServiceKey> services = new ArrayList<>();
    private int nextService = 1;
    private boolean isIdle = true;
    private ServiceCidrControl ranges;
    private PolicyControl policy;

    RangesSimulation(long seed, UnaryOperator<ClusterNetwork> parts) {
        this.parts = parts;
        random = new Random(seed * 0x9E3779B97F4A7C15L);
        network = new SimulatedNetwork(random);
        mode = random.nextBoolean() ? ServiceCidrControl.Mode.Always : ServiceCidrControl.Mode.Auto;
        network.create("kubernetes", "10.0.0.0/28");
        policies.put(policy());
        begin();
        network.meanwhile = this::meanwhile;
    }

    private ServiceCIDRPolicy policy() {
        ServiceCIDRPolicy object = new ServiceCIDRPolicy();
        object.setMetadata(new ObjectMetaBuilder()
                .withName(POLICY)
                .withUid("uid")
                .withGeneration(1L)
                .build());
        object.setSpec(new ServiceCIDRPolicy.Spec(
                null,
                random.nextInt(3) == 0
                        ? null
                        : new ServiceCIDRPolicy.Growth(
                                false,
                                new ServiceCIDRPolicy.FamilyGrowth(List.of("10.1.0.0/26"), 28, 80, 3),
                                null,
                                List.of("10.200.0.0/16"))));
        return object;
    }

    private void begin() {
        network.relist();
        Events noEvents = new NoOpEvents();
        Timing timing = SampleParts.timing(() -> network.now, () -> network.now);
        ClusterNetwork seen = parts.apply(network);
        ranges = new ServiceCidrControl(
                new ServiceCidrControl.Settings(mode, Duration.ofSeconds(60)),
                "networking.k8s.io/v1",
                seen,
                noEvents,
                timing);
        policy = new PolicyControl(
                new LoopParts(new Caches(), new StartGate(), noEvents, timing),
                "networking.k8s.io/v1",
                seen,
                this::write,
                new ReservationStatuses((object, status) -> true, noEvents, () -> network.now),
                new ClusterAddressMetrics() {
                    @Override
                    public void used(Usage usage, Forecast forecast) {}

                    @Override
                    public void forget() {}

                    @Override
                    public void found(List<Finding> findings) {}
                });
        looks.clear();
        lookAtEverything();
    }

    private boolean write(ServiceCIDRPolicy object, ServiceCIDRPolicy.Status status) {
        if (network.faults && random.nextInt(8) == 0) {
            return false;
        }
        ServiceCIDRPolicy now = new ServiceCIDRPolicy();
        now.setMetadata(object.getMetadata());
        now.setSpec(object.getSpec());
        now.setStatus(status);
        policies.put(now);
        return true;
    }

    private void lookAtEverything() {
        looks.put(POLICY, network.now);
        network.serviceCidrs().forEach(cidr -> looks.put(cidr.name(), network.now));
    }

    // ---- what happens

    /** Lives it; throws AssertionError if a rule is broken. */
    void run() {
        for (int i = 0; i < STEPS; i++) {
            network.now = network.now.plusSeconds(random.nextInt(6));
            meanwhile();
            if (random.nextInt(3) == 0 && network.hear()) {
                lookAtEverything();
            }
            if (random.nextInt(60) == 0) {
                restart();
            }
            reconcileOne();
        }
        settle();
        int before = network.writes.size();
        begin();
        settle();
        if (network.writes.size() != before) {
            throw SimulatedNetwork.broken(
                    "a restart of a settled cluster wrote " + (network.writes.size() - before) + " times");
        }
    }

    String story() {
        return String.join("\n", network.story.subList(Math.max(0, network.story.size() - 80), network.story.size()));
    }

    private void restart() {
        network.tell("restart");
        begin();
    }

    private void reconcileOne() {
        List<String> due = looks.entrySet().stream()
                .filter(look -> !look.getValue().isAfter(network.now))
                .map(Map.Entry::getKey)
                .toList();
        if (due.isEmpty()) {
            return;
        }
        String name = due.get(random.nextInt(due.size()));
        looks.remove(name);
        isIdle = false;
        try {
            Next next = name.equals(POLICY) ? policy.reconcile(policies, POLICY) : ranges.reconcile(name);
            next.delay()
                    .ifPresent(delay -> looks.merge(name, network.now.plus(delay), (a, b) -> a.isBefore(b) ? a : b));
        } catch (SimulatedNetwork.Crash end) {
            restart();
        } finally {
            isIdle = true;
        }
    }

    private void meanwhile() {
        if (!isIdle && random.nextInt(4) != 0) {
            return;
        }
        switch (random.nextInt(22)) {
            case 0, 1, 2, 3, 4, 5 -> serve();
            case 6, 7, 8 -> any(services).ifPresent(this::end);
            case 9, 10 -> addRange();
            case 11 -> any(new ArrayList<>(network.cidrs.keySet())).ifPresent(this::deleteRange);
            case 12, 13 -> any(new ArrayList<>(network.cidrs.values())).ifPresent(this::retire);
            case 14 -> {
                if (!network.late.isEmpty()) {
                    network.late.removeFirst().run();
                }
            }
            default -> {}
        }
    }

    private <T> Optional<T> any(List<T> all) {
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
    }

    private void serve() {
        ServiceKey service = new ServiceKey("prod", "s" + nextService++);
        if (network.allocate(service)) {
            services.add(service);
        }
    }

    private void end(ServiceKey service) {
        services.remove(service);
        List<Ip> its = network.addresses.values().stream()
                .filter(address -> address.service().filter(service::equals).isPresent())
                .map(ClusterIp::ip)
                .toList();
        its.forEach(network::free);
    }

    /** Equal ranges, ranges within ranges, and one apart. */
    private void addRange() {
        String name = "r" + random.nextInt(5);
        if (!network.cidrs.containsKey(name)) {
            String range = List.of("10.0.0.0/28", "10.0.0.0/27", "10.0.0.16/28", "10.0.2.0/28")
                    .get(random.nextInt(4));
            network.tell("an administrator adds " + name + " of " + range);
            network.create(name, range);
        }
    }

    private void deleteRange(String name) {
        // By hand nobody is kept from deleting what has no finalizer yet.
        if (Objects.requireNonNull(network.cidrs.get(name)).finalizer()) {
            network.tell("an administrator deletes " + name);
            network.delete(name);
        }
    }

    private void retire(ServiceCidr cidr) {
        if (!cidr.isTerminating()) {
            String value = cidr.isToRetire() ? "false" : "true";
            network.tell("an administrator asks " + cidr.name() + " to retire: " + value);
            network.put(SampleCidrs.retiring(cidr, value));
        }
    }

    // ---- until nothing happens

    private void settle() {
        network.tell("settle");
        network.faults = false;
        while (!network.late.isEmpty()) {
            network.late.removeFirst().run();
        }
        Instant end = network.now.plus(SETTLED);
        int writes = network.writes.size();
        Instant lastWrite = network.now;
        while (network.now.isBefore(end)) {
            boolean heard = false;
            while (network.hear()) {
                heard = true;
            }
            if (heard) {
                lookAtEverything();
            }
            Instant next = looks.values().stream().min(Instant::compareTo).orElse(end);
            if (next.isAfter(network.now)) {
                network.now = next;
            }
            reconcileOne();
            if (network.writes.size() != writes) {
                writes = network.writes.size();
                lastWrite = network.now;
            }
        }
        if (lastWrite.isAfter(end.minus(Duration.ofMinutes(20)))) {
            throw SimulatedNetwork.broken("it does not settle");
        }
        check();
    }

    private void check() {
        for (ServiceCidr cidr : network.cidrs.values()) {
            if (cidr.isTerminating()) {
                boolean waitsForAnother = network.cidrs.values().stream()
                        .anyMatch(other -> !other.equals(cidr)
                                && other.isTerminating()
                                && other.overlaps(cidr.ranges().getFirst())
                                && isNeeded(other));
                if (!isNeeded(cidr) && !waitsForAnother) {
                    throw SimulatedNetwork.broken(cidr + " is not needed, and does not go");
                }
            } else if (!cidr.finalizer() || !ReadyCondition.READY.isSaidBy(cidr.ready())) {
                throw SimulatedNetwork.broken(cidr + " is not looked after");
            }
        }
        TreeSet<Ip> owned = new TreeSet<>(network.addresses.keySet());
        if (owned.size() != services.size()) {
            throw SimulatedNetwork.broken(services + " have " + owned);
        }
    }

    /** Whether an address would be in no range that stays. */
    private boolean isNeeded(ServiceCidr cidr) {
        return network.addresses.values().stream()
                .anyMatch(address -> cidr.contains(address.ip())
                        && network.cidrs.values().stream()
                                .noneMatch(other -> !other.isTerminating() && other.contains(address.ip())));
    }
}
