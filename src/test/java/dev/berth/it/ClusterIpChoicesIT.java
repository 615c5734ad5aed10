package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import dev.berth.kube.LiveAddresses;
import dev.berth.kube.NetworkingVersion;
import dev.berth.kube.Read;
import dev.berth.servicecidr.Allocation;
import dev.berth.servicecidr.ClusterIpAllocator;
import dev.berth.servicecidr.ClusterIps;
import dev.berth.servicecidr.ServiceRange;
import dev.berth.testing.ControlPlane;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The model of the allocator beside the one of a real API server: over seeds, ranges of any size that may overlap, and
 * Services that come with an address or without, and go. No controller looks after the ranges, so they end at once.
 */
class ClusterIpChoicesIT {
    private static final long SEEDS = Long.getLong("choices.seeds", 4);
    private static final long FIRST = Long.getLong("choices.first", 0);
    private static final int STEPS = 60;

    private static ServiceCidrs cluster;

    @BeforeAll
    static void start() {
        cluster = ServiceCidrs.withoutBerth(ControlPlane.builder()
                .serviceCidrs("10.96.0.0/29", "fd00:10:96::/125")
                .start());
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    static LongStream seeds() {
        return LongStream.range(FIRST, FIRST + SEEDS);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theApiServersChoices_areOnesThatTheModelAllows_andEndAtTheSameCount(long seed) {
        Run run = new Run(seed);
        try {
            run.createRanges();
            for (int i = 0; i < STEPS; i++) {
                run.step();
            }
            run.exhaust(IpFamily.IPV4);
            run.exhaust(IpFamily.IPV6);
        } finally {
            run.close();
        }
    }

    /** One seed's ranges and Services. */
    private static final class Run implements AutoCloseable {
        private final Random random;
        private final List<String> names = new ArrayList<>();
        private final List<ServiceRange> ranges = new ArrayList<>();
        private final Map<String, Ip> services = new LinkedHashMap<>();
        private int created;

        Run(long seed) {
            random = new Random(seed);
        }

        /** One or two of each family, out of a network so small that two often overlap. */
        void createRanges() {
            IntStream.range(0, 1 + random.nextInt(2)).forEach(i -> {
                createRange("10.100.0." + random.nextInt(128), 26 + random.nextInt(5));
                createRange("fd00:10:100::" + Integer.toHexString(random.nextInt(128)), 122 + random.nextInt(6));
            });
            // An allocator sees a new range a moment after it is there.
            ranges.forEach(range -> await(range.toString())
                    .until(() -> cluster.wouldGive(
                            range.addresses().orElseThrow().upper().toString())));
        }

        private void createRange(String ip, int prefixLength) {
            ServiceRange range = ServiceRange.around(Ip.parse(ip), prefixLength);
            names.add("range-" + names.size());
            ranges.add(range);
            cluster.create(names.getLast(), range.toString());
        }

        private ClusterIpAllocator model() {
            LiveAddresses live = new LiveAddresses(cluster.client(), NetworkingVersion.V1);
            ClusterIps taken = new ClusterIps();
            taken.replaceAll(found(live.readClusterIps()));
            return new ClusterIpAllocator(found(live.readServiceCidrs()), taken);
        }

        private static <T> T found(Read<T> read) {
            assertThat(read).isInstanceOf(Read.Found.class);
            return ((Read.Found<T>) read).value();
        }

        void step() {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> any(random.nextBoolean() ? IpFamily.IPV4 : IpFamily.IPV6);
                case 3, 4, 5 -> exact(anAddress());
                default -> deleteOne();
            }
        }

        /** In a range or just beside it. */
        private Ip anAddress() {
            ServiceRange range = ranges.get(random.nextInt(ranges.size()));
            int size = range.whole().size().intValueExact();
            return new Ip(range.network().value().increment(random.nextInt(size + 2)));
        }

        /** Whether one was given. */
        private boolean any(IpFamily family) {
            ClusterIpAllocator model = model();
            Allocation choice = model.next(family, random);
            String name = nextName();
            Optional<Ip> given = created(name, () -> cluster.createServiceOfFamily(name, family.toString()));
            assertThat(given.isPresent())
                    .as("an address of %s is given; the model says %s", family, choice)
                    .isEqualTo(choice instanceof Allocation.Allocated);
            given.ifPresent(ip -> assertThat(mayGive(model, ip))
                    .as("%s, which is taken, or of a static band before its dynamic one is full", ip)
                    .isTrue());
            return given.isPresent();
        }

        private static boolean mayGive(ClusterIpAllocator model, Ip ip) {
            return model.taken().get(ip).isEmpty()
                    && model.cidrs().stream()
                            .flatMap(cidr -> cidr.range(ip.family()).stream())
                            .filter(range -> range.contains(ip))
                            .anyMatch(range -> range.dynamicBand()
                                    .filter(band -> band.contains(ip) || isFree(model, band))
                                    .map(band -> band.contains(ip))
                                    .orElse(true));
        }

        private static boolean isFree(ClusterIpAllocator model, IpRange band) {
            return model.taken().nextFree(band.lower(), band).isPresent();
        }

        private void exact(Ip ip) {
            Allocation choice = model().exact(ip);
            String name = nextName();
            Optional<Ip> given = created(name, () -> cluster.createService(name, ip.toString()));
            assertThat(given)
                    .as("%s asked for; the model says %s", ip, choice)
                    .isEqualTo(choice instanceof Allocation.Allocated ? Optional.of(ip) : Optional.empty());
        }

        private String nextName() {
            return "s" + created++;
        }

        private Optional<Ip> created(String name, Supplier<Service> creation) {
            try {
                Ip ip = Ip.parse(creation.get().getSpec().getClusterIP());
                services.put(name, ip);
                return Optional.of(ip);
            } catch (KubernetesClientException refusal) {
                return Optional.empty();
            }
        }

        private void deleteOne() {
            if (!services.isEmpty()) {
                List<String> all = List.copyOf(services.keySet());
                delete(all.get(random.nextInt(all.size())));
            }
        }

        private void delete(String name) {
            Ip ip = Objects.requireNonNull(services.remove(name));
            cluster.deleteService(name);
            // The allocator hears a moment later that it is free again.
            await(ip.toString()).until(() -> cluster.wouldGive(ip.toString()));
        }

        void exhaust(IpFamily family) {
            // More than all ranges together have, the default one included.
            int most = 16
                    + ranges.stream()
                            .mapToInt(range -> range.whole().size().intValueExact())
                            .sum();
            long given = Stream.generate(() -> any(family))
                    .limit(most)
                    .takeWhile(any -> any)
                    .count();
            assertThat(given).isLessThan(most);
        }

        @Override
        public void close() {
            services.keySet().forEach(cluster::deleteService);
            names.forEach(cluster::delete);
            names.forEach(cluster::awaitGone);
        }
    }
}
