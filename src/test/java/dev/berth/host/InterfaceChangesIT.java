package dev.berth.host;

import static dev.berth.host.MarkedAddressesIT.ip;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.lab.LabOnly;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a real kernel tells of interfaces. */
@LabOnly
class InterfaceChangesIT {
    private final List<String> heard = new CopyOnWriteArrayList<>();

    private final InterfaceChanges.Listener listener = new InterfaceChanges.Listener() {
        @Override
        public void changed() {
            heard.add("changed");
        }

        @Override
        public void gone(InetAddress address, int index) {
            heard.add("gone " + address.getHostAddress().replaceAll("%.*", "") + " " + index);
        }

        @Override
        public void missed() {
            heard.add("missed");
        }
    };

    /** Java knows no interface that has no address. */
    @BeforeEach
    void connect() throws Exception {
        ip("link", "add", "heard", "type", "veth", "peer", "name", "peer");
        ip("address", "add", "198.51.100.1/24", "dev", "heard");
    }

    @AfterEach
    void disconnect() throws Exception {
        if (ip("-o", "link", "show").contains(" heard@")) {
            ip("link", "del", "heard");
        }
    }

    @Test
    void interfaceThatIsUp_andDown_andGoes_isHeardOf_andSoAreAddressesThatItLoses() throws Exception {
        int index = NetworkInterface.getByName("heard").getIndex();
        try (InterfaceChanges _ = new InterfaceChanges(listener)) {
            ip("link", "set", "heard", "up");
            await().until(() -> heard.contains("changed"));
            for (String text : List.of("192.0.2.10", "2001:db8::10")) {
                assertThat(MarkedAddresses.add(InetAddress.ofLiteral(text), index))
                        .isTrue();
            }

            // The kernel takes addresses of IPv6 off an interface that goes down.
            ip("link", "set", "heard", "down");
            await().until(() -> heard.contains("gone 2001:db8:0:0:0:0:0:10 " + index));
            ip("link", "del", "heard");
            await().until(() -> heard.contains("gone 192.0.2.10 " + index));
        }
    }

    @Test
    void addressOfSomebodyElse_isNoConcern() throws Exception {
        try (InterfaceChanges _ = new InterfaceChanges(listener)) {
            ip("address", "add", "192.0.2.11/32", "dev", "heard");
            ip("address", "del", "192.0.2.11/32", "dev", "heard");
            ip("address", "del", "198.51.100.1/24", "dev", "heard");
            await().until(() -> !heard.isEmpty());
            assertThat(heard).containsExactly("changed");
        }
    }

    @Test
    void addressThatIsPutOnAnInterface_isNoChange() throws Exception {
        int index = NetworkInterface.getByName("heard").getIndex();
        try (InterfaceChanges _ = new InterfaceChanges(listener)) {
            InetAddress address = InetAddress.ofLiteral("192.0.2.10");
            assertThat(MarkedAddresses.add(address, index)).isTrue();
            MarkedAddresses.remove(address, index);
            await().until(() -> heard.contains("gone 192.0.2.10 " + index));
            assertThat(heard).containsExactly("gone 192.0.2.10 " + index);
        }
    }
}
