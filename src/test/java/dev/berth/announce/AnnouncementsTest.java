package dev.berth.announce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Who announces an address, by what the agents of all nodes say. */
class AnnouncementsTest {
    private static final Instant NOW = Instant.parse("2026-01-02T00:00:00Z");
    private static final Ip ONE = Ip.parse("192.0.2.1");
    private static final Ip TWO = Ip.parse("192.0.2.2");
    private static final List<Ip> BOTH = List.of(ONE, TWO);

    private static NodeReport report(Protocol protocol, String announced, Map<String, String> silent) {
        SequencedMap<String, List<IpRange>> reasons = new TreeMap<>();
        silent.forEach((reason, ranges) -> reasons.put(reason, ranges(ranges)));
        return new NodeReport(
                new TreeMap<>(Map.of(protocol, new NodeReport.Part(ranges(announced), List.of(), reasons))));
    }

    private static List<IpRange> ranges(String text) {
        return text.isEmpty()
                ? List.of()
                : List.of(text.split(",")).stream().map(IpRange::parse).toList();
    }

    private static NodeReport l2(String announced) {
        return report(Protocol.L2, announced, Map.of());
    }

    private static NodeReport bgp(String announced) {
        return report(Protocol.BGP, announced, Map.of());
    }

    private static String said(Announcement announcement) {
        return announcement.by() + " " + announcement.reason() + ": " + announcement.sentence();
    }

    private static String l2Of(Announcements known) {
        return said(known.of(Protocol.L2, ONE));
    }

    @Test
    void oneNode_isNamed_withTheProtocolOfTheFamily() {
        Announcements known = Announcements.NONE
                .reported("worker-1", l2("192.0.2.1-192.0.2.9,2001:db8::1"), NOW)
                .reported("worker-2", l2(""), NOW);
        assertThat(l2Of(known)).isEqualTo("worker-1 Announced: node worker-1 announces 192.0.2.1 by ARP");
        assertThat(said(known.of(Protocol.L2, Ip.parse("2001:db8::1"))))
                .isEqualTo("worker-1 Announced: node worker-1 announces 2001:db8::1 by NDP");
    }

    @Test
    void fewNodes_areNamed_andManyAreNotCountedInTheSentence() {
        Announcements two = Announcements.NONE
                .reported("worker-1", bgp("192.0.2.1"), NOW)
                .reported("worker-2", bgp("192.0.2.1"), NOW);
        assertThat(said(two.of(Protocol.BGP, ONE)))
                .isEqualTo("2 nodes Announced: nodes worker-1, worker-2 announce 192.0.2.1 by BGP");

        Announcements many = IntStream.range(0, 40)
                .boxed()
                .reduce(
                        Announcements.NONE,
                        (known, node) -> known.reported("n" + node, bgp("192.0.2.1"), NOW),
                        (one, _) -> one);
        Announcements fewer = many.without("n7");
        assertThat(many.of(Protocol.BGP, ONE).by()).isEqualTo("40 nodes");
        assertThat(fewer.of(Protocol.BGP, ONE).by()).isEqualTo("39 nodes");
        assertThat(many.of(Protocol.BGP, ONE).sentence())
                .isEqualTo("more than 3 nodes announce 192.0.2.1 by BGP")
                .isEqualTo(fewer.of(Protocol.BGP, ONE).sentence());
        assertThat(fewer.of(Protocol.BGP, ONE).differsInNumberFrom("40 nodes")).isTrue();
        assertThat(two.of(Protocol.BGP, ONE).differsInNumberFrom("worker-1")).isFalse();
        assertThat(two.of(Protocol.BGP, ONE).differsInNumberFrom("nobody")).isFalse();
    }

    @Test
    void nobody_isSaidWithTheReason_andEachNodesIfTheyDiffer() {
        Announcements same = Announcements.NONE
                .reported("worker-1", report(Protocol.L2, "", Map.of("NoEndpoints", "192.0.2.1")), NOW)
                .reported("worker-2", report(Protocol.L2, "", Map.of("NoEndpoints", "192.0.2.0/24")), NOW);
        assertThat(l2Of(same))
                .isEqualTo("nobody NoEndpoints: no node announces 192.0.2.1: its Services have no ready endpoint");

        Announcements others = Announcements.NONE
                .reported("worker-1", report(Protocol.BGP, "", Map.of("NoLocalEndpoints", "192.0.2.1")), NOW)
                .reported("worker-2", report(Protocol.BGP, "", Map.of("NoLocalEndpoints", "192.0.2.1")), NOW)
                .reported("worker-3", report(Protocol.BGP, "", Map.of("NoSession", "192.0.2.1")), NOW);
        Announcement announcement = others.of(Protocol.BGP, ONE);
        assertThat(announcement.reason()).isEqualTo("NoSession");
        assertThat(announcement.sentence())
                .isEqualTo("no node announces 192.0.2.1: nodes worker-1, worker-2: externalTrafficPolicy is Local, and"
                        + " the node has no ready endpoint; node worker-3: the node has no established BGP"
                        + " session for this address family; see kubectl get bgppeers");
    }

    @Test
    void aReasonOfANewerAgent_isSaidAsItIs() {
        Announcements known = Announcements.NONE.reported(
                "worker-1", report(Protocol.L2, "", Map.of("MoonIsFull", "192.0.2.1")), NOW);
        assertThat(l2Of(known)).isEqualTo("nobody MoonIsFull: no node announces 192.0.2.1: MoonIsFull");
    }

    @Test
    void withoutAgents_orWithoutSpeakers_thatIsTheReason() {
        assertThat(l2Of(Announcements.NONE))
                .startsWith("nobody NoAgent: ")
                .contains("the DaemonSet berth-agent is installed");
        Announcements withoutSpeakers = Announcements.NONE.reported("worker-1", l2(""), NOW);
        assertThat(said(withoutSpeakers.of(Protocol.BGP, ONE)))
                .startsWith("nobody NoAgent: ")
                .contains("docs/bgp.md");
        assertThat(l2Of(withoutSpeakers)).isEqualTo("unknown NotReported: no agent has reported on 192.0.2.1 yet");
        assertThat(l2Of(withoutSpeakers.reported("worker-1", NodeReport.NONE, NOW)))
                .startsWith("nobody NoAgent: ");
    }

    private static NodeReport inConflict(String announced) {
        return new NodeReport(new TreeMap<>(
                Map.of(Protocol.L2, new NodeReport.Part(ranges(announced), ranges(announced), new TreeMap<>()))));
    }

    /** Its kernel answers for the address still. */
    @Test
    void nodeWhoseAgentHasCrashed_isInConflictWithTheOneThatHasTheAddressNow() {
        Announcements known = Announcements.NONE
                .reported("worker-1", l2("192.0.2.1"), NOW)
                .reported("worker-2", inConflict("192.0.2.1"), NOW.plusSeconds(35));
        assertThat(l2Of(known)).as("it is not known yet whether it lives").startsWith("worker-2 Announced");
        assertThat(l2Of(known.lost("worker-1"))).startsWith("worker-2 AddressConflict");
    }

    @Test
    void thatANodeHasAnAddressStill_isNews_onceItIsHeardLongAfterTheOther() {
        Announcements both = Announcements.NONE
                .reported("worker-1", l2("192.0.2.1"), NOW)
                .reported("worker-2", l2("192.0.2.1"), NOW.plusSeconds(1));
        Announcements soon = both.heard("worker-1", NOW.plusSeconds(30));
        assertThat(soon.changed(both, "worker-1", BOTH)).isEmpty();

        Announcements late = soon.heard("worker-1", NOW.plusSeconds(60));
        assertThat(late.changed(soon, "worker-1", BOTH)).containsExactly(ONE);
        assertThat(late.of(Protocol.L2, ONE).by()).isEqualTo("2 nodes");
    }

    @Test
    void ofManyNodes_eachHasMoreTimeToReportThatItHasGivenUpAnAddress() {
        Announcements many = IntStream.range(0, 1_000)
                .boxed()
                .reduce(Announcements.NONE, (known, node) -> known.reported("n" + node, l2(""), NOW), (one, _) -> one)
                .reported("worker-1", l2("192.0.2.1"), NOW)
                .reported("worker-2", l2("192.0.2.1"), NOW.plusSeconds(1))
                .heard("worker-1", NOW.plusSeconds(101));
        assertThat(many.of(Protocol.L2, ONE).by()).isEqualTo("worker-2");
    }

    @Test
    void agentThatIsNotHeardOf_mayGoOn_andDoesNotSayWhyNot() {
        Announcements known = Announcements.NONE
                .reported("worker-1", l2("192.0.2.1"), NOW)
                .reported("worker-2", report(Protocol.L2, "", Map.of("NoInterface", "192.0.2.2")), NOW)
                .lost("worker-1")
                .lost("worker-2");
        assertThat(l2Of(known))
                .isEqualTo("unknown AgentNotReporting: node worker-1 announced 192.0.2.1, but the agent has stopped"
                        + " renewing its Lease; the address might still be announced");
        assertThat(said(known.of(Protocol.L2, TWO))).startsWith("nobody NoAgent: ");
        assertThat(l2Of(known.heard("worker-1", NOW.plusSeconds(100)))).startsWith("worker-1 Announced");
    }

    @Test
    void nodeThatLostItsPower_hasNotWhatAnotherHasTakenOver() {
        Announcements known = Announcements.NONE
                .reported("worker-1", l2("192.0.2.1"), NOW)
                .heard("worker-1", NOW.plusSeconds(30))
                .reported("worker-2", l2("192.0.2.1"), NOW.plusSeconds(35));
        assertThat(l2Of(known)).startsWith("worker-2 Announced");
        // It wrote before it could take the address back.
        assertThat(l2Of(known.heard("worker-1", NOW.plusSeconds(60)))).startsWith("worker-2 Announced");
        assertThat(l2Of(known.lost("worker-1"))).startsWith("worker-2 Announced");
    }

    @Test
    void twoNodesThatBothGoOnToAnnounceByArp_areBothNamed() {
        Announcements known = Announcements.NONE
                .reported("worker-1", l2("192.0.2.1"), NOW)
                .reported("worker-2", l2("192.0.2.1"), NOW.plusSeconds(35))
                .heard("worker-1", NOW.plusSeconds(90));
        assertThat(l2Of(known))
                .isEqualTo(
                        "2 nodes MultipleNodes: nodes worker-1, worker-2 announce 192.0.2.1 by ARP; their agents do not hear"
                                + " each other");
    }

    private static NodeReport claimedByAnother(String announced, String conflicting) {
        return new NodeReport(new TreeMap<>(
                Map.of(Protocol.L2, new NodeReport.Part(ranges(announced), ranges(conflicting), new TreeMap<>()))));
    }

    @Test
    void anotherMachineThatClaimsIt_isSaid_withTheNodeThatHearsIt() {
        Announcements known =
                Announcements.NONE.reported("worker-1", claimedByAnother("192.0.2.1-192.0.2.2", "192.0.2.1"), NOW);
        assertThat(l2Of(known))
                .isEqualTo(
                        "worker-1 AddressConflict: node worker-1 announces 192.0.2.1 by ARP; another machine claims the"
                                + " address, too: the log of the agent on node worker-1 has its hardware address");
        assertThat(known.of(Protocol.L2, ONE).isDisturbed()).isTrue();
        assertThat(said(known.of(Protocol.L2, TWO)))
                .isEqualTo("worker-1 Announced: node worker-1 announces 192.0.2.2 by ARP");
        assertThat(known.of(Protocol.L2, TWO).isDisturbed()).isFalse();

        Announcements over = known.reported("worker-1", l2("192.0.2.1-192.0.2.2"), NOW.plusSeconds(300));
        assertThat(l2Of(over)).startsWith("worker-1 Announced");
        assertThat(over.changed(known, "worker-1", BOTH)).containsExactly(ONE);
    }

    @Test
    void nodesThatHearEachOther_areNoForeignMachine_thoughTheirAgentsDoNot() {
        Announcements known = Announcements.NONE
                .reported("worker-1", claimedByAnother("192.0.2.1", "192.0.2.1"), NOW)
                .reported("worker-2", claimedByAnother("192.0.2.1", "192.0.2.1"), NOW.plusSeconds(35));
        assertThat(l2Of(known)).startsWith("worker-2 Announced");
        assertThat(l2Of(known.heard("worker-1", NOW.plusSeconds(90)))).startsWith("2 nodes MultipleNodes");
    }

    @Test
    void whatANodeHeard_thatHasTheAddressNoLonger_isNoConflict() {
        Announcements known = Announcements.NONE.reported("worker-1", claimedByAnother("192.0.2.1", "192.0.2.1"), NOW);
        assertThat(l2Of(known.reported("worker-2", l2("192.0.2.1"), NOW.plusSeconds(35))))
                .startsWith("worker-2 Announced");
        assertThat(l2Of(known.lost("worker-1"))).startsWith("unknown AgentNotReporting");
    }

    @Test
    void changed_hasOnlyThoseOfWhichTheNodeSaysSomethingElse() {
        Announcements before =
                Announcements.NONE.reported("worker-1", l2("192.0.2.1"), NOW).reported("worker-2", l2(""), NOW);
        assertThat(before.reported("worker-1", l2("192.0.2.1"), NOW.plusSeconds(1))
                        .changed(before, "worker-1", BOTH))
                .isEmpty();
        assertThat(before.reported("worker-1", l2("192.0.2.1-192.0.2.2"), NOW).changed(before, "worker-1", BOTH))
                .containsExactly(TWO);
        assertThat(before.heard("worker-1", NOW.plusSeconds(9)).changed(before, "worker-1", BOTH))
                .isEmpty();
        assertThat(before.lost("worker-1").changed(before, "worker-1", BOTH)).containsExactly(ONE);
        assertThat(before.without("worker-1").changed(before, "worker-1", BOTH)).containsExactly(ONE);
        assertThat(before.changed(Announcements.NONE, "worker-1", BOTH)).containsExactlyElementsOf(BOTH);
    }
}
