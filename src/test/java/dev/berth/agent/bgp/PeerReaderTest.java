package dev.berth.agent.bgp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.berth.announce.BgpPeer;
import dev.berth.announce.ReadPeer;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.testing.Mutation;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** BGPPeer objects, whatever is in them. */
class PeerReaderTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String WHOLE = """
            {"metadata": {"name": "router", "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"rack": "a"}},
             "spec": {"peerAddress": "2001:DB8::1", "peerASN": 4294967295, "myASN": 64512, "peerPort": 1790,
               "passwordSecret": {"name": "md5"}, "holdTime": "9s", "keepaliveTime": "3s",
               "connectRetryTime": "2s", "ebgpMultihop": 4, "families": ["IPv6"], "gracefulRestartTime": "0s",
               "sourceAddress": "2001:db8::2",
               "nodeSelector": {"matchExpressions": [{"key": "bgp", "operator": "NotIn", "values": ["off"]}]}}}
            """;

    private static JsonNode with(String field, String value) throws IOException {
        ObjectNode object = (ObjectNode) JSON.readTree(WHOLE);
        object.withObject("/spec").set(field, JSON.readTree(value));
        return object;
    }

    @Test
    void everyFieldIsRead() throws IOException {
        BgpPeer peer = PeerReader.read(JSON.readTree(WHOLE)).peer().orElseThrow();
        assertThat(peer.name()).isEqualTo("router");
        assertThat(peer.labels()).isEqualTo(Map.of("rack", "a"));
        assertThat(peer.router()).isEqualTo(new BgpPeer.Router.AtAddress(Ip.parse("2001:db8::1")));
        assertThat(peer.port()).isEqualTo(1790);
        assertThat(peer.peerAsn()).isEqualTo(4_294_967_295L);
        assertThat(peer.myAsn()).isEqualTo(64512);
        assertThat(peer.password()).contains("md5");
        assertThat(peer.timers()).isEqualTo(new BgpPeer.Timers(9, 3, 2));
        assertThat(peer.multihop()).contains(4);
        assertThat(peer.families()).containsExactly(IpFamily.IPV6);
        assertThat(peer.gracefulRestart()).isZero();
        assertThat(peer.source()).contains(Ip.parse("2001:db8::2"));
        assertThat(peer.nodes().matches(Map.of("bgp", "off"))).isFalse();
        assertThat(peer.nodes().matches(Map.of())).isTrue();
    }

    @Test
    void whatIsAbsent_hasItsDefault() throws IOException {
        BgpPeer peer = PeerReader.read(JSON.readTree("""
                {"metadata": {"name": "router"}, "spec": {"peerAddress": "192.0.2.254", "peerASN": 1, "myASN": 2}}
                """)).peer().orElseThrow();
        assertThat(peer.port()).isEqualTo(179);
        assertThat(peer.timers()).isEqualTo(new BgpPeer.Timers(90, 30, 5));
        assertThat(peer.families()).containsExactly(IpFamily.IPV4, IpFamily.IPV6);
        assertThat(peer.gracefulRestart()).isEqualTo(30);
        assertThat(peer.password()).isEmpty();
        assertThat(peer.nodes().matches(Map.of())).isTrue();
    }

    @Test
    void durations_areWrittenInAnyUnits() throws IOException {
        ReadPeer read = PeerReader.read(with("holdTime", "\"1h1m30s\""));
        assertThat(read.peer().orElseThrow().timers()).isEqualTo(new BgpPeer.Timers(3690, 3, 2));
    }

    private static ReadPeer unnumbered(String more) throws IOException {
        return PeerReader.read(JSON.readTree("""
                {"metadata": {"name": "spine"}, "spec": {"peerASN": 1, "myASN": 2, %s}}
                """.formatted(more)));
    }

    @Test
    void peerOnAnInterface_hasIpv6NextHopsOfBothFamilies() throws IOException {
        BgpPeer peer = unnumbered("\"peerInterface\": \"eth1\", \"ipv4NextHop\": \"IPv4\"")
                .peer()
                .orElseThrow();
        assertThat(peer.router()).isEqualTo(new BgpPeer.Router.OnInterface("eth1"));
        assertThat(peer.hasIpv6NextHops()).isTrue();
        assertThat(peer.families()).containsExactly(IpFamily.IPV4, IpFamily.IPV6);
    }

    @Test
    void peerOnAnInterface_takesNoSourceAddress_noMultihop_andNoNameThatIsNone() throws IOException {
        assertThat(unnumbered("\"peerInterface\": \"eth1\", \"sourceAddress\": \"192.0.2.1\"")
                        .fault())
                .isEqualTo("sourceAddress and ebgpMultihop cannot be used with peerInterface");
        assertThat(unnumbered("\"peerInterface\": \"eth1\", \"ebgpMultihop\": 2")
                        .fault())
                .isEqualTo("sourceAddress and ebgpMultihop cannot be used with peerInterface");
        assertThat(unnumbered("\"peerInterface\": \"eth%1\"").fault())
                .isEqualTo("peerInterface is \"eth%1\"; it must be the name of an interface");
    }

    record Row(String field, String value, String fault) {}

    static Stream<Row> faults() {
        return Stream.of(
                new Row("peerAddress", "null", "peerAddress is missing, and so is peerInterface"),
                new Row("peerAddress", "\"router\"", "peerAddress is \"router\"; it must be an IP address"),
                new Row(
                        "peerAddress",
                        "\"fe80::1\"",
                        "peerAddress fe80::1 is a link-local address; write the interface as peerInterface instead"),
                new Row("peerAddress", "\"::\"", "peerAddress :: is not the address of one router"),
                new Row("peerAddress", "\"ff02::2\"", "peerAddress ff02::2 is not the address of one router"),
                new Row(
                        "peerInterface",
                        "\"eth1\"",
                        "it has both peerAddress 2001:db8::1 and peerInterface eth1; leave one out"),
                new Row("peerASN", "0", "peerASN is 0; it must be a number from 1 to 4294967295"),
                new Row("peerASN", "4294967296", "peerASN is 4294967296; it must be a number from 1 to 4294967295"),
                new Row("myASN", "null", "myASN is missing; it must be a number from 1 to 4294967295"),
                new Row("myASN", "\"x\"", "myASN is \"x\"; it must be a number from 1 to 4294967295"),
                new Row("peerPort", "0", "peerPort is 0; it must be a number from 1 to 65535"),
                new Row(
                        "holdTime",
                        "\"2s\"",
                        "holdTime is \"2s\"; it must be a duration of whole seconds from 3s to 65535s"),
                new Row(
                        "holdTime",
                        "\"18h12m16s\"",
                        "holdTime is \"18h12m16s\"; it must be a duration of whole seconds from 3s to 65535s"),
                new Row("holdTime", "90", "holdTime is 90; it must be a duration of whole seconds from 3s to 65535s"),
                new Row(
                        "keepaliveTime",
                        "\"1500ms\"",
                        "keepaliveTime is \"1500ms\"; it must be a duration of whole seconds from 1s to 21845s"),
                new Row(
                        "connectRetryTime",
                        "\"soon\"",
                        "connectRetryTime is \"soon\"; it must be a duration of whole seconds from 2s to 3600s"),
                new Row(
                        "gracefulRestartTime",
                        "\"-1s\"",
                        "gracefulRestartTime is \"-1s\"; it must be a duration of whole seconds from 0s to 4095s"),
                new Row("families", "[]", "families is empty; leave it out, or name IPv4 or IPv6"),
                new Row("families", "[\"ipv4\"]", "families has \"ipv4\"; it must be IPv4 or IPv6"),
                new Row(
                        "sourceAddress",
                        "\"192.0.2.1\"",
                        "sourceAddress 192.0.2.1 and peerAddress 2001:db8::1 must be of the same IP family"),
                new Row(
                        "nodeSelector",
                        "{\"matchExpressions\": [{\"key\": \"a\", \"operator\": \"Is\"}]}",
                        "nodeSelector has operator \"Is\"; it must be In, NotIn, Exists or DoesNotExist"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void whatCannotBeRead_isNamed_withItsValue_andWhatItMustBe(Row row) throws IOException {
        ReadPeer read = PeerReader.read(with(row.field(), row.value()));
        assertThat(read.peer()).isEmpty();
        assertThat(read.name()).isEqualTo("router");
        assertThat(read.fault()).isEqualTo(row.fault());
    }

    @Test
    void anyContent_isRead_orSaidToBeNone() throws IOException {
        JsonNode object = JSON.readTree(WHOLE);
        for (int seed = 0; seed < 500; seed++) {
            ReadPeer read = PeerReader.read(new Mutation(new Random(seed), false).of(object, "spec"));
            assertThat(List.of(read.peer().isPresent(), !read.fault().isEmpty()))
                    .as("seed %d", seed)
                    .containsExactlyInAnyOrder(true, false);
        }
    }
}
