package dev.berth.clusterip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.address.Ip;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
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
            Sample.deleted(Sample.ready("kubernetes", "192.168.0.0/24", "2001:db2::/64"), DELETED);

    private record Case(String rule, List<ServiceCidr> cidrs, List<String> ips, boolean free) {}

    private static ServiceCidr other(String ipv4) {
        return Sample.ready("other", ipv4, "2001:db2::/64");
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
        List<ServiceCidr> all =
                List.of(GOING, Sample.ready("low", "192.168.0.0/25"), Sample.ready("high", "192.168.0.128/25"));

        assertThat(ServiceCidrDeletion.of(GOING, all, Sample.index("192.168.0.1", "192.168.0.254"), NOW))
                .isEqualTo(new ServiceCidrDeletion.Free());
        // The broadcast of the one and the network's own of the other are addresses of the whole.
        assertThat(ServiceCidrDeletion.of(GOING, all, Sample.index("192.168.0.127", "192.168.0.128"), NOW))
                .isInstanceOf(ServiceCidrDeletion.Blocked.class);
    }

    @Test
    void oneThatIsNotReady_standsInForAnother() {
        ServiceCidr other = Sample.with(other("192.168.0.0/16"), ReadyCondition.TERMINATING);

        assertThat(ServiceCidrDeletion.of(GOING, List.of(GOING, other), Sample.index("192.168.0.23"), NOW))
                .isEqualTo(new ServiceCidrDeletion.Free());
    }

    /** Of two that are being deleted and share an address that is taken, one may go, and one stays for it. */
    private static void assertGoesAndStays(ServiceCidr goes, ServiceCidr stays) {
        List<ServiceCidr> both = List.of(goes, stays);
        ClusterIps ips = Sample.index("192.168.0.23");

        assertThat(ServiceCidrDeletion.of(goes, both, ips, NOW)).isEqualTo(new ServiceCidrDeletion.Free());
        assertThat(ServiceCidrDeletion.of(stays, both, ips, NOW))
                .isEqualTo(new ServiceCidrDeletion.Blocked(1, List.of(Ip.parse("192.168.0.23"))));
    }

    private static ServiceCidr twin(Instant deletedAt) {
        return Sample.deleted(Sample.ready("a-twin", "192.168.0.0/24", "2001:db2::/64"), deletedAt);
    }

    @Test
    void ofTwoThatCoverEachOther_theOneDeletedLastStays() {
        assertGoesAndStays(GOING, twin(LATER));
    }

    @Test
    void ofTwoDeletedInOneSecond_theOneWhoseNameComesLastStays() {
        assertGoesAndStays(twin(DELETED), GOING);
    }

    @Test
    void oneWithinAnotherThatWasDeletedBefore_stays() {
        assertGoesAndStays(
                Sample.deleted(Sample.ready("around", "192.168.0.0/16"), DELETED),
                Sample.deleted(Sample.ready("within", "192.168.0.0/26"), LATER));
    }

    @Test
    void twoThatCoverEachOtherAndHoldNothing_mayBothGo() {
        List<ServiceCidr> both = List.of(GOING, twin(LATER));

        assertThat(both)
                .allSatisfy(cidr -> assertThat(ServiceCidrDeletion.of(cidr, both, Sample.index(), NOW))
                        .isEqualTo(new ServiceCidrDeletion.Free()));
    }

    @Test
    void inWhateverOrderRangesAreDeletedAndGo_noAddressLosesItsLast() {
        LongStream.range(FIRST, FIRST + SEEDS).forEach(seed -> {
            Random random = new Random(seed);
            Map<String, ServiceCidr> cidrs = new TreeMap<>();
            for (int i = 0; i < 2 + random.nextInt(4); i++) {
                ServiceCidr cidr = Sample.ready("cidr-" + i, anyRange(random));
                cidrs.put(cidr.name(), cidr);
            }
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
            cidrs.put(any.name(), Sample.deleted(any, second));
            return;
        }
        look.stream()
                .filter(ServiceCidr::isTerminating)
                .filter(cidr -> ServiceCidrDeletion.of(cidr, look, ips, now) instanceof ServiceCidrDeletion.Free)
                .forEach(cidr -> cidrs.remove(cidr.name()));
    }
}
