package dev.berth.dataplane.haproxy.peers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.announce.Rendezvous;
import dev.berth.dataplane.haproxy.peers.Election.Round;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which host has which address, going by what each has heard. */
class ElectionTest {
    private static final String ADDRESS = "192.0.2.1";

    /** Of two hosts, who has it if nobody has. */
    private static final String HIGH = Rendezvous.outranks(ADDRESS, "a", "b") ? "a" : "b";

    private static final String LOW = HIGH.equals("a") ? "b" : "a";
    private static final Set<String> ALL = Set.of(ADDRESS);
    private static final Set<String> NONE = Set.of();

    private static Election of(String self) {
        return Election.begin(self, "", 1, 0);
    }

    private static Beat beat(String host, boolean able, Set<String> served, Set<String> held) {
        return new Beat(host, "", 0, able, served, held);
    }

    private static Election afterHearing(String self, Beat other) {
        return of(self).hears(other, other.host(), 10_000);
    }

    private static Round round(Election election, Set<String> held) {
        return election.round(true, ALL, held, 10_100);
    }

    @Test
    void addressThatNobodyHas_goesToTheHighest() {
        assertThat(round(afterHearing(HIGH, beat(LOW, true, ALL, NONE)), NONE).bound())
                .containsExactly(ADDRESS);
        assertThat(round(afterHearing(LOW, beat(HIGH, true, ALL, NONE)), NONE).bound())
                .isEmpty();
    }

    @Test
    void address_isNotLeftToAHost_thatCannotCarryIt_orWasNotNotifiedOfIt() {
        assertThat(round(afterHearing(LOW, beat(HIGH, false, ALL, NONE)), NONE).bound())
                .containsExactly(ADDRESS);
        assertThat(round(afterHearing(LOW, beat(HIGH, true, NONE, NONE)), NONE).bound())
                .containsExactly(ADDRESS);
    }

    @Test
    void whoHasAnAddress_keepsIt_whenAHigherHostComesBack() {
        assertThat(round(afterHearing(LOW, beat(HIGH, true, ALL, NONE)), ALL).bound())
                .containsExactly(ADDRESS);
        assertThat(round(afterHearing(HIGH, beat(LOW, true, ALL, ALL)), NONE).bound())
                .isEmpty();
    }

    @Test
    void ofTwoThatHaveIt_theLowerReleases_andTheHigherKnows() {
        Round lower = round(afterHearing(LOW, beat(HIGH, true, ALL, ALL)), ALL);
        assertThat(lower.released()).containsExactly(ADDRESS);
        assertThat(lower.bound()).isEmpty();
        Round higher = round(afterHearing(HIGH, beat(LOW, true, ALL, ALL)), ALL);
        assertThat(higher.bound()).containsExactly(ADDRESS);
        assertThat(higher.contested()).containsExactly(ADDRESS);
    }

    @Test
    void ofTwoThatHaveIt_theOneWhoCannotCarryIt_releases() {
        Election able = afterHearing(LOW, beat(HIGH, false, ALL, ALL));
        assertThat(round(able, ALL).bound()).containsExactly(ADDRESS);
        Election unable = afterHearing(HIGH, beat(LOW, true, ALL, ALL));
        assertThat(unable.round(false, ALL, ALL, 10_100).released()).containsExactly(ADDRESS);
    }

    @Test
    void whoCannotCarryIt_releasesToAnHeir_andKeepsItWithoutOne() {
        assertThat(afterHearing(HIGH, beat(LOW, true, ALL, NONE))
                        .round(false, ALL, ALL, 10_100)
                        .released())
                .containsExactly(ADDRESS);
        assertThat(afterHearing(HIGH, beat(LOW, false, ALL, NONE))
                        .round(false, ALL, ALL, 10_100)
                        .bound())
                .containsExactly(ADDRESS);
        assertThat(of(HIGH).round(false, ALL, ALL, 10_100).bound()).containsExactly(ADDRESS);
    }

    @Test
    void addressWithoutALoadBalancer_isReleased() {
        assertThat(of(HIGH).round(true, NONE, ALL, 0).released()).containsExactly(ADDRESS);
    }

    @Test
    void whoHasJustStarted_bindsNothing_beforeItHasHeardAll_orLongEnough() {
        assertThat(of(HIGH).round(true, ALL, NONE, Election.SILENCE - 1).bound())
                .isEmpty();
        assertThat(of(HIGH).round(true, ALL, NONE, Election.SILENCE).bound()).containsExactly(ADDRESS);
        assertThat(of(HIGH).hears(beat(LOW, true, ALL, NONE), LOW, 100)
                        .round(true, ALL, NONE, 200)
                        .bound())
                .containsExactly(ADDRESS);
        assertThat(Election.begin(HIGH, "", 2, 0)
                        .hears(beat(LOW, true, ALL, NONE), LOW, 100)
                        .round(true, ALL, NONE, 200)
                        .bound())
                .isEmpty();
    }

    @Test
    void whoHasJustStarted_keepsWhatItStillHas() {
        assertThat(of(HIGH).round(true, ALL, ALL, 1).bound()).containsExactly(ADDRESS);
    }

    @Test
    void addressOfASilentHost_isTaken_whenItsKernelHasTakenItOff() {
        Election heard = of(LOW).hears(beat(HIGH, true, ALL, ALL), HIGH, 10_000);
        assertThat(heard.round(true, ALL, NONE, 10_000 + Election.SILENCE - 1).bound())
                .isEmpty();
        assertThat(heard.round(true, ALL, NONE, 10_000 + Election.SILENCE).bound())
                .containsExactly(ADDRESS);
        assertThat(Election.SILENCE).isGreaterThan(Election.LEASE_SECONDS * 1_000L + Election.BEAT + 500);
    }

    @Test
    void whoStoodStill_beginsAgain() {
        Election heard = afterHearing(LOW, beat(HIGH, true, ALL, NONE));
        assertThat(heard.continues(10_000, 10_000 + Election.PAUSE)).isSameAs(heard);
        Election restarted = heard.continues(10_000, 20_000);
        assertThat(restarted.round(true, ALL, NONE, 20_000).bound()).isEmpty();
    }

    @Test
    void aBeatThatWasOvertaken_changesNothing() {
        Beat old = new Beat(HIGH, "run", 1, true, ALL, NONE);
        Beat later = new Beat(HIGH, "run", 2, true, ALL, ALL);
        Election heard = of(LOW).hears(later, HIGH, 10_000).hears(old, "", 10_050);

        assertThat(heard.isHeldByAnother(ADDRESS, 10_100)).isTrue();
        assertThat(heard.isHeldByAnother(ADDRESS, 10_000 + Election.SILENCE)).isFalse();
    }

    @Test
    void aHostThatWasStartedAgain_isHeard_howeverItCounts() {
        Election heard = of(LOW).hears(new Beat(HIGH, "former", 99, true, ALL, NONE), HIGH, 10_000)
                .hears(new Beat(HIGH, "next", 1, true, ALL, ALL), HIGH, 10_100);

        assertThat(heard.isHeldByAnother(ADDRESS, 10_100)).isTrue();
    }

    @Test
    void aHostThatGetsAnotherIdentity_isNotTakenForTwo() {
        Election heard = Election.begin(HIGH, "", 2, 0)
                .hears(beat(LOW, true, ALL, NONE), "lb2:9444", 100)
                .hears(beat("another", true, ALL, NONE), "lb2:9444", 200);

        assertThat(heard.isSettled(300)).isFalse();
        assertThat(heard.hears(beat("third", true, ALL, NONE), "lb3:9444", 300).isSettled(300))
                .isTrue();
    }

    /** As where a machine was copied with its disk. */
    @Test
    void ofTwoHostsWithOneIdentity_oneHasAnAddress_andEachKnows() {
        Beat other = new Beat(HIGH, "a", 1, true, ALL, ALL);
        Election lower = Election.begin(HIGH, "0", 1, 0).hears(other, "lb2:9444", 10_000);
        Election higher = Election.begin(HIGH, "b", 1, 0).hears(other, "lb2:9444", 10_000);

        assertThat(lower.isOfAClone(other)).isTrue();
        assertThat(round(lower, ALL).released()).containsExactly(ADDRESS);
        assertThat(round(higher, ALL).bound()).containsExactly(ADDRESS);
        assertThat(round(lower, NONE).bound()).isEmpty();
        Election itself = Election.begin(HIGH, "a", 1, 0);
        assertThat(itself.isOfAClone(other)).isFalse();
        assertThat(itself.hears(other, "lb2:9444", 10_000)).isEqualTo(itself);
    }

    @Test
    void hosts_shareManyAddressesEvenly() {
        List<String> hosts = List.of("a", "b", "c");
        Map<String, Integer> count = new TreeMap<>();
        IntStream.range(0, 3_000)
                .mapToObj(i -> "10.0.%d.%d".formatted(i / 250, i % 250))
                .forEach(address -> count.merge(
                        hosts.stream()
                                .max(Comparator.comparingLong(host -> Rendezvous.rank(address, host)))
                                .orElseThrow(),
                        1,
                        Integer::sum));
        assertThat(count.values()).hasSize(3).allMatch(share -> share > 900);
    }

    // Worlds of random events.

    private static final int STEP = 50;

    /** What the tests allow beside the times of the election: rounds, beats on their way, kernels that are late. */
    private static final int LIMIT = 5_000;

    /** One that stands still has what it has until its kernel takes it off. */
    private static final int MOST_ON_TWO = 5_000;

    static Stream<Long> seeds() {
        return Stream.iterate(1L, seed -> seed + 1).limit(Integer.getInteger("election.seeds", 40));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void inAnyWorld_noAddressIsOnTwoOrOnNoneForLong_unlessTheNetworkIsSplit(long seed) {
        World world = new World(seed);
        for (int step = 0; step < 2_000; step++) {
            world.step();
        }
    }

    /** A host's machine: its kernel goes on when its process does not. */
    private static final class Host {
        final String place;
        final String name;
        final SequencedMap<String, Long> kernel = new LinkedHashMap<>();
        Election election;
        boolean runs = true;
        long standsStillUntil;
        long nextRound;
        long lastRound;
        long nextBeat;

        int starts;
        long beats;

        Host(String place, String name, int others, long now) {
            this.place = place;
            this.name = name;
            start(others, now);
        }

        void start(int others, long now) {
            starts++;
            beats = 0;
            election = Election.begin(name, place + " " + starts, others, now);
        }

        List<String> held(long now) {
            return kernel.entrySet().stream()
                    .filter(entry -> entry.getValue() > now)
                    .map(Map.Entry::getKey)
                    .toList();
        }
    }

    private record Message(Beat beat, Host from, Host to, long at) {}

    /** Two or three hosts, of which some process is killed, restarted or stopped, and a network that loses beats or splits. */
    private static final class World {
        private static final List<String> ADDRESSES = List.of("192.0.2.1", "192.0.2.2", "2001:db8::1");

        final long seed;
        final RandomGenerator random;
        final List<Host> hosts;
        final List<Message> messages = new ArrayList<>();
        final Map<String, Long> onTwoSince = new TreeMap<>();
        final Map<String, Long> onNoneSince = new TreeMap<>();
        long now;
        boolean split;
        long calmAt;

        World(long seed) {
            this.seed = seed;
            random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
            int count = 2 + random.nextInt(2);
            hosts = IntStream.range(0, count)
                    // In some worlds they all were copied from one.
                    .mapToObj(i -> new Host("lb" + i, seed % 5 == 0 ? "copy" : "host" + i, count - 1, 0))
                    .toList();
        }

        void step() {
            now += STEP;
            if (random.nextInt(160) == 0) {
                happens(hosts.get(random.nextInt(hosts.size())));
            }
            hosts.stream()
                    .filter(host -> host.runs && host.standsStillUntil <= now)
                    .forEach(this::work);
            List<Message> due =
                    messages.stream().filter(message -> message.at() <= now).toList();
            messages.removeAll(due);
            due.stream()
                    .filter(message -> message.to().runs && message.to().standsStillUntil <= now)
                    .forEach(message -> message.to().election =
                            message.to().election.hears(message.beat(), message.from().place, now));
            check();
        }

        private void happens(Host host) {
            switch (random.nextInt(5)) {
                case 0 -> host.runs = false;
                case 1 -> {
                    if (!host.runs) {
                        host.runs = true;
                        host.start(hosts.size() - 1, now);
                        host.lastRound = now;
                    }
                }
                case 2 -> host.standsStillUntil = now + random.nextInt(8_000);
                case 3 -> split = hosts.size() == 2 && random.nextBoolean();
                default -> split = false;
            }
            calmAt = now;
        }

        private void work(Host host) {
            if (host.nextRound <= now) {
                host.nextRound = now + 250;
                host.election = host.election.continues(host.lastRound, now);
                host.lastRound = now;
                Round round = host.election.round(true, ADDRESSES, host.held(now), now);
                boolean changes = !round.released().isEmpty() || !host.held(now).containsAll(round.bound());
                round.released().forEach(host.kernel::remove);
                // The kernel may be late.
                round.bound()
                        .forEach(address ->
                                host.kernel.put(address, now + Election.LEASE_SECONDS * 1_000L + random.nextInt(500)));
                if (changes) {
                    host.nextBeat = now;
                }
            }
            if (host.nextBeat <= now) {
                host.nextBeat = now + Election.BEAT;
                Beat beat =
                        host.election.beat(true, ADDRESSES, host.held(now), now).numbered(++host.beats);
                hosts.stream()
                        .filter(other -> other != host && !split && random.nextInt(10) > 0)
                        .forEach(other -> messages.add(new Message(beat, host, other, now + random.nextInt(200))));
            }
        }

        private void check() {
            for (String address : ADDRESSES) {
                List<String> on = hosts.stream()
                        .filter(host -> host.held(now).contains(address))
                        .map(host -> host.place)
                        .toList();
                boolean isCalm = hosts.stream().anyMatch(host -> host.runs && host.standsStillUntil <= now);
                since(onTwoSince, address, on.size() > 1 && !split);
                since(onNoneSince, address, on.isEmpty() && isCalm);
                assertThat(onTwoSince.getOrDefault(address, now) + MOST_ON_TWO)
                        .as("seed %d, at %d ms: %s on %s", seed, now, address, on)
                        .isGreaterThanOrEqualTo(now);
                // What stands still or starts again in between begins to wait again.
                assertThat(Math.max(onNoneSince.getOrDefault(address, now), calmAt) + LIMIT)
                        .as("seed %d, at %d ms: %s on no host", seed, now, address)
                        .isGreaterThanOrEqualTo(now);
            }
        }

        private void since(Map<String, Long> since, String address, boolean is) {
            if (is) {
                since.putIfAbsent(address, now);
            } else {
                since.remove(address);
            }
        }
    }
}
