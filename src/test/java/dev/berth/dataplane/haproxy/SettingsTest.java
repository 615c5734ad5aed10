package dev.berth.dataplane.haproxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.dataplane.haproxy.SharedAddresses.Sharing;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The settings for several hosts, and what is wrong with them. */
class SettingsTest {
    private static final Map<String, String> GOOD = Map.of(
            "interface", "eth0",
            "listen", "10.0.0.5:9444",
            "peers", "10.0.0.5:9444, 10.0.0.6:9444,[fd00::7]:9444",
            "ca", "/etc/berth/ca.crt",
            "certificate", "/etc/berth/lb.crt",
            "key", "/etc/berth/lb.key");

    private static void assertRefused(String setting, String value, String message) {
        Map<String, String> settings = new TreeMap<>(GOOD);
        if (value.isEmpty()) {
            settings.remove(setting);
        } else {
            settings.put(setting, value);
        }
        assertThatThrownBy(() -> Settings.of(settings)).hasMessage(message);
    }

    @Test
    void peers_areTheOthers_alsoWhereThisHostIsAmongThem() {
        Sharing sharing = Objects.requireNonNull(Settings.of(GOOD).sharing());

        assertThat(sharing.listen()).isEqualTo(new InetSocketAddress("10.0.0.5", 9444));
        assertThat(sharing.others())
                .containsExactly(
                        InetSocketAddress.createUnresolved("10.0.0.6", 9444),
                        InetSocketAddress.createUnresolved("fd00::7", 9444));
        assertThat(Settings.of(Map.of()).sharing()).isNull();
    }

    @Test
    void thisHost_isFoundAmongThem_howeverItIsNamed() {
        for (Map<String, String> named : List.of(
                Map.of("listen", "[fd00::5]:9444", "peers", "[fd00:0:0::5]:9444,10.0.0.6:9444"),
                Map.of("listen", "127.0.0.1:9444", "peers", "localhost:9444,10.0.0.6:9444"),
                Map.of("listen", "0.0.0.0:9444", "peers", "127.0.0.1:9444,10.0.0.6:9444"))) {
            Map<String, String> settings = new TreeMap<>(GOOD);
            settings.putAll(named);

            assertThat(Objects.requireNonNull(Settings.of(settings).sharing()).others())
                    .as("%s", named)
                    .containsExactly(InetSocketAddress.createUnresolved("10.0.0.6", 9444));
        }
    }

    @Test
    void whatIsWrong_isNamed() {
        assertRefused("peers", "", "setting \"listen\" is for several hosts, which \"peers\" names");
        assertRefused("peers", "10.0.0.5:9444", "setting \"peers\" names no other host");
        assertRefused("peers", "10.0.0.6", "setting \"peers\" has \"10.0.0.6\"; it must be HOST:PORT");
        assertRefused("listen", "x:99999", "setting \"listen\" has \"x:99999\"; it must be HOST:PORT");
        assertRefused("key", "lb.key", "setting \"key\" is \"lb.key\"; it must begin with /");
        assertRefused(
                "ca",
                "",
                "setting \"ca\" is missing: several hosts talk by mutual TLS, for which \"peers\" needs listen, ca, certificate"
                        + " and key");
        assertRefused(
                "interface",
                "lo",
                "setting \"peers\" needs \"interface\", the network card of the clients' network: no neighbour hears that an"
                        + " address on lo has moved to another host");
    }
}
