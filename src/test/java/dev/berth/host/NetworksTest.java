package dev.berth.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.IpRange;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The networks of a host, by that of its loopback interface, which each host has. */
class NetworksTest {
    private static NetworkInterface loopback() throws IOException {
        return Objects.requireNonNull(NetworkInterface.getByInetAddress(InetAddress.ofLiteral("127.0.0.1")));
    }

    @Test
    void networks_areThoseOfAllAddresses_butNotOfSingleOnes() throws IOException {
        assertThat(Networks.of(loopback()))
                .contains(IpRange.parse("127.0.0.0/8"))
                .doesNotContain(IpRange.parse("::1"));
    }

    @Test
    void ofANetwork_theLastAddressIsBroadcast_andNoOther() throws IOException {
        assertThat(Networks.whereBroadcast("127.255.255.255"))
                .contains(loopback().getName());
        assertThat(Networks.whereBroadcast("127.0.0.0")).isEmpty();
        assertThat(Networks.whereBroadcast("127.0.0.255")).isEmpty();
    }
}
