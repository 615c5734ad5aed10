package dev.berth.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** When a ServiceCIDR may go. The table has the cases of upstream's {@code TestController_canDeleteCIDR} (11). */
class ServiceCidrDeletionTest {
    private static final long SEEDS = Long.getLong("property.seeds", 5_000);
    private static final long FIRST = Long.getLong("property.first", 0);
    private static final Instant DELETED = Sample.START;
    private static final Instant LATER = DELETED.plusSeconds(1);
    private static final Instant NOW = DELETED.plusSeconds(60);

    private static final ServiceCidr GOING =
            SampleCidrs.deleted(SampleCidrs.ready("kubernetes", "192.168.0.0/24", "2001:db2::/64"), DELETED);

    private record Case(String rule, List<ServiceCidr> cidrs, List<String> ips, boolean free) {}

    private static ServiceCidr other(String ipv4) {
        return SampleCidrs.ready("other", ipv4, "2001:db2::/64");
    }

    private static final List<Case> CASES = List.of(
            new Case("nothing is known", List.of(), List.of(), true),
            new Case("no address is taken", List.of(GOING), List.of(), true),
            new Case("one of its addresses is", List.of(GOING), List.of("192.168.0.24"), false),
            new Case("one elsewhere is", List.of(GOING), List.of("192.168.1.24"), true),
            new Case("its IPv4 network's own is", List.of(GOING), List.of("192.168.0.0"), true),
            new Case("its IPv4 broadcast is", List.of(GOING), List.of("192.168.0.255"), true),
            new Case("its last IPv6 address is", List.of(GOING), List.of("2001:db2::ffff:ffff:ffff:ffff"), false),
            new Case("a twin has the address", List.of(GOING, other("192.168.0.0/24")), List.of("192.168.0.23"), true),
            new Case(
                    "a smaller one has the address",
                    List.of(GOING, other("192.168.0.0/26")),
                    List.of("192.168.0.23"),
                    true),
            new Case(
                    "a smaller one has it not",
                    List.of(GOING, other("192.168.0.0/28")),
                    List.of("192.168.0.23"),
                    false),
            new Case(
                    "a larger one has the address",
                    List.of(GOING, other("192.168.0.0/16")),
                    List.of("192.168.0.23"),
                    true));

    @Test
    void itMayGo_whenNoAddressIsItsAlone() {
        assertThat(CASES).hasSize(11).allSatisfy(row -> {
            ClusterIps ips = Sample.index(row.ips().toArray(String[]::new));
            ServiceCidrDeletion deletion = ServiceCidrDeletion.of(GOING, row.cidrs(), ips, NOW);
            assertThat(deletion)
                    .as(row.rule())
                    .isEqualTo(
                            row.free()
                                    ? new ServiceCidrDeletion.Free()
                                    : new ServiceCidrDeletion.Blocked(
                                            1, List.of(Ip.parse(row.ips().getFirst()))));
        });
    }

    @Test
    void whatKeepsIt_isCountedAndTheLowestAreNamed_eachFamilyAfterTheOther() {
        ClusterIps ips = Sample.index(
                IntStream.rangeClosed(1, 9).mapToObj(i -> "192.168.0.1" + i).toArray(String[]::new));
        ips.put(Sample.ip("2001:db2::1"));

        assertThat(ServiceCidrDeletion.of(GOING, List.of(GOING), ips, NOW))
                .isEqualTo(new ServiceCidrDeletion.Blocked(
                        10,
                        IntStream.rangeClosed(1, 5)
                                .mapToObj(i -> Ip.parse("192.168.0.1" + i))
                                .toList()));
    }

    @Test
    void anAddressThatTheApiServerDidNotGive_keepsNothing() {
        ClusterIps ips = Sample.index(List.of(Sample.foreign("192.168.0.24")));

        assertThat(ServiceCidrDeletion.of(GOING, List.of(GOING), ips, NOW)).isEqualTo(new ServiceCidrDeletion.Free());
    }

    @Test
    void itWaits10SecondsFromItsDeletion() {
        assertThat(ServiceCidrDeletion.of(GOING, List.of(GOING), Sample.index(), DELETED.plusMillis(9_999)))
                .isEqualTo(new ServiceCidrDeletion.WaitUntil(DELETED.plusSeconds(10)));
        assertThat(ServiceCidrDeletion.of(GOING, List.of(GOING), Sample.index(), DELETED.plusSeconds(10)))
                .isEqualTo(new ServiceCidrDeletion.Free());
    }

    @Test
    void twoThatTogetherHaveAllItsAddresses_standInForIt() {
        List<ServiceCidr> all = List.of(
                GOING, SampleCidrs.ready("low", "192.168.0.0/25"), SampleCidrs.ready("high", "192.168.0.128/25"));

        assertThat(ServiceCidrDeletion.of(GOING, all, Sample.index("192.168.0.1", "192.168.0.254"), NOW))
                .isEqualTo(new ServiceCidrDeletion.Free());
        // The broadcast of the one and the network's own of the other are addresses of the whole.
        assertThat(ServiceCidrDeletion.of(GOING, all, Sample.index("192.168.0.127", "192.168.0.128"), NOW))
                .isInstanceOf(ServiceCidrDeletion.Blocked.class);
    }

    @Test
    void oneThatIsNotReady_standsInForAnother() {
        ServiceCidr other = SampleCidrs.with(other("192.168.0.0/16"), ReadyCondition.TERMINATING);

        assertThat(ServiceCidrDeletion.of(GOING, List.of(GOING, other), Sample.index("192.168.0.23"), NOW))
                .isEqualTo(new ServiceCidrDeletion.Free());
    }

    private static ServiceCidr twin(Instant deletedAt) {
        return SampleCidrs.deleted(SampleCidrs.ready("a-twin", "192.168.0.0/24", "2001:db2::/64"), deletedAt);
    }

    private static ServiceCidr marked(ServiceCidr cidr) {
        return SampleCidrs.with(cidr, ReadyCondition.AFTER_ANOTHER);
    }

    private static ServiceCidrDeletion decide(ServiceCidr cidr, List<ServiceCidr> all, String... ips) {
        return ServiceCidrDeletion.of(cidr, all, Sample.index(ips), NOW);
    }

    /** One after the other, whether an address is taken or not; the second has to say first that it waits. */
    private static void assertGoesFirst(ServiceCidr first, ServiceCidr second) {
        for (String[] ips : new String[][] {{}, {"192.168.0.23"}}) {
            assertThat(decide(first, List.of(first, second), ips))
                    .isEqualTo(new ServiceCidrDeletion.BeforeAnother(second.name()));
            assertThat(decide(second, List.of(first, second), ips))
                    .isEqualTo(new ServiceCidrDeletion.AfterAnother(first.name()));
            assertThat(decide(first, List.of(first, marked(second)), ips)).isEqualTo(new ServiceCidrDeletion.Free());
            assertThat(decide(marked(second), List.of(first, marked(second)), ips))
                    .isEqualTo(new ServiceCidrDeletion.AfterAnother(first.name()));
            assertThat(decide(marked(second), List.of(marked(second)), ips))
                    .isEqualTo(new ServiceCidrDeletion.LastOfItsCidr());
        }
    }

    @Test
    void ofTwoOfTheSameCidr_theOneDeletedFirstGoesFirst() {
        assertGoesFirst(GOING, twin(LATER));
        assertGoesFirst(
                SampleCidrs.deleted(SampleCidrs.ready("dual", "2001:db2::/64", "192.168.0.0/28"), DELETED),
                twin(LATER));
    }

    @Test
    void ofTwoDeletedInOneSecond_theOneWhoseNameComesFirstGoesFirst() {
        assertGoesFirst(twin(DELETED), GOING);
    }

    @Test
    void theLastOfItsCidr_waits10SecondsMore_andThenForItsAddresses() {
        ServiceCidr last = SampleCidrs.with(GOING, ReadyCondition.LAST_OF_ITS_CIDR, NOW.minusSeconds(9));
        ServiceCidr later = SampleCidrs.with(GOING, ReadyCondition.LAST_OF_ITS_CIDR, NOW.minusSeconds(10));

        assertThat(decide(last, List.of(last), "192.168.0.23"))
                .isEqualTo(new ServiceCidrDeletion.WaitUntil(NOW.plusSeconds(1)));
        assertThat(decide(later, List.of(later), "192.168.0.23"))
                .isEqualTo(new ServiceCidrDeletion.Blocked(1, List.of(Ip.parse("192.168.0.23"))));
        assertThat(decide(later, List.of(later))).isEqualTo(new ServiceCidrDeletion.Free());
    }

    @Test
    void whileOneStaysThatCoversThem_twinsGoWithoutRegardToEachOther() {
        List<ServiceCidr> all = List.of(GOING, twin(LATER), other("192.168.0.0/16"));

        assertThat(List.of(GOING, twin(LATER)))
                .allSatisfy(cidr ->
                        assertThat(decide(cidr, all, "192.168.0.23")).isEqualTo(new ServiceCidrDeletion.Free()));
    }

    @Test
    void oneThatNobodyHolds_standsInForNone_andGoesBeforeItsTwin() {
        ServiceCidr unheld = SampleCidrs.with(twin(LATER), false);
        ServiceCidr around =
                SampleCidrs.with(SampleCidrs.deleted(SampleCidrs.ready("around", "192.168.0.0/16"), LATER), false);

        assertThat(decide(GOING, List.of(GOING, unheld))).isEqualTo(new ServiceCidrDeletion.AfterAnother("a-twin"));
        assertThat(decide(GOING, List.of(GOING, around), "192.168.0.23"))
                .isEqualTo(new ServiceCidrDeletion.Blocked(1, List.of(Ip.parse("192.168.0.23"))));
    }

    @Test
    void oneWithinAnotherThatWasDeletedBefore_stays() {
        ServiceCidr around = SampleCidrs.deleted(SampleCidrs.ready("around", "192.168.0.0/16"), DELETED);
        ServiceCidr within = SampleCidrs.deleted(SampleCidrs.ready("within", "192.168.0.0/26"), LATER);

        assertThat(decide(around, List.of(around, within), "192.168.0.23")).isEqualTo(new ServiceCidrDeletion.Free());
        assertThat(decide(within, List.of(around, within), "192.168.0.23"))
                .isEqualTo(new ServiceCidrDeletion.Blocked(1, List.of(Ip.parse("192.168.0.23"))));
    }

    /** What an API server knows of the ranges of one CIDR, as upstream has it: one allocator for all of them. */
    private static final class Allocators {
        private static final class Item {
            private final Set<String> names = new TreeSet<>();
            private boolean ready;
        }

        private final Map<ServiceRange, Item> items = new TreeMap<>();

        /** On a new or changed ServiceCIDR it goes through all. */
        void sync(Collection<ServiceCidr> all) {
            all.forEach(cidr -> cidr.ranges().forEach(range -> {
                Item item = items.computeIfAbsent(range, made -> new Item());
                item.names.add(cidr.name());
                if (cidr.isReady()) {
                    item.ready = true;
                } else if (item.names.size() == 1) {
                    item.ready = false;
                }
            }));
        }

        /** On one that is gone it does not. */
        void gone(ServiceCidr cidr) {
            items.values().forEach(item -> item.names.remove(cidr.name()));
            items.values().removeIf(item -> item.names.isEmpty());
        }

        boolean gives(Ip ip) {
            return items.entrySet().stream()
                    .anyMatch(item -> item.getValue().ready && item.getKey().contains(ip));
        }
    }

    private static Map<String, ServiceCidr> anyCidrs(Random random) {
        Map<String, ServiceCidr> cidrs = new TreeMap<>();
        for (int i = 0; i < 2 + random.nextInt(4); i++) {
            ServiceCidr cidr = SampleCidrs.ready("cidr-" + i, anyRange(random));
            cidrs.put(cidr.name(), cidr);
        }
        return cidrs;
    }

    @Test
    void inWhateverOrderRangesAreDeletedAndGo_noAddressOfOneThatWentIsStillGiven() {
        LongStream.range(FIRST, FIRST + SEEDS).forEach(seed -> {
            Random random = new Random(seed);
            Map<String, ServiceCidr> cidrs = anyCidrs(random);
            Allocators allocators = new Allocators();
            allocators.sync(cidrs.values());
            Instant now = Sample.START;
            for (int step = 0; step < 60; step++) {
                now = now.plusMillis(random.nextInt(6_000));
                List<ServiceCidr> look = List.copyOf(cidrs.values());
                if (look.isEmpty()) {
                    break;
                }
                ServiceCidr any = look.get(random.nextInt(look.size()));
                if (!any.isTerminating()) {
                    cidrs.put(any.name(), SampleCidrs.deleted(any, now.truncatedTo(ChronoUnit.SECONDS)));
                    allocators.sync(cidrs.values());
                    continue;
                }
                Instant second = now;
                switch (ServiceCidrStep.of(any, look, Sample.index(), now).stream()
                        .findFirst()
                        .orElse(null)) {
                    case ServiceCidrStep.SetAfterAnother first -> {
                        cidrs.put(any.name(), SampleCidrs.with(any, ReadyCondition.AFTER_ANOTHER, second));
                        allocators.sync(cidrs.values());
                    }
                    case ServiceCidrStep.SetLastOfItsCidr last -> {
                        cidrs.put(any.name(), SampleCidrs.with(any, ReadyCondition.LAST_OF_ITS_CIDR, second));
                        allocators.sync(cidrs.values());
                    }
                    case ServiceCidrStep.RemoveFinalizer end -> {
                        // A Service that is created now gets its address before the API server sees the end.
                        Set<Ip> given = IntStream.range(0, 32)
                                .mapToObj(i -> Ip.parse("10.0.0." + i))
                                .filter(any::contains)
                                .filter(allocators::gives)
                                .collect(Collectors.toCollection(TreeSet::new));
                        cidrs.remove(any.name());
                        allocators.gone(any);
                        assertThat(given)
                                .as("seed %s, step %s: %s goes, %s stay", seed, step, any, cidrs.values())
                                .allMatch(ip -> isHeld(ip, cidrs));
                    }
                    case null, default -> {}
                }
            }
        });
    }

    @Test
    void inWhateverOrderRangesAreDeletedAndGo_noAddressLosesItsLast() {
        LongStream.range(FIRST, FIRST + SEEDS).forEach(seed -> {
            Random random = new Random(seed);
            Map<String, ServiceCidr> cidrs = anyCidrs(random);
            ClusterIps ips = Sample.index(IntStream.range(0, 1 + random.nextInt(4))
                    .mapToObj(i -> Sample.ip("10.0.0." + random.nextInt(32)))
                    .toList());
            List<Ip> held = ips.stream()
                    .map(ClusterIp::ip)
                    .filter(ip -> isHeld(ip, cidrs))
                    .toList();
            Instant now = Sample.START;
            for (int step = 0; step < 30; step++) {
                now = now.plusMillis(random.nextInt(6_000));
                step(cidrs, ips, random, now.truncatedTo(ChronoUnit.SECONDS), now);
                assertThat(held)
                        .as("seed %s, step %s: %s", seed, step, cidrs.values())
                        .allMatch(ip -> isHeld(ip, cidrs));
            }
        });
    }

    private static String anyRange(Random random) {
        int length = 26 + random.nextInt(5);
        int blocks = Math.max(1, (1 << (length - 27)));
        return "10.0.0." + random.nextInt(blocks) * (1 << (32 - length)) + "/" + length;
    }

    private static boolean isHeld(Ip ip, Map<String, ServiceCidr> cidrs) {
        return cidrs.values().stream().anyMatch(cidr -> cidr.contains(ip));
    }

    /** Deletes one, or lets one go that may: as it looks now, while others are decided on by the same look. */
    private static void step(
            Map<String, ServiceCidr> cidrs, ClusterIps ips, Random random, Instant second, Instant now) {
        List<ServiceCidr> look = new ArrayList<>(cidrs.values());
        if (look.isEmpty()) {
            return;
        }
        ServiceCidr any = look.get(random.nextInt(look.size()));
        if (!any.isTerminating()) {
            cidrs.put(any.name(), SampleCidrs.deleted(any, second));
            return;
        }
        if (ServiceCidrDeletion.of(any, look, ips, now) instanceof ServiceCidrDeletion.AfterAnother) {
            cidrs.put(any.name(), marked(any));
            return;
        }
        if (ServiceCidrDeletion.of(any, look, ips, now) instanceof ServiceCidrDeletion.LastOfItsCidr) {
            cidrs.put(any.name(), SampleCidrs.with(any, ReadyCondition.LAST_OF_ITS_CIDR, now));
            return;
        }
        look.stream()
                .filter(ServiceCidr::isTerminating)
                .filter(cidr -> ServiceCidrDeletion.of(cidr, look, ips, now) instanceof ServiceCidrDeletion.Free)
                .forEach(cidr -> cidrs.remove(cidr.name()));
    }
}
