package dev.berth.agent.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.announce.Agent;
import dev.berth.announce.ApiContact;
import dev.berth.announce.Link;
import dev.berth.announce.NotAnnouncedReason;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who holds whom for alive, on a network that the test cuts, with a clock that it moves. */
class MembershipTest {
    private static final Agent WILLING = new Agent(
            true,
            ApiContact.RELIABLE,
            true,
            List.of(new Link("eth0", "02:00:00:00:00:01", List.of(IpRange.parse("192.0.2.0/24")))));
    private static final Agent UNWILLING = new Agent(false, ApiContact.UNSURE, false, List.of());

    /** Agents, and the datagrams between them: each arrives some milliseconds later, or is lost. */
    private static final class World {
        private final RandomGenerator random;
        private final Map<String, Membership> agents = new LinkedHashMap<>();
        private final PriorityQueue<Flying> flying =
                new PriorityQueue<>(Comparator.comparingLong(Flying::at).thenComparingLong(Flying::number));
        private final List<Flying> recorded = new ArrayList<>();
        private final List<String> names;
        private final Map<String, Long> nextTick = new HashMap<>();
        private final Map<Membership, Seen> seen = new HashMap<>();

        /** It hears and answers, and is not told the time. */
        private String stalled = "";

        private BiPredicate<String, String> passes = (from, to) -> true;
        private double loss;
        private long now = 1_000_000;
        private long sent;

        /** Who lives, as an agent said with a version. */
        private record Seen(long version, SequencedMap<String, Agent> alive) {}

        private record Flying(long number, long at, String from, String to, Message message) {}

        World(long seed, int count) {
            random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
            names = IntStream.range(0, count)
                    .mapToObj(number -> "node" + number)
                    .toList();
            names.forEach(this::begin);
        }

        final void begin(String name) {
            Membership agent = new Membership(name, now, random.nextLong(1, 1L << 62), WILLING, now);
            agent.know(names, now);
            agents.put(name, agent);
            nextTick.put(name, now + random.nextLong(Membership.TICK));
        }

        /** The same version, the same that live. */
        private void check(Membership agent) {
            Seen before = seen.get(agent);
            if (before == null || before.version() != agent.version()) {
                seen.put(agent, new Seen(agent.version(), agent.alive()));
            } else {
                assertThat(agent.alive()).isEqualTo(before.alive());
            }
        }

        private void send(String from, List<Message> messages) {
            check(agent(from));
            messages.forEach(message -> {
                sent++;
                if (agents.containsKey(message.to())
                        && passes.test(from, message.to())
                        && random.nextDouble() >= loss) {
                    Flying one = new Flying(sent, now + 1 + random.nextInt(5), from, message.to(), message);
                    flying.add(one);
                    recorded.add(one);
                }
            });
        }

        void pass(long millis) {
            for (long end = now + millis; now < end; now++) {
                for (Flying next; (next = flying.peek()) != null && next.at() <= now; ) {
                    deliver(flying.remove());
                }
                agents.forEach((name, agent) -> {
                    if (now >= nextTick.getOrDefault(name, now) && !name.equals(stalled)) {
                        send(name, agent.tick(now));
                        // As late as threads are woken up.
                        nextTick.put(name, now + Membership.TICK + random.nextInt(20));
                    }
                });
            }
        }

        private void deliver(Flying one) {
            Membership to = agents.get(one.to());
            if (to != null && passes.test(one.from(), one.to())) {
                try {
                    send(one.to(), to.hear(Message.decoded(one.message().encoded()), now));
                } catch (IOException impossible) {
                    throw new IllegalStateException(impossible);
                }
            }
        }

        Membership agent(String name) {
            return Objects.requireNonNull(agents.get(name), name);
        }

        Set<String> aliveAt(String name) {
            Set<String> alive = new LinkedHashSet<>(agent(name).alive().keySet());
            alive.add(name);
            return alive;
        }

        void assertAllSee(Set<String> wanted) {
            wanted.forEach(name -> assertThat(aliveAt(name)).as(name).containsExactlyInAnyOrderElementsOf(wanted));
        }

        Set<String> all() {
            return agents.keySet();
        }
    }

    static Stream<Long> seeds() {
        return LongStream.range(
                        Long.getLong("property.first", 0),
                        Long.getLong("property.first", 0) + Math.min(30, Long.getLong("property.seeds", 30)))
                .boxed();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void agentsThatBeginTogether_findEachOther_beforeTheyAreSettledByTime(long seed) {
        World world = new World(seed, 2 + (int) (seed % 11));
        world.pass(Membership.LISTEN - 1);
        world.assertAllSee(world.all());
        assertThat(world.agents.values()).allMatch(agent -> agent.isSettled(world.now));
    }

    @Test
    void agentThatLearnsLateWhoThereMayBe_listensFromThenOn() {
        Membership late = new Membership("node0", 1, 1, WILLING, 10_000);
        assertThat(late.isSettled(11_500)).isFalse();
        late.know(List.of("node1", "node2"), 11_500);
        assertThat(late.isSettled(11_501)).isFalse();
        assertThat(late.tick(11_502)).extracting(Message::to).containsExactly("node1", "node2");
        assertThat(late.isSettled(11_500 + Membership.LISTEN - 1)).isFalse();
        assertThat(late.isSettled(11_500 + Membership.LISTEN)).isTrue();
    }

    @Test
    void agentThatOthersCannotFind_knowsNobody_andListensAgain_onceTheyCan() {
        World world = new World(1, 3);
        world.pass(Membership.LISTEN);
        Membership hidden = world.agent("node0");
        assertThat(hidden.alive()).hasSize(2);
        long version = hidden.version();

        hidden.forget();
        hidden.forget();
        assertThat(hidden.alive()).isEmpty();
        assertThat(hidden.version()).isEqualTo(version + 1);
        assertThat(hidden.isSettled(world.now + Membership.LISTEN)).isFalse();

        hidden.know(world.names, world.now);
        assertThat(hidden.isSettled(world.now + Membership.LISTEN - 1)).isFalse();
        world.pass(Membership.LISTEN);
        world.assertAllSee(world.all());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void agentThatIsGone_isMissedByAll_withinTheTimeThatFailoverHas(long seed) {
        World world = new World(seed, 2 + (int) (seed % 19));
        world.pass(3_000);
        String gone = world.names.get(world.random.nextInt(world.names.size()));
        world.agents.remove(gone);
        world.pass(Membership.SILENCE + Membership.SUSPICION + 4 * Membership.TICK);
        world.assertAllSee(world.all());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void halfThatIsGoneAtOnce_isMissedByTheOther(long seed) {
        World world = new World(seed, 4 + (int) (seed % 16));
        world.pass(3_000);
        List<String> shuffled = new ArrayList<>(world.names);
        Collections.shuffle(shuffled, new java.util.Random(seed));
        shuffled.subList(0, shuffled.size() / 2).forEach(world.agents::remove);
        world.pass(5 * Membership.SILENCE);
        world.assertAllSee(world.all());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void networkThatIsSplit_hasEachSideSeeItself_andHeals(long seed) {
        World world = new World(seed, 3 + (int) (seed % 10));
        world.pass(3_000);
        List<String> side = world.names.subList(0, 1 + (int) (seed % (world.names.size() - 1)));
        List<String> otherSide = world.names.subList(side.size(), world.names.size());
        world.passes = (from, to) -> side.contains(from) == side.contains(to);
        world.pass(6 * Membership.SILENCE);
        world.assertAllSee(new LinkedHashSet<>(side));
        world.assertAllSee(new LinkedHashSet<>(otherSide));

        world.passes = (from, to) -> true;
        world.pass(Membership.SEARCH * world.names.size() + 1_000);
        world.assertAllSee(world.all());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void agentThatIsGone_whileAnotherIsCutOff_isMissedByThatOneToo(long seed) {
        World world = new World(seed, 12);
        world.pass(3_000);
        String cut = world.names.get((int) (seed % 12));
        String gone = world.names.get((int) ((seed + 1 + seed / 12) % 12));
        world.passes = (from, to) -> !from.equals(cut) && !to.equals(cut);
        world.agents.remove(gone);
        world.pass(1_500);
        world.passes = (from, to) -> true;
        world.pass(20_000);
        world.assertAllSee(world.all());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void networkThatLosesEveryTenthDatagram_hasNobodyHeldForDead(long seed) {
        World world = new World(seed, 3 + (int) (seed % 5));
        world.loss = 0.1;
        world.pass(2_000);
        for (int second = 0; second < 20; second++) {
            world.pass(1_000);
            world.assertAllSee(world.all());
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void whatAnAgentBecomes_isHeardByAll_soonAndAlsoIfDatagramsAreLost(long seed) {
        World world = new World(seed, 2 + (int) (seed % 12));
        world.pass(2_000);
        Membership one = world.agent("node0");
        world.send("node0", one.become(UNWILLING, world.now));
        world.pass(20);
        assertThat(one.isHeard()).isTrue();
        assertThat(world.agent("node1").alive().get("node0")).isEqualTo(UNWILLING);

        world.loss = 0.3;
        world.send("node0", one.become(WILLING, world.now));
        world.pass(4_000);
        world.all().stream()
                .filter(name -> !name.equals("node0") && world.aliveAt(name).contains("node0"))
                .forEach(name ->
                        assertThat(world.agent(name).alive().get("node0")).isEqualTo(WILLING));
    }

    @Test
    void agentThatAnswers_butIsNotSaidToBeWillingAnyMore_isNot() {
        World world = new World(1, 3);
        world.pass(2_000);
        Membership one = world.agent("node0");
        world.send("node0", one.become(WILLING, world.now));
        world.pass(Membership.WILLING);
        assertThat(world.agent("node1").alive().get("node0")).isEqualTo(WILLING);
        world.pass(2 * Membership.TICK);
        assertThat(world.agent("node1").alive().get("node0")).isEqualTo(WILLING.unwilling());
        world.assertAllSee(world.all());

        world.send("node0", one.become(WILLING, world.now));
        world.pass(20);
        assertThat(world.agent("node1").alive().get("node0")).isEqualTo(WILLING);
    }

    /** Also by those that do not watch it: among 20 most do not. */
    @ParameterizedTest
    @ValueSource(ints = {3, 20})
    void agentThatBeginsAgain_isKnownForWhatItIsNow_alsoIfTheClockWentBack(int count) {
        World world = new World(1, count);
        world.pass(2_000);
        Membership restarted = new Membership("node0", 5, 7, UNWILLING, world.now);
        restarted.know(world.names, world.now);
        world.agents.put("node0", restarted);
        world.pass(2 * Membership.SEARCH);
        world.names.stream()
                .filter(name -> !name.equals("node0"))
                .forEach(name ->
                        assertThat(world.agent(name).alive().get("node0")).isEqualTo(UNWILLING));
        world.assertAllSee(world.all());
    }

    /** A process whose clock was ahead was recorded: what it asked proves nothing of the one that is there now. */
    @Test
    void whatWasRecordedOfALaterProcess_isNotBelieved() {
        World world = new World(1, 20);
        Membership ahead = new Membership("node0", 5_000_000, 7, UNWILLING, world.now);
        ahead.know(world.names, world.now);
        world.agents.put("node0", ahead);
        world.pass(2_000);
        List<World.Flying> recorded = List.copyOf(world.recorded);
        world.begin("node0");
        world.pass(2_000);
        recorded.forEach(world::deliver);
        world.pass(20);
        world.names.stream()
                .filter(name -> !name.equals("node0"))
                .forEach(name ->
                        assertThat(world.agent(name).alive().get("node0")).isEqualTo(WILLING));
    }

    @Test
    void whatWasRecorded_wakesNobodyWhoIsDead() {
        World world = new World(1, 3);
        world.pass(3_000);
        world.agents.remove("node0");
        world.pass(3_000);
        List<World.Flying> recorded = List.copyOf(world.recorded);
        recorded.forEach(world::deliver);
        world.pass(50);
        world.assertAllSee(world.all());
    }

    @Test
    void whatWasRecorded_wakesNobodyWhoIsDead_alsoIfItsNodeWasAwayMeanwhile() {
        World world = new World(1, 3);
        world.pass(3_000);
        world.agents.remove("node0");
        world.pass(3_000);
        world.agents.values().forEach(agent -> agent.know(List.of("node1", "node2"), world.now));
        world.agents.values().forEach(agent -> agent.know(world.names, world.now));
        List<World.Flying> recorded = List.copyOf(world.recorded);
        world.pass(2 * Membership.SEARCH);
        recorded.forEach(world::deliver);
        world.pass(50);
        world.assertAllSee(world.all());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void whatWasRecorded_wakesNobodyWhoIsDead_alsoForAnAgentThatBeginsAgain(long seed) {
        World world = new World(seed, 3);
        world.pass(3_000);
        world.agents.remove("node0");
        world.begin("node1");
        List<World.Flying> recorded = List.copyOf(world.recorded);
        world.pass(2 * Membership.SEARCH);
        recorded.forEach(world::deliver);
        world.pass(50);
        assertThat(world.aliveAt("node1")).doesNotContain("node0");
    }

    @Test
    void agentThatStoodStill_doesNotHoldTheOthersForDead() {
        World world = new World(1, 3);
        world.pass(3_000);
        world.now += 10 * Membership.SILENCE;
        world.pass(2 * Membership.TICK);
        world.assertAllSee(world.all());
    }

    @Test
    void agentThatStoodStill_isStillWilling() {
        World world = new World(1, 3);
        world.pass(3_000);
        world.send("node0", world.agent("node0").become(WILLING, world.now));
        world.now += 10 * Membership.SILENCE;
        world.pass(2 * Membership.TICK);
        assertThat(world.agent("node1").alive().get("node0")).isEqualTo(WILLING);
    }

    @ParameterizedTest
    @ValueSource(ints = {6, 20, 60})
    void load_doesNotGrowWithTheNumberOfAgents(int count) {
        World world = new World(1, count);
        world.pass(3_000);
        long before = world.sent;
        world.pass(10_000);
        long perAgentAndSecond = (world.sent - before) / count / 10;
        // Its beats, its pings of one more each time, and its answers to as many of others.
        assertThat(perAgentAndSecond)
                .isLessThanOrEqualTo(
                        Membership.WATCHED * 1_000 / Membership.PING + 2 * (1_000 / Membership.SEARCH + 1));
    }

    private static void assertEachBeatAnswers(World world) {
        long before = world.sent;
        world.pass(10_000);
        int count = world.all().size();
        assertThat(world.sent - before).isLessThanOrEqualTo(count * (count - 1L) * (10_000 / Membership.PING + 1));
        world.assertAllSee(world.all());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void beatOfOneThatIsWatched_isAnsweredByTheNextOfTheOther(long seed) {
        World world = new World(seed, 2 + (int) (seed % 4));
        world.pass(3_000);
        assertEachBeatAnswers(world);
        world.begin("node1");
        world.pass(2_000);
        assertEachBeatAnswers(world);
        world.agents.put("node0", new Membership("node0", 5, 7, WILLING, world.now));
        world.agent("node0").know(world.names, world.now);
        world.pass(2_000);
        assertEachBeatAnswers(world);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void whatWasRecorded_keepsNobodyFromBeingAnswered(long seed) {
        World world = new World(seed, 3);
        world.pass(2_000);
        world.begin("node1");
        world.pass(1_000);
        long sentBefore = world.sent;
        world.pass(1_000);
        List<World.Flying> recorded = List.copyOf(world.recorded);
        List<World.Flying> beats = recorded.stream()
                .filter(one -> one.message().kind() == Message.Kind.BEAT)
                .filter(one -> one.number() > sentBefore)
                .toList();
        assertThat(beats).isNotEmpty();
        long sent = world.sent;
        for (int time = 0; time < 20; time++) {
            beats.forEach(world::deliver);
            world.pass(Membership.TICK);
            world.assertAllSee(world.all());
        }
        assertThat(world.sent - sent)
                .as("nobody has to ask for an answer at once")
                .isLessThanOrEqualTo(6 * (20 * Membership.TICK / Membership.PING + 1));
        for (int time = 0; time < 20; time++) {
            recorded.forEach(world::deliver);
            world.pass(Membership.TICK);
            world.assertAllSee(world.all());
        }
        assertEachBeatAnswers(world);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void agentThatHearsAndAnswers_andIsNotToldTheTime_isNotHeldForDead(long seed) {
        World world = new World(seed, 2 + (int) (seed % 6));
        world.pass(3_000);
        world.stalled = "node1";
        for (int second = 0; second < 5; second++) {
            world.pass(1_000);
            assertThat(world.aliveAt("node0")).containsExactlyInAnyOrderElementsOf(world.all());
        }
        world.stalled = "";
        world.pass(1_000);
        world.assertAllSee(world.all());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void agentsThatDoNotAgreeOnWhoLives_holdNobodyForDead_whomTheyReach(long seed) {
        World world = new World(seed, 6 + (int) (seed % 6));
        world.passes = (from, to) -> !pair(from, to).equals(Set.of("node0", "node1"));
        world.pass(5_000);
        for (int second = 0; second < 5; second++) {
            world.pass(1_000);
            world.names.forEach(name -> assertThat(world.aliveAt(name))
                    .as(name)
                    .containsExactlyInAnyOrderElementsOf(world.names.stream()
                            .filter(other -> !pair(name, other).equals(Set.of("node0", "node1")))
                            .toList()));
        }
    }

    private static Set<String> pair(String one, String other) {
        return new HashSet<>(List.of(one, other));
    }

    @Test
    void messageOfAnotherVersion_isRefused_namingBoth() {
        byte[] bytes =
                new Message(Message.Kind.ANSWER, "a", "b", 41, 42, new Message.State(1, 2, WILLING), "").encoded();
        bytes[0] = 99;
        assertThatThrownBy(() -> Message.decoded(bytes))
                .isInstanceOf(IOException.class)
                .hasMessage("protocol version 99 is not supported; this agent uses 4");
    }

    /** 64 refusals, 32 links of 8 networks each, and the longest names. */
    @Test
    void longestMessage_isReadWhole() {
        String name = "n".repeat(253);
        SequencedMap<Ip, NotAnnouncedReason> refused = new TreeMap<>();
        Ip address = Ip.parse("2001:db8:1111:1111:1111:1111:1111:1111");
        for (int number = 0; number < 64; number++) {
            refused.put(address, NotAnnouncedReason.NODE_NETWORK_UNAVAILABLE);
            address = address.next();
        }
        IpRange network =
                IpRange.parse("2001:db8:1111:1111:1111:1111:1111:1111-2001:db8:1111:1111:1111:1111:1111:2222");
        Link link = new Link("e".repeat(15), "02:00:00:00:00:01", Collections.nCopies(8, network));
        SequencedMap<String, List<IpFamily>> sessions = new TreeMap<>();
        for (int number = 0; number < Agent.MOST_SESSIONS; number++) {
            sessions.put("p".repeat(251) + (10 + number), List.of(IpFamily.IPV4, IpFamily.IPV6));
        }
        Agent agent = new Agent(true, ApiContact.RELIABLE, true, Collections.nCopies(32, link), refused, sessions);
        Message message = new Message(Message.Kind.SUSPECT, name, name, 41, 42, new Message.State(1, 2, agent), name);
        assertThat(SharedKey.of(List.of("0123456789abcdef")).sealed(message.encoded()).length)
                .isLessThan(Datagrams.LONGEST);
    }

    /** Its sessions have all families, or are not told. */
    @Test
    void stateOfAnAgentBeforeThisOne_isRead() throws IOException {
        byte[] now = Message.encoded(new Message.State(1, 2, WILLING));
        ByteArrayOutputStream before = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(before)) {
            // Two numbers of no sessions at the end.
            out.write(now, 0, now.length - 4);
            out.writeShort(1);
            out.writeUTF("east");
        }
        assertThat(Message.state(before.toByteArray()).agent().sessions())
                .isEqualTo(Map.of("east", List.of(IpFamily.IPV4, IpFamily.IPV6)));
    }

    @Test
    void message_isReadAsItWasWritten_andOnlyWithTheSharedKey() throws IOException {
        Agent agent = new Agent(
                true,
                ApiContact.LOST,
                false,
                WILLING.links(),
                new TreeMap<>(Map.of(
                        Ip.parse("192.0.2.1"),
                        NotAnnouncedReason.ADDRESS_ON_HOST,
                        Ip.parse("2001:db8::1"),
                        NotAnnouncedReason.KERNEL_REJECTED)),
                new TreeMap<>(Map.of("east", List.of(IpFamily.IPV4), "west", List.of(IpFamily.IPV4, IpFamily.IPV6))));
        Message message = new Message(Message.Kind.ANSWER, "a", "b", 41, 42, new Message.State(1, 2, agent), "c");
        SharedKey key = SharedKey.of(List.of("0123456789abcdef"));
        byte[] sealed = key.sealed(message.encoded());
        assertThat(Message.decoded(key.opened(sealed).orElseThrow())).isEqualTo(message);

        assertThat(SharedKey.of(List.of("another key of theirs")).opened(sealed))
                .isEmpty();
        assertThat(SharedKey.of(List.of("the next key of ours", "0123456789abcdef"))
                        .opened(sealed))
                .isPresent();
        sealed[sealed.length - 1] ^= 1;
        assertThat(key.opened(sealed)).isEmpty();
        assertThat(key.opened(new byte[3])).isEmpty();
    }
}
