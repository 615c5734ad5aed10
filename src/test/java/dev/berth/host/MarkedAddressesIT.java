package dev.berth.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.host.MarkedAddresses.Held;
import dev.berth.lab.LabOnly;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses on an interface of a real kernel. */
@LabOnly
class MarkedAddressesIT {
    private static int index;

    @BeforeEach
    void connect() throws Exception {
        ip("link", "add", "marked", "type", "veth", "peer", "name", "peer");
        ip("link", "set", "marked", "up");
        ip("address", "add", "198.51.100.1/24", "dev", "marked");
        index = NetworkInterface.getByName("marked").getIndex();
    }

    @AfterEach
    void disconnect() throws Exception {
        ip("link", "del", "marked");
    }

    static String ip(String... words) throws Exception {
        List<String> command = new java.util.ArrayList<>(List.of("ip"));
        command.addAll(List.of(words));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    private static List<Held> held(InetAddress address) throws IOException {
        return MarkedAddresses.all().stream()
                .filter(held -> held.address().equals(address))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"192.0.2.10", "2001:db8::10"})
    void address_isUsableAtOnce_isKnownByItsMark_andGoes(String text) throws Exception {
        InetAddress address = InetAddress.ofLiteral(text);
        assertThat(MarkedAddresses.add(address, index)).isTrue();
        assertThat(MarkedAddresses.add(address, index)).isTrue();
        assertThat(held(address)).containsExactly(new Held(address, index, true));
        assertThat(ip("-o", "address", "show", "dev", "marked", "to", text))
                .contains("deprecated")
                .doesNotContain("tentative");

        MarkedAddresses.remove(address, index);
        MarkedAddresses.remove(address, index);
        assertThat(held(address)).isEmpty();
    }

    @Test
    void address_isNotTheSourceOfWhatGoesBeyondTheLink_evenIfTheInterfaceHasNoOther() throws Exception {
        ip("address", "del", "198.51.100.1/24", "dev", "marked");
        ip("route", "add", "203.0.113.0/24", "via", "198.51.100.254", "dev", "marked", "onlink");
        InetAddress address = InetAddress.ofLiteral("192.0.2.10");
        assertThat(MarkedAddresses.add(address, index)).isTrue();
        assertThat(ip("route", "get", "203.0.113.1")).doesNotContain("192.0.2.10");
        MarkedAddresses.remove(address, index);
        assertThat(held(address)).isEmpty();
    }

    @Test
    void addressThatSomebodyElseHasPutThere_isNotMarked() throws Exception {
        ip("address", "add", "192.0.2.11/32", "dev", "marked");
        ip("address", "add", "2001:db8::11/64", "dev", "marked", "nodad");
        for (String text : List.of("192.0.2.11", "2001:db8::11")) {
            InetAddress address = InetAddress.ofLiteral(text);
            assertThat(held(address)).containsExactly(new Held(address, index, false));
            assertThat(MarkedAddresses.add(address, index)).isFalse();
            assertThat(held(address)).containsExactly(new Held(address, index, false));
        }
    }

    /** A VLAN or a bond that is configured again has another number. */
    @ParameterizedTest
    @ValueSource(strings = {"192.0.2.10", "2001:db8::10"})
    void addressOfAnInterfaceThatIsGone_isGone(String text) {
        assertThatCode(() -> MarkedAddresses.remove(InetAddress.ofLiteral(text), 9999))
                .doesNotThrowAnyException();
    }

    @Test
    void whatTheKernelRefuses_isSaid() {
        assertThatThrownBy(() -> MarkedAddresses.add(InetAddress.ofLiteral("192.0.2.12"), 9999))
                .isInstanceOf(IOException.class)
                .hasMessage("putting 192.0.2.12 on interface 9999: there is no such interface");
    }
}
