package dev.berth.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.lab.LabOnly;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a host hears on a cable between two interfaces. */
@LabOnly
class ClaimantsIT {
    private static final byte[] HARDWARE = HexFormat.of().parseHex("0200000000aa");
    private static final int HOP_LIMIT = 14 + 7;

    private final List<String> heard = new CopyOnWriteArrayList<>();
    private Claimants claimants;
    private int here;
    private int there;

    @BeforeEach
    void connect() throws Exception {
        MarkedAddressesIT.ip("link", "add", "here", "type", "veth", "peer", "name", "there");
        MarkedAddressesIT.ip("link", "set", "here", "up");
        MarkedAddressesIT.ip("link", "set", "there", "up");
        here = index("here");
        there = index("there");
        claimants = new Claimants((address, hardware, index) ->
                heard.add(address.getHostAddress() + " " + hardware + (index == here ? " here" : " elsewhere")));
    }

    /** Java shows interfaces that have an address, and the kernel gives them one of IPv6 a moment after they are up. */
    private static int index(String name) {
        return await().until(() -> NetworkInterface.getByName(name), Objects::nonNull)
                .getIndex();
    }

    @AfterEach
    void disconnect() throws Exception {
        claimants.close();
        MarkedAddressesIT.ip("link", "del", "here");
    }

    private static byte[] address(String text) {
        return InetAddress.ofLiteral(text).getAddress();
    }

    @Test
    void claims_areHeardInBothFamilies_withTheInterface_butNotThoseThatARouterPassedOn() throws Exception {
        byte[] routed = Neighbours.neighbourAdvertisement(HARDWARE, address("2001:db8::1"));
        routed[HOP_LIMIT] = (byte) 254;
        Neighbours.send(
                there,
                List.of(
                        routed,
                        Neighbours.neighbourAdvertisement(HARDWARE, address("2001:db8::2")),
                        Neighbours.neighbourSolicitation(HARDWARE, address("2001:db8::3")),
                        Neighbours.arpProbe(HARDWARE, address("192.0.2.1")),
                        Neighbours.gratuitousArp(HARDWARE, address("192.0.2.2"))));
        await().until(() -> heard.size() >= 2);
        assertThat(heard)
                .containsExactlyInAnyOrder(
                        "2001:db8:0:0:0:0:0:2 02:00:00:00:00:aa here", "192.0.2.2 02:00:00:00:00:aa here");
    }
}
