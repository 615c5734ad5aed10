package dev.berth.servicecidr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.servicecidr.Reservations.Outcome;
import dev.berth.servicecidr.Reservations.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ReservationsTest {
    private static final long SEEDS = Math.min(200, Long.getLong("property.seeds", 200));
    private static final Instant NOW = Sample.START.plusSeconds(3_600);
    private static final ServiceKey DB = new ServiceKey("prod", "db");
    private static final ServiceKey WEB = new ServiceKey("prod", "web");
    private static final Ip IP = Ip.parse("10.0.0.5");
    private static final List<ServiceCidr> CIDRS = List.of(SampleCidrs.ready("a", "10.0.0.0/24", "fd00::/64"));

    /** What there is: change it, and ask. */
    private static final class World {
        List<Reservation> wanted = List.of(new Reservation("10.0.0.5", DB));
        List<ServiceCidr> cidrs = CIDRS;
        final ClusterIps ips = new ClusterIps();
        final Map<Ip, ServiceKey> holders = new HashMap<>();
        final Map<Ip, Instant> handedOver = new HashMap<>();
        Instant now = NOW;

        Reservations decide() {
            return Reservations.of(wanted, cidrs, ips, holders, handedOver, now);
        }

        State state() {
            return decide().outcomes().getFirst().state();
        }

        String refusal() {
            return ((State.Refused) state()).message();
        }
    }

    private static World wanting(String... addresses) {
        World world = new World();
        world.wanted = Stream.of(addresses)
                .map(address -> new Reservation(address, DB))
                .toList();
        return world;
    }

    @Test
    void aFreeAddressOfAStaticBand_isReserved() {
        World world = new World();
        assertThat(world.state()).isEqualTo(new State.Reserve(IP));

        world.ips.put(Sample.reserved("10.0.0.5", DB));
        assertThat(world.state()).isEqualTo(new State.Reserved(IP));
        assertThat(world.decide().unwanted()).isEmpty();
    }

    @Test
    void anIpv6Address_isReserved_howeverItIsWritten() {
        assertThat(wanting("fd00:0:0:0::0a").state()).isEqualTo(new State.Reserve(Ip.parse("fd00::a")));
    }

    @Test
    void whoeverDeletesTheObject_hasAMinuteToCreateTheService() {
        World world = new World();
        world.handedOver.put(IP, NOW);

        world.now = NOW.plusSeconds(59);
        assertThat(world.state()).isEqualTo(new State.HandingOver(NOW.plusSeconds(60)));
        assertThat(world.decide().again()).contains(NOW.plusSeconds(60));

        world.now = NOW.plusSeconds(60);
        assertThat(world.state()).as("nobody took it").isEqualTo(new State.Reserve(IP));
        assertThat(world.decide().again()).isEmpty();
    }

    @Test
    void theServiceThatTheAddressIsKeptFor_mayHaveIt() {
        World world = new World();
        world.handedOver.put(IP, NOW);
        world.ips.put(Sample.ip(IP, DB));
        assertThat(world.state()).as("it is just being created").isEqualTo(new State.InUse());

        world.holders.put(IP, DB);
        assertThat(world.state()).isEqualTo(new State.InUse());
        assertThat(world.decide().unwanted()).isEmpty();
    }

    @Test
    void afterTheServiceIsGone_itsAddressIsReservedAgain_atOnce() {
        World world = new World();
        world.handedOver.put(IP, NOW.minusSeconds(600));

        assertThat(world.state()).isEqualTo(new State.Reserve(IP));
    }

    @Test
    void anAddressThatSomebodyElseHas_isTaken() {
        World world = new World();
        world.ips.put(Sample.ip(IP, WEB));
        assertThat(world.state()).isEqualTo(new State.Taken("prod/web"));

        world.ips.put(Sample.foreign("10.0.0.5"));
        assertThat(world.state()).isEqualTo(new State.Taken("hosts.example.org host"));

        world.holders.put(IP, WEB);
        assertThat(world.state()).isEqualTo(new State.Taken("prod/web"));
        assertThat(world.decide().unwanted())
                .as("others' objects are never deleted")
                .isEmpty();
    }

    @Test
    void anObjectThatNobodyAsksForAnyMore_isDeleted_andNobodyElses() {
        World world = wanting();
        world.ips.put(Sample.reserved("10.0.0.6", DB));
        world.ips.put(Sample.ip("10.0.0.7"));
        world.ips.put(Sample.foreign("10.0.0.8"));

        assertThat(world.decide().unwanted()).containsExactly(Sample.reserved("10.0.0.6", DB));
    }

    @Test
    void anAddressThatIsKeptForAnotherServiceNow_getsANewObject() {
        World world = new World();
        world.ips.put(Sample.reserved("10.0.0.5", WEB));

        assertThat(world.decide().unwanted()).containsExactly(Sample.reserved("10.0.0.5", WEB));
        assertThat(world.state()).isEqualTo(new State.Reserve(IP));
    }

    @Test
    void whatAServiceHas_isNeitherMadeNorDeleted_withAnIpAddressOrWithout() {
        World world = wanting("10.0.0.5", "10.0.0.6", "10.0.0.7");
        world.ips.put(Sample.reserved("10.0.0.8", DB));
        world.ips.put(Sample.reserved("10.0.0.9", DB));
        Reservations decided = world.decide();
        assertThat(decided.touched())
                .containsExactly(
                        Ip.parse("10.0.0.8"), Ip.parse("10.0.0.9"), IP, Ip.parse("10.0.0.6"), Ip.parse("10.0.0.7"));

        Reservations spared = decided.sparing(Map.of(IP, DB, Ip.parse("10.0.0.6"), WEB, Ip.parse("10.0.0.8"), WEB));

        assertThat(spared.outcomes().stream().map(Outcome::state))
                .containsExactly(
                        new State.InUse(), new State.Taken("prod/web"), new State.Reserve(Ip.parse("10.0.0.7")));
        assertThat(spared.unwanted()).containsExactly(Sample.reserved("10.0.0.9", DB));
    }

    private record Fault(String rule, String address, String says) {}

    private static final List<Fault> FAULTS = List.of(
            new Fault("no address", "10.0.0.500", "10.0.0.500 is not an IP address"),
            new Fault("no ServiceCIDR", "10.9.0.1", "10.9.0.1 is in no ServiceCIDR"),
            new Fault(
                    "the network's own",
                    "10.0.0.0",
                    "10.0.0.0 is the network's own address of ServiceCIDR \"a\" (10.0.0.0/24), which is never"
                            + " allocated"),
            new Fault(
                    "the network's own of IPv6",
                    "fd00::",
                    "fd00:: is the network's own address of ServiceCIDR \"a\" (fd00::/64), which is never allocated"),
            new Fault(
                    "the broadcast",
                    "10.0.0.255",
                    "10.0.0.255 is the broadcast address of ServiceCIDR \"a\" (10.0.0.0/24), which is never allocated"),
            new Fault(
                    "the dynamic band",
                    "10.0.0.17",
                    "10.0.0.17 is not in the static band of ServiceCIDR \"a\": choose one of 10.0.0.1-10.0.0.16"));

    @Test
    void anAddressThatCannotBeKept_isRefused() {
        assertThat(FAULTS)
                .allSatisfy(row -> assertThat(wanting(row.address()).refusal())
                        .as(row.rule())
                        .isEqualTo(row.says()));
    }

    @Test
    void anAddressOfARangeWithoutBands_isRefused() {
        World world = new World();
        world.cidrs = List.of(SampleCidrs.ready("small", "10.0.0.0/28"));

        assertThat(world.refusal()).contains("it is so small that it has none");
    }

    @Test
    void anAddressOfARangeThatGivesNoMore_isRefused() {
        World world = new World();
        world.cidrs = List.of(SampleCidrs.deleted(CIDRS.getFirst(), NOW));

        assertThat(world.refusal()).isEqualTo("10.0.0.5 is in ServiceCIDR \"a\", which no longer allocates addresses");
    }

    @Test
    void oneReadyRangeWhoseStaticBandHasIt_isEnough() {
        World world = wanting("10.0.0.20");
        world.cidrs = List.of(CIDRS.getFirst(), SampleCidrs.ready("outer", "10.0.0.0/20"));

        assertThat(world.state()).isEqualTo(new State.Reserve(Ip.parse("10.0.0.20")));
    }

    @Test
    void anObjectIsKept_whileItIsAskedFor_evenIfTheRangeIsNotSeen() {
        World world = new World();
        world.ips.put(Sample.reserved("10.0.0.5", DB));
        world.cidrs = List.of();

        assertThat(world.refusal()).isEqualTo("10.0.0.5 is in no ServiceCIDR");
        assertThat(world.decide().unwanted()).isEmpty();
    }

    @Test
    void ofTwoEntriesForOneAddress_theFirstCounts() {
        World world = new World();
        world.wanted = List.of(
                new Reservation("fd00::5", DB), new Reservation("10.0.0.5", DB), new Reservation("fd00:0::5", WEB));

        assertThat(world.decide().outcomes().stream().map(Outcome::state))
                .containsExactly(
                        new State.Reserve(Ip.parse("fd00::5")),
                        new State.Reserve(IP),
                        new State.Refused("fd00:0::5 is requested twice, for prod/db and for prod/web; the first one"
                                + " counts, remove one of them"));
    }

    /** Does what is decided, and what others do at random, and looks at what may never be. */
    @Test
    void overTime_noAddressIsMadeTwice_orInAHandover_andNobodyElsesObjectIsTouched() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            World world = wanting();
            for (int step = 0; step < 60; step++) {
                world.now = world.now.plusSeconds(random.nextInt(40));
                others(world, random);
                Reservations reservations = world.decide();
                String now = "seed " + seed + ", step " + step + ": " + reservations;
                assertThat(reservations.outcomes()).as(now).hasSameSizeAs(world.wanted);
                assertThat(reservations.unwanted()).as(now).allMatch(ClusterIp::isReservation);
                reservations.unwanted().forEach(object -> world.ips.remove(object.ip()));
                for (Outcome outcome : reservations.outcomes()) {
                    if (outcome.state() instanceof State.Reserve(Ip ip)) {
                        assertThat(world.ips.isTaken(ip)).as(now).isFalse();
                        assertThat(isHandedOver(world, ip)).as(now).isFalse();
                        world.ips.put(Sample.reserved(
                                ip.toString(), outcome.reservation().service()));
                    }
                }
                Reservations after = world.decide();
                assertThat(after.unwanted()).as(now).isEmpty();
                assertThat(after.outcomes()).as(now).noneMatch(outcome -> outcome.state() instanceof State.Reserve);
            }
        }
    }

    private static boolean isHandedOver(World world, Ip ip) {
        Instant since = world.handedOver.get(ip);
        return since != null && world.now.isBefore(since.plus(Reservations.HANDOVER));
    }

    private static void others(World world, Random random) {
        Ip ip = Ip.parse("10.0.0." + (1 + random.nextInt(6)));
        ServiceKey service = random.nextBoolean() ? DB : WEB;
        switch (random.nextInt(4)) {
            case 0 -> {
                List<Reservation> wanted = new ArrayList<>(world.wanted);
                wanted.add(new Reservation(ip.toString(), service));
                world.wanted = wanted;
            }
            case 1 -> world.wanted = world.wanted.isEmpty() ? List.of() : world.wanted.subList(1, world.wanted.size());
            case 2 -> {
                if (world.ips.get(ip).filter(ClusterIp::isReservation).isPresent()) {
                    world.ips.remove(ip);
                    world.handedOver.put(ip, world.now);
                }
            }
            default -> {
                if (world.holders.remove(ip) != null) {
                    world.ips.remove(ip);
                } else if (!world.ips.isTaken(ip)) {
                    world.ips.put(Sample.ip(ip, service));
                    world.holders.put(ip, service);
                }
            }
        }
    }
}
