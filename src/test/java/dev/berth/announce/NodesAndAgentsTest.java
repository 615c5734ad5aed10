package dev.berth.announce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.announce.Verdict.Announces;
import dev.berth.announce.Verdict.Silent;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Which node announces an address, and why the others do not. */
class NodesAndAgentsTest {
    private static final Ip ADDRESS = Ip.parse("192.0.2.10");
    private static final Link ETH0 = new Link(
            "eth0", "02:00:00:00:00:01", List.of(IpRange.parse("192.0.2.0/24"), IpRange.parse("2001:db8::/64")));
    private static final Agent AGENT = new Agent(true, ApiContact.RELIABLE, true, List.of(ETH0));

    private static DesiredAddress cluster(String... ready) {
        return asked(ADDRESS, service(false, List.of(ready), List.of()));
    }

    private static AddressHolder service(boolean isLocal, List<String> ready, List<String> terminating) {
        return new AddressHolder(new ServiceKey("shop", "web"), isLocal, ready, terminating);
    }

    private static DesiredAddress asked(Ip address, AddressHolder... services) {
        return new DesiredAddress(address, List.of(services), L2Parameters.DEFAULT);
    }

    private static NodesAndAgents nodes(String... names) {
        return situation(Map.of(), Map.of(), names);
    }

    private static NodesAndAgents situation(
            Map<String, NodeFacts> oddNodes, Map<String, Agent> oddAgents, String... names) {
        SequencedMap<String, NodeFacts> nodes = new LinkedHashMap<>();
        SequencedMap<String, Agent> agents = new LinkedHashMap<>();
        for (String name : names) {
            nodes.put(name, oddNodes.getOrDefault(name, NodeFacts.FIT));
            agents.put(name, oddAgents.getOrDefault(name, AGENT));
        }
        return new NodesAndAgents(nodes, agents);
    }

    private static NotAnnouncedReason reason(NodesAndAgents situation, DesiredAddress asked, String node) {
        return ((Silent) situation.verdict(asked, node)).reason();
    }

    @Test
    void policyCluster_withAnyReadyEndpoint_isAnnouncedByOneNode_andTheOthersNameIt() {
        NodesAndAgents three = nodes("a", "b", "c");
        String owner = three.owner(cluster("a")).orElseThrow();
        assertThat(three.verdict(cluster("a"), owner)).isEqualTo(new Announces("eth0", 2, true));
        assertThat(three.verdict(cluster("a"), owner).sentence())
                .isEqualTo("announced on interface eth0; 2 more nodes can deliver it");
        Stream.of("a", "b", "c").filter(node -> !node.equals(owner)).forEach(node -> {
            assertThat(three.verdict(cluster("a"), node)).isEqualTo(new Silent(NotAnnouncedReason.ANOTHER_NODE, owner));
            assertThat(three.verdict(cluster("a"), node).sentence()).isEqualTo("node " + owner + " announces it");
        });
    }

    @Test
    void policyLocal_isAnnouncedWhereReadyEndpointsAre() {
        DesiredAddress local = asked(ADDRESS, service(true, List.of("b"), List.of("a")));
        assertThat(nodes("a", "b", "c").verdict(local, "b")).isEqualTo(new Announces("eth0", 0, true));
        assertThat(reason(nodes("a", "b", "c"), local, "a")).isEqualTo(NotAnnouncedReason.NO_LOCAL_ENDPOINTS);
    }

    @Test
    void policyLocal_withTerminatingEndpointsOnly_isAnnouncedWhereTheyServe() {
        DesiredAddress local = asked(ADDRESS, service(true, List.of(), List.of("c")));
        assertThat(nodes("a", "b", "c").owner(local)).contains("c");
    }

    @Test
    void addressThatSeveralShare_isAnnouncedWhereAnyOfThemIsDelivered() {
        DesiredAddress shared =
                asked(ADDRESS, service(true, List.of(), List.of()), service(true, List.of("b"), List.of()));
        assertThat(nodes("a", "b").owner(shared)).contains("b");
    }

    @Test
    void withoutEndpoints_nothingIsAnnounced_unlessTheClassSaysSo() {
        assertThat(reason(nodes("a"), cluster(), "a")).isEqualTo(NotAnnouncedReason.NO_ENDPOINTS);
        DesiredAddress anyway = new DesiredAddress(ADDRESS, cluster().services(), new L2Parameters(List.of(), true));
        assertThat(nodes("a").owner(anyway)).contains("a");
        assertThat(reason(nodes("a"), asked(ADDRESS), "a")).isEqualTo(NotAnnouncedReason.NO_SERVICE);
    }

    @Test
    void addressOfANode_isAnnouncedByNone() {
        DesiredAddress ofNode = new DesiredAddress(ADDRESS, cluster("a").services(), L2Parameters.DEFAULT, true);
        assertThat(nodes("a", "b").owner(ofNode)).isEmpty();
        assertThat(reason(nodes("a", "b"), ofNode, "a")).isEqualTo(NotAnnouncedReason.ADDRESS_OF_NODE);
    }

    record Unfit(String sentence, NodeFacts facts, NotAnnouncedReason reason) {
        @Override
        public String toString() {
            return sentence;
        }
    }

    static Stream<Unfit> unfit() {
        return Stream.of(
                new Unfit(
                        "is labelled",
                        new NodeFacts(true, false, false, false, false),
                        NotAnnouncedReason.NODE_EXCLUDED),
                new Unfit(
                        "is being deleted",
                        new NodeFacts(false, true, false, false, false),
                        NotAnnouncedReason.NODE_DELETED),
                new Unfit(
                        "is out of service",
                        new NodeFacts(false, false, true, false, false),
                        NotAnnouncedReason.NODE_OUT_OF_SERVICE),
                new Unfit(
                        "has no network",
                        new NodeFacts(false, false, false, true, false),
                        NotAnnouncedReason.NODE_NETWORK_UNAVAILABLE));
    }

    @ParameterizedTest
    @MethodSource("unfit")
    void nodeThatIsUnfit_announcesNothing(Unfit unfit) {
        NodesAndAgents one = situation(Map.of("a", unfit.facts()), Map.of(), "a");
        assertThat(one.owner(cluster("a"))).isEmpty();
        assertThat(one.verdict(cluster("a"), "a")).isEqualTo(new Silent(unfit.reason(), ""));
    }

    @Test
    void nodeWithoutObject_orWithoutAgent_orWhoseAgentIsNotReady_announcesNothing() {
        NodesAndAgents none = nodes();
        assertThat(reason(none, cluster("a"), "a")).isEqualTo(NotAnnouncedReason.NODE_UNKNOWN);
        NodesAndAgents noAgent =
                new NodesAndAgents(new LinkedHashMap<>(Map.of("a", NodeFacts.FIT)), new LinkedHashMap<>());
        assertThat(reason(noAgent, cluster("a"), "a")).isEqualTo(NotAnnouncedReason.NO_AGENT);
        NodesAndAgents starting =
                situation(Map.of(), Map.of("a", new Agent(false, ApiContact.RELIABLE, true, List.of(ETH0))), "a");
        assertThat(reason(starting, cluster("a"), "a")).isEqualTo(NotAnnouncedReason.AGENT_NOT_READY);
    }

    @Test
    void nodeThatIsCordoned_announcesOnlyWhatNoOtherCan() {
        NodeFacts cordoned = new NodeFacts(false, false, false, false, true);
        NodesAndAgents two = situation(Map.of("a", cordoned), Map.of(), "a", "b");
        IntStream.range(0, 50)
                .forEach(number -> assertThat(two.owner(numbered(number))).contains("b"));
        assertThat(situation(Map.of("a", cordoned), Map.of(), "a").owner(cluster("a")))
                .contains("a");
    }

    @Test
    void agentThatHearsNothingFromTheApiServer_announcesOnlyWhatNoOtherCan() {
        Agent cutOff = with(ApiContact.LOST);
        NodesAndAgents two = situation(Map.of(), Map.of("a", cutOff), "a", "b");
        IntStream.range(0, 50)
                .forEach(number -> assertThat(two.owner(numbered(number))).contains("b"));
        assertThat(situation(Map.of(), Map.of("a", cutOff), "a").owner(cluster("a")))
                .contains("a");
    }

    private static Agent with(ApiContact contact) {
        return new Agent(true, contact, true, List.of(ETH0));
    }

    /** Each agent notices it at a moment of its own. */
    @Test
    void apiServerThatIsAwayForAll_movesNoAddress() {
        NodesAndAgents before = nodes("a", "b", "c");
        List<NodesAndAgents> during = Stream.of(
                        Map.of("a", ApiContact.UNSURE),
                        Map.of("a", ApiContact.UNSURE, "b", ApiContact.UNSURE, "c", ApiContact.UNSURE),
                        Map.of("a", ApiContact.LOST, "b", ApiContact.UNSURE, "c", ApiContact.UNSURE),
                        Map.of("a", ApiContact.LOST, "b", ApiContact.LOST, "c", ApiContact.LOST),
                        Map.of("a", ApiContact.LOST, "b", ApiContact.LOST, "c", ApiContact.UNSURE),
                        Map.of("c", ApiContact.UNSURE))
                .map(contacts -> situation(
                        Map.of(),
                        contacts.entrySet().stream()
                                .collect(Collectors.toMap(Map.Entry::getKey, contact -> with(contact.getValue()))),
                        "a",
                        "b",
                        "c"))
                .toList();
        IntStream.range(0, 50)
                .mapToObj(NodesAndAgentsTest::numbered)
                .forEach(asked -> assertThat(during)
                        .allSatisfy(
                                situation -> assertThat(situation.owner(asked)).isEqualTo(before.owner(asked))));
    }

    /** One that is on a node that can announce nothing has nothing to take over. */
    @Test
    void apiServerThatANodeHearsWhichCanAnnounceNothing_movesNoAddress() {
        NodeFacts excluded = new NodeFacts(true, false, false, false, false);
        NodesAndAgents all = situation(Map.of("control", excluded), Map.of(), "a", "b", "control");
        NodesAndAgents some =
                situation(Map.of("control", excluded), Map.of("a", with(ApiContact.LOST)), "a", "b", "control");
        NodesAndAgents outage = situation(
                Map.of("control", excluded),
                Map.of("a", with(ApiContact.LOST), "b", with(ApiContact.UNSURE)),
                "a",
                "b",
                "control");
        IntStream.range(0, 50).mapToObj(NodesAndAgentsTest::numbered).forEach(asked -> {
            assertThat(some.owner(asked)).contains("b");
            assertThat(outage.owner(asked)).isEqualTo(all.owner(asked));
        });
    }

    @Test
    void addressThatAnAgentCannotTake_isAnnouncedByAnother_andTheNodeSaysWhy() {
        NodesAndAgents all = nodes("a", "b", "c");
        String heir = all.owner(cluster("a")).orElseThrow();
        Agent refusing = new Agent(
                true,
                ApiContact.RELIABLE,
                true,
                List.of(ETH0),
                new TreeMap<>(Map.of(ADDRESS, NotAnnouncedReason.ADDRESS_ON_HOST)),
                new TreeMap<>());
        NodesAndAgents passed = situation(Map.of(), Map.of(heir, refusing), "a", "b", "c");
        assertThat(passed.owner(cluster("a"))).isPresent().isNotEqualTo(Optional.of(heir));
        assertThat(reason(passed, cluster("a"), heir)).isEqualTo(NotAnnouncedReason.ADDRESS_ON_HOST);
        assertThat(situation(Map.of(), Map.of("a", refusing), "a").owner(cluster("a")))
                .isEmpty();
    }

    @Test
    void agentThatHasJustBegun_announcesOnlyWhatNoOtherCan() {
        Agent fresh = new Agent(true, ApiContact.RELIABLE, false, List.of(ETH0));
        NodesAndAgents two = situation(Map.of(), Map.of("a", fresh), "a", "b");
        IntStream.range(0, 50)
                .forEach(number -> assertThat(two.owner(numbered(number))).contains("b"));
        assertThat(two.owner(asked(ADDRESS, service(true, List.of("a"), List.of()))))
                .contains("a");
    }

    @Test
    void interface_isTheOneWithTheSmallestNetworkThatHasTheAddress() {
        Link wide = new Link("eth1", "02:00:00:00:00:02", List.of(IpRange.parse("192.0.0.0/16")));
        assertThat(nodeWith(wide, ETH0).verdict(cluster("a"), "a")).isEqualTo(new Announces("eth0", 0, true));
        assertThat(nodeWith(wide).verdict(cluster("a"), "a")).isEqualTo(new Announces("eth1", 0, true));
    }

    @Test
    void interface_isNoneIfNoNetworkHasTheAddress_unlessTheClassNamesIt() {
        Link elsewhere = new Link("eth1", "02:00:00:00:00:02", List.of(IpRange.parse("198.51.100.0/24")));
        assertThat(reason(nodeWith(elsewhere), cluster("a"), "a")).isEqualTo(NotAnnouncedReason.NO_INTERFACE);
        DesiredAddress named =
                new DesiredAddress(ADDRESS, cluster("a").services(), new L2Parameters(List.of("eth*"), false));
        assertThat(nodeWith(elsewhere).verdict(named, "a")).isEqualTo(new Announces("eth1", 0, false));
        assertThat(nodeWith(elsewhere).verdict(named, "a").sentence())
                .isEqualTo(
                        "announced on interface eth1, of which no network has the address: a router must send there what"
                                + " is for it; no other node can deliver it");
        DesiredAddress missing =
                new DesiredAddress(ADDRESS, cluster("a").services(), new L2Parameters(List.of("bond0"), false));
        assertThat(reason(nodeWith(ETH0), missing, "a")).isEqualTo(NotAnnouncedReason.NO_NAMED_INTERFACE);
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.0, NETWORK_OR_BROADCAST_ADDRESS",
        "192.0.2.255, NETWORK_OR_BROADCAST_ADDRESS",
        "2001:db8::, NETWORK_OR_BROADCAST_ADDRESS",
        "2001:db8::ffff:ffff:ffff:ffff, ",
        "192.0.2.254, "
    })
    void endsOfTheNetworkThatAnAddressIsIn_areNotAnnounced(String address, @Nullable NotAnnouncedReason reason) {
        DesiredAddress asked = asked(Ip.parse(address), service(false, List.of("a"), List.of()));
        Link wide = new Link(
                "eth2", "02:00:00:00:00:03", List.of(IpRange.parse("192.0.0.0/16"), IpRange.parse("2001::/16")));

        assertThat(nodeWith(ETH0).verdict(asked, "a"))
                .isEqualTo(reason == null ? new Announces("eth0", 0, true) : new Silent(reason, ""));
        assertThat(nodeWith(wide).verdict(asked, "a")).isEqualTo(new Announces("eth2", 0, true));
    }

    @Test
    void bothAddressesOfAPointToPointNetwork_areAnnounced() {
        Link pair = new Link("eth1", "02:00:00:00:00:02", List.of(IpRange.parse("192.0.2.254/31")));
        for (String address : List.of("192.0.2.254", "192.0.2.255")) {
            DesiredAddress asked = asked(Ip.parse(address), service(false, List.of("a"), List.of()));
            assertThat(nodeWith(ETH0, pair).verdict(asked, "a")).isEqualTo(new Announces("eth1", 0, true));
        }
    }

    private static NodesAndAgents nodeWith(Link... links) {
        return situation(Map.of(), Map.of("a", new Agent(true, ApiContact.RELIABLE, true, List.of(links))), "a");
    }

    private static DesiredAddress numbered(int number) {
        return asked(Ip.parse("192.0.2." + (1 + number % 250)), service(false, List.of("anywhere"), List.of()));
    }

    static Stream<Long> seeds() {
        return LongStream.range(
                        Long.getLong("property.first", 0),
                        Long.getLong("property.first", 0) + Math.min(300, Long.getLong("property.seeds", 300)))
                .boxed();
    }

    /** Some nodes, some of them odd, and Services with endpoints here and there. */
    private record World(NodesAndAgents situation, List<DesiredAddress> asked) {
        static World of(long seed) {
            return of(seed, List.of(ApiContact.values()));
        }

        static World of(long seed, List<ApiContact> contacts) {
            RandomGenerator random =
                    RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
            List<String> names = IntStream.range(0, 1 + random.nextInt(7))
                    .mapToObj(number -> "node" + number)
                    .toList();
            Map<String, NodeFacts> facts = new LinkedHashMap<>();
            Map<String, Agent> agents = new LinkedHashMap<>();
            names.forEach(name -> {
                facts.put(
                        name,
                        new NodeFacts(
                                random.nextInt(8) == 0,
                                random.nextInt(8) == 0,
                                random.nextInt(8) == 0,
                                random.nextInt(8) == 0,
                                random.nextInt(4) == 0));
                agents.put(
                        name,
                        new Agent(
                                random.nextInt(8) > 0,
                                contacts.get(random.nextInt(contacts.size())),
                                random.nextInt(4) > 0,
                                random.nextInt(8) > 0 ? List.of(ETH0) : List.of()));
            });
            List<DesiredAddress> asked = IntStream.range(0, 20)
                    .mapToObj(number -> NodesAndAgentsTest.asked(
                            Ip.parse("192.0.2." + number),
                            service(random.nextBoolean(), some(names, random), some(names, random))))
                    .toList();
            return new World(NodesAndAgentsTest.situation(facts, agents, names.toArray(String[]::new)), asked);
        }

        private static List<String> some(List<String> names, RandomGenerator random) {
            return names.stream().filter(name -> random.nextInt(3) == 0).toList();
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void atMostOneNodeAnnouncesAnAddress_andAllSayTheSameOne(long seed) {
        World world = World.of(seed);
        world.asked().forEach(asked -> {
            List<String> announcing = world.situation().nodes().keySet().stream()
                    .filter(node -> world.situation().verdict(asked, node) instanceof Announces)
                    .toList();
            assertThat(announcing)
                    .isEqualTo(world.situation().owner(asked).stream().toList());
            world.situation().nodes().keySet().forEach(node -> {
                if (world.situation().verdict(asked, node) instanceof Silent(NotAnnouncedReason reason, String owner)) {
                    assertThat(owner).isEqualTo(world.situation().owner(asked).orElse(""));
                    assertThat(reason == NotAnnouncedReason.ANOTHER_NODE && owner.isEmpty())
                            .isFalse();
                }
            });
        });
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void orderInWhichNodesAndAgentsAreKnown_changesNothing(long seed) {
        World world = World.of(seed);
        NodesAndAgents turned = new NodesAndAgents(
                world.situation().nodes().reversed(), world.situation().agents().reversed());
        assertThat(world.asked())
                .allSatisfy(asked -> assertThat(turned.owner(asked))
                        .isEqualTo(world.situation().owner(asked)));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void nodeThatLeaves_movesItsOwnAddressesOnly(long seed) {
        // Were it the last that hears from the API server, one that has lost it would count as much as one that is
        // unsure.
        World world = World.of(seed, List.of(ApiContact.RELIABLE, ApiContact.LOST));
        world.situation().agents().keySet().forEach(gone -> {
            SequencedMap<String, Agent> left =
                    new LinkedHashMap<>(world.situation().agents());
            left.remove(gone);
            NodesAndAgents without = new NodesAndAgents(world.situation().nodes(), left);
            world.asked().stream()
                    .filter(asked -> !world.situation().owner(asked).equals(Optional.of(gone)))
                    .forEach(asked -> assertThat(without.owner(asked))
                            .isEqualTo(world.situation().owner(asked)));
        });
    }

    @Test
    void addressesSpreadEvenly() {
        for (int count : List.of(2, 3, 10)) {
            NodesAndAgents all = nodes(IntStream.range(0, count)
                    .mapToObj(number -> "worker-" + number)
                    .toArray(String[]::new));
            List<DesiredAddress> asked = new ArrayList<>();
            for (int number = 0; number < 4_000; number++) {
                asked.add(asked(
                        Ip.parse("2001:db8::" + Integer.toHexString(number + 1)),
                        service(false, List.of("anywhere"), List.of())));
            }
            Map<String, Long> shares = asked.stream()
                    .map(one -> all.owner(one).orElseThrow())
                    .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
            assertThat(shares).hasSize(count);
            assertThat(shares.values())
                    .allSatisfy(share ->
                            assertThat(share.doubleValue()).isBetween(0.85 * 4_000 / count, 1.15 * 4_000 / count));
        }
    }
}
