package dev.berth.agent.bgp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.agent.bgp.v1.PeerState;
import dev.berth.announce.BgpPeerSample;
import dev.berth.announce.Neighbour;
import dev.berth.announce.PeerVerdict.Session;
import dev.berth.announce.Route;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.plugin.grpc.transport.Endpoint;
import dev.berth.plugin.grpc.transport.KeepAlive;
import dev.berth.plugin.grpc.transport.Transport;
import io.grpc.Server;
import io.grpc.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What an agent tells its speaker, and in which order. */
@EnabledOnOs(OS.LINUX)
class SpeakerTest {
    private final FakeSpeaker fake = new FakeSpeaker();

    @TempDir
    private Path folder;

    private Server server;
    private Speaker speaker;

    @BeforeEach
    void serve() throws IOException {
        server = Transport.server(socket(), null).addService(fake).build().start();
        speaker = connected();
    }

    @AfterEach
    void stop() {
        speaker.close();
        server.shutdownNow();
    }

    private Endpoint socket() {
        return new Endpoint.Unix(folder.resolve("speaker.sock"));
    }

    private Speaker connected() {
        return new Speaker(
                Transport.channel(socket(), null, null, KeepAlive.USUAL).build(), () -> {});
    }

    private static Session session(String address, String password) {
        return BgpPeerSample.session(new BgpPeerSample("at-" + address, address).peer(), password);
    }

    private static Wanted wanted(List<Session> sessions, String... addresses) {
        return new Wanted(
                Ip.parse("192.0.2.1"),
                sessions,
                Stream.of(addresses)
                        .map(address -> new Route(
                                Ip.parse(address),
                                Ip.parse("192.0.2.1"),
                                List.of("at-192.0.2.254"),
                                List.of(),
                                Optional.empty()))
                        .toList());
    }

    private static final List<Session> ROUTER = List.of(session("192.0.2.254", ""));

    private static final SessionState IS_UP = new SessionState(true, "", List.of(IpFamily.IPV4));

    private List<String> calls() {
        List<String> calls = List.copyOf(fake.calls);
        fake.calls.clear();
        return calls;
    }

    @Test
    void speakerThatHasJustStarted_isNotifiedOfRoutesFirst_andThenOfPeers_asOneThatRestarts() throws IOException {
        speaker.bring(wanted(ROUTER, "203.0.113.1"));
        assertThat(calls()).containsExactly("start", "route 203.0.113.1", "peer, restarting, 192.0.2.254");
        assertThat(speaker.bring(wanted(ROUTER, "203.0.113.1"))).isEqualTo(Map.of("at-192.0.2.254", IS_UP));
        assertThat(calls()).isEmpty();

        fake.restart();
        speaker.bring(wanted(ROUTER, "203.0.113.1"));
        assertThat(calls()).containsExactly("start", "route 203.0.113.1", "peer, restarting, 192.0.2.254");
    }

    @Test
    void speakerThatHasSpokenForAnEarlierAgent_losesWhatIsWantedNoMore_andNoSession() throws IOException {
        speaker.bring(wanted(ROUTER, "203.0.113.1", "203.0.113.2"));
        fake.calls.clear();
        try (Speaker next = connected()) {
            next.bring(wanted(ROUTER, "203.0.113.2"));
            assertThat(calls()).containsExactly("no route 203.0.113.1", "route 203.0.113.2", "peer again 192.0.2.254");
        }
    }

    @Test
    void peerOnAnInterface_isKnownByItsZone_alsoToTheNextAgent() throws IOException {
        Neighbour router = Neighbour.find("fe80::1%eth1").orElseThrow();
        List<Session> unnumbered = List.of(new Session(
                BgpPeerSample.onInterface("leaf", "eth1").peer(), "", router, Optional.of(Ip.parse("fe80::a"))));
        assertThat(speaker.routers()).isEmpty();
        speaker.bring(wanted(unnumbered));
        assertThat(calls()).containsExactly("start", "peer, restarting, fe80::1%eth1");
        try (Speaker next = connected()) {
            assertThat(next.routers()).containsExactly(router);
            next.bring(wanted(unnumbered));
            assertThat(calls()).containsExactly("peer again fe80::1%eth1");
            next.bring(wanted(List.of()));
            assertThat(calls()).containsExactly("no peer fe80::1%eth1");
        }
    }

    @Test
    void changesAlone_areTold() throws IOException {
        speaker.bring(wanted(ROUTER, "203.0.113.1"));
        fake.calls.clear();
        speaker.bring(wanted(List.of(session("192.0.2.254", "s3cret"), session("192.0.2.253", "")), "203.0.113.2"));
        assertThat(calls())
                .containsExactly(
                        "no route 203.0.113.1", "route 203.0.113.2", "peer again 192.0.2.254", "peer 192.0.2.253");
        speaker.bring(wanted(List.of()));
        assertThat(calls())
                .containsExactlyInAnyOrder("no route 203.0.113.2", "no peer 192.0.2.253", "no peer 192.0.2.254");
    }

    @Test
    void sessionWhoseTermsAreChanged_isOver_andNotSaidToBeEstablishedByThem() throws IOException {
        speaker.bring(wanted(ROUTER));
        assertThat(speaker.bring(wanted(ROUTER))).isEqualTo(Map.of("at-192.0.2.254", IS_UP));
        List<Session> changed = List.of(session("192.0.2.254", "s3cret"));
        assertThat(speaker.bring(wanted(changed))).isEqualTo(Map.of("at-192.0.2.254", SessionState.none("")));
        assertThat(speaker.bring(wanted(changed))).isEqualTo(Map.of("at-192.0.2.254", IS_UP));
    }

    /** GoBGP's rules are for what is sent after they are set. */
    @Test
    void ipv6NextHopThatChanges_hasRoutesSentAgain_andNoSessionEnds() throws IOException {
        List<Session> by6 = List.of(BgpPeerSample.session(
                new BgpPeerSample("by6", "2001:db8::254").ipv6NextHops().peer(), ""));
        speaker.bring(by6(by6, "2001:db8::1"));
        assertThat(calls()).containsExactly("start", "peer, restarting, 2001:db8::254");
        speaker.bring(by6(by6, "2001:db8::2"));
        assertThat(calls()).containsExactly("soft DIRECTION_OUT, next hop 2001:db8::2");
        speaker.bring(by6(by6, "2001:db8::2"));
        assertThat(calls()).isEmpty();
        try (Speaker next = connected()) {
            next.bring(by6(by6, "2001:db8::3"));
            assertThat(calls()).containsExactly("soft DIRECTION_OUT, next hop 2001:db8::3", "peer again 2001:db8::254");
        }
        speaker.bring(by6(ROUTER, "2001:db8::3"));
        fake.calls.clear();
        speaker.bring(by6(ROUTER, "2001:db8::4"));
        assertThat(calls()).isEmpty();
    }

    private static Wanted by6(List<Session> sessions, String own) {
        return new Wanted(Ip.parse("192.0.2.1"), sessions, List.of(), Optional.of(Ip.parse(own)));
    }

    private String ending() throws IOException {
        return Objects.requireNonNull(speaker.bring(wanted(ROUTER)).get("at-192.0.2.254"))
                .ending();
    }

    private static PeerState over(int reason, String message) {
        return PeerState.newBuilder()
                .setSessionState(PeerState.SessionState.SESSION_STATE_IDLE)
                .setDisconnectReason(reason)
                .setDisconnectMessage(message)
                .build();
    }

    @Test
    void whyASessionEnded_isKept_untilItEndsForAnotherReason_andHeardAlsoAfterTheStreamBroke() throws IOException {
        speaker.bring(wanted(ROUTER));
        Awaitility.await().until(() -> fake.watchers.size() == 1);
        fake.tell("192.0.2.254", over(2, "hold timer expired"));
        Awaitility.await().until(() -> ending().equals("hold timer expired"));
        fake.tell("192.0.2.254", over(NO_REASON, "nothing"));
        fake.tell("192.0.2.253", over(3, "of another"));
        fake.watchers.getLast().onError(Status.UNAVAILABLE.asRuntimeException());
        Awaitility.await().until(() -> {
            assertThat(ending()).isEqualTo("hold timer expired");
            return fake.watchers.size() == 2;
        });
        fake.tell("192.0.2.254", over(3, "the router was restarted"));
        Awaitility.await().until(() -> ending().equals("the router was restarted"));
        speaker.bring(wanted(List.of()));
        assertThat(ending()).as("of a peer that was removed and is made again").isEmpty();
    }

    @Test
    void whyASessionEnded_isNotSaidOfOneWithOtherTerms() throws IOException {
        speaker.bring(wanted(ROUTER));
        Awaitility.await().until(() -> fake.watchers.size() == 1);
        fake.tell("192.0.2.254", over(3, "bad peer AS"));
        Awaitility.await().until(() -> ending().equals("bad peer AS"));
        assertThat(speaker.bring(wanted(List.of(session("192.0.2.254", "s3cret")))))
                .isEqualTo(Map.of("at-192.0.2.254", SessionState.none("")));
    }

    /** GoBGP's DisconnectReason. */
    private static final int NO_REASON = 0;

    @Test
    void withoutAnyPeer_nothingIsStarted() throws IOException {
        assertThat(speaker.bring(wanted(List.of()))).isEmpty();
        assertThat(calls()).isEmpty();
    }

    @Test
    void routeAndPeerThatAreRefused_keepNoOtherBack() throws IOException {
        fake.refuse("203.0.113.1");
        speaker.bring(wanted(ROUTER, "203.0.113.1", "203.0.113.2"));
        assertThat(calls()).containsExactly("start", "route 203.0.113.2", "peer, restarting, 192.0.2.254");
        fake.refuse("192.0.2.253");
        assertThat(speaker.bring(
                        wanted(List.of(session("192.0.2.253", ""), session("192.0.2.254", "")), "203.0.113.1")))
                .isEqualTo(Map.of(
                        "at-192.0.2.253",
                        SessionState.none("gobgpd refuses the peer: no 192.0.2.253"),
                        "at-192.0.2.254",
                        IS_UP));
    }

    @Test
    void speakerThatIsAway_isSaid_andToldAllOnceItIsBack() throws IOException {
        speaker.bring(wanted(ROUTER, "203.0.113.1"));
        server.shutdownNow();
        assertThatThrownBy(() -> speaker.bring(wanted(ROUTER, "203.0.113.1")))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("gobgpd does not respond: ");
        fake.restart();
        server = Transport.server(socket(), null).addService(fake).build().start();
        Awaitility.await()
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> speaker.bring(wanted(ROUTER, "203.0.113.1")).containsKey("at-192.0.2.254"));
        assertThat(calls()).containsExactly("start", "route 203.0.113.1", "peer, restarting, 192.0.2.254");
    }

    @Test
    void agentThatEnds_takesItsRoutesBack_andLeavesTheSession() throws IOException {
        speaker.bring(wanted(ROUTER, "203.0.113.1"));
        fake.calls.clear();
        speaker.withdraw(Duration.ofSeconds(10));
        assertThat(calls()).containsExactly("no route ", "no route ");
    }

    @Test
    void withdrawalThatIsRefused_keepsNoOtherBack_andIsTriedAgain() throws IOException {
        speaker.bring(wanted(ROUTER, "203.0.113.1", "203.0.113.2"));
        fake.calls.clear();
        fake.refuse("203.0.113.1");
        speaker.bring(wanted(ROUTER, "203.0.113.3"));
        assertThat(calls()).containsExactly("no route 203.0.113.2", "route 203.0.113.3");
        fake.refuse("");
        speaker.bring(wanted(ROUTER, "203.0.113.3"));
        assertThat(calls()).containsExactly("no route 203.0.113.1");
    }

    @Test
    void peerThatIsNotRemoved_keepsNoOtherBack_andIsTriedAgain() throws IOException {
        List<Session> three = Stream.of("192.0.2.252", "192.0.2.253", "192.0.2.254")
                .map(one -> session(one, ""))
                .toList();
        speaker.bring(wanted(three));
        fake.calls.clear();
        fake.refuse("192.0.2.253");
        speaker.bring(wanted(ROUTER));
        assertThat(calls()).containsExactly("no peer 192.0.2.252");
        fake.refuse("");
        speaker.bring(wanted(ROUTER));
        assertThat(calls()).containsExactly("no peer 192.0.2.253");
    }

    /** Else it would wait for 5 s, once for each family, and as long for a call that is under way. */
    @Test
    @Timeout(4)
    void speakerThatHangs_holdsUpNobodyWhoEnds() throws Exception {
        speaker.bring(wanted(ROUTER, "203.0.113.1"));
        fake.hang();
        int looks = fake.looks.get();
        CompletableFuture<Void> round = CompletableFuture.runAsync(() -> {
            try {
                speaker.bring(wanted(ROUTER, "203.0.113.1"));
            } catch (IOException over) {
                throw new UncheckedIOException(over);
            }
        });
        Awaitility.await().until(() -> fake.looks.get() > looks);
        speaker.stop();
        assertThat(round).failsWithin(Duration.ofSeconds(3));
        speaker.withdraw(Duration.ofMillis(100));
    }
}
