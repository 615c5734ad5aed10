package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.berth.agent.bgp.SessionState;
import dev.berth.announce.BgpPeer;
import dev.berth.announce.BgpPeerSample;
import dev.berth.announce.PeerVerdict;
import dev.berth.announce.Route;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A node's entry in the status of a BGPPeer. */
class PeerEntryTest {
    private static final PeerEntry ENTRY =
            new PeerEntry("a", PeerEntry.CONNECTING, "09:00", -1, "no answer", List.of(), 3);

    @Test
    void whatIsApplied_isThisNodesEntryAlone_andIsReadAgain() throws IOException {
        JsonNode object = new ObjectMapper().readTree(PeerEntry.applied("router", Optional.of(ENTRY)));
        assertThat(object.path("metadata").properties())
                .extracting(field -> field.getKey())
                .containsExactly("name");
        assertThat(object.path("status").properties())
                .extracting(field -> field.getKey())
                .containsExactly("nodes");
        assertThat(PeerEntry.Seen.read(object, "a")).isEqualTo(new PeerEntry.Seen(Optional.of(ENTRY), 1));
        assertThat(PeerEntry.Seen.read(object, "b")).isEqualTo(new PeerEntry.Seen(Optional.empty(), 1));
    }

    @Test
    void routesOfASession_areThoseOfTheFamiliesThatWereNegotiated() {
        BgpPeer peer = new BgpPeerSample("router", "192.0.2.254")
                .password("md5")
                .families(IpFamily.IPV4, IpFamily.IPV6)
                .peer();
        PeerVerdict verdict = BgpPeerSample.session(peer, "s3cret");
        List<Route> routes = Stream.of("203.0.113.1", "2001:db8::1", "2001:db8::2")
                .map(Ip::parse)
                .map(ip -> new Route(ip, ip, List.of("router"), List.of(), Optional.empty()))
                .toList();
        SessionState session = new SessionState(true, "", List.of(IpFamily.IPV4));
        assertThat(BgpReports.LastReported.of("router", verdict, session, routes, 3))
                .isEqualTo(new BgpReports.LastReported(PeerEntry.ESTABLISHED, "", 1, List.of(IpFamily.IPV4), 3));
        assertThat(BgpReports.LastReported.of("router", verdict, SessionState.none(""), routes, 3)
                        .lastError())
                .isEqualTo(
                        "192.0.2.254 does not answer at port 179, or rejects the session, or its password is another");
    }

    @Test
    void sessionWithoutAnyFamily_saysSo_andNoSessionSaysNothingOfFamilies() throws IOException {
        PeerEntry up = new PeerEntry("a", PeerEntry.ESTABLISHED, "09:00", 0, "", List.of(), 3);
        assertThat(PeerEntry.applied("router", Optional.of(up))).contains("\"families\":[]");
        assertThat(PeerEntry.applied("router", Optional.of(ENTRY))).doesNotContain("families");
    }

    @Test
    void removal_appliesNoStatusAtAll() throws IOException {
        assertThat(new ObjectMapper()
                        .readTree(PeerEntry.applied("router", Optional.empty()))
                        .has("status"))
                .isFalse();
    }

    @Test
    void anotherNumberOfRoutes_isAlmostTheSame() {
        assertThat(ENTRY.isAlmost(ENTRY.withRoutes(7))).isTrue();
        assertThat(ENTRY.isAlmost(new PeerEntry("a", PeerEntry.ESTABLISHED, "09:00", -1, "no answer", List.of(), 3)))
                .isFalse();
    }

    @Test
    void errorOfAnyLength_fitsIntoTheStatus() {
        assertThat(new PeerEntry("a", PeerEntry.CONNECTING, "09:00", -1, "x".repeat(9_999), List.of(), 3).lastError())
                .hasSize(512);
    }
}
