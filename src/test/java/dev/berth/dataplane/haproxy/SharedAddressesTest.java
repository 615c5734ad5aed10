package dev.berth.dataplane.haproxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.dataplane.haproxy.SharedAddresses.Sharing;
import dev.berth.dataplane.haproxy.peers.PeerFiles;
import dev.berth.plugin.grpc.transport.Tls;
import dev.berth.provider.ProviderException;
import dev.berth.testing.TlsFiles;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A host without others, whose kernel does not always do as it is told. */
class SharedAddressesTest {
    private static final String STUCK = "192.0.2.1";
    private static final String OTHER = "192.0.2.2";
    private static final String THIRD = "192.0.2.3";

    @TempDir
    private Path tls;

    private final FakeLeases host = new FakeLeases();
    private SharedAddresses addresses;

    /** An interface in memory. */
    private static final class FakeLeases implements Leases {
        /** How often each was bound, of those that are. */
        final Map<String, Integer> bound = new ConcurrentHashMap<>();

        /** That cannot be taken off. */
        final Set<String> stuck = ConcurrentHashMap.newKeySet();

        /** In order. */
        final List<String> told = new CopyOnWriteArrayList<>();

        @Override
        public void requireUsable(String address) {}

        @Override
        public List<String> bound(Collection<String> asked) {
            return asked.stream().filter(bound::containsKey).toList();
        }

        @Override
        public boolean isUp() {
            return true;
        }

        @Override
        public void lease(Collection<String> asked, int seconds) {
            asked.forEach(address -> bound.merge(address, 1, Integer::sum));
        }

        @Override
        public void tell(List<String> addresses) {
            told.addAll(addresses);
        }

        @Override
        public void release(Collection<String> asked) {
            asked.stream().filter(one -> !stuck.contains(one)).forEach(bound::remove);
            if (asked.stream().anyMatch(stuck::contains)) {
                throw new ProviderException("ip -force -batch -: RTNETLINK answers: Operation not permitted");
            }
        }
    }

    @BeforeEach
    void start() {
        Tls.Files files = new TlsFiles(tls).host();
        addresses = new SharedAddresses(
                host,
                new Sharing(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        List.of(),
                        new PeerFiles(files.authority(), files.certificate(), files.key())),
                "one",
                List.of(),
                () -> true);
        List.of(STUCK, OTHER, THIRD).forEach(addresses::add);
        addresses.begin();
        Awaitility.await().until(() -> host.bound.size() == 3);
    }

    @AfterEach
    void stop() {
        addresses.close();
    }

    /** Else the kernel would take them all off when their leases end. */
    @Test
    void anAddressThatCannotBeTakenOff_keepsNoOtherFromBeingBoundAgain() {
        host.stuck.add(STUCK);
        assertThatThrownBy(() -> addresses.remove(STUCK)).hasMessageContaining("not permitted");

        int before = host.bound.getOrDefault(OTHER, 0);
        Awaitility.await().until(() -> host.bound.getOrDefault(OTHER, 0) >= before + 3);
        int stuck = host.bound.getOrDefault(STUCK, 0);
        Awaitility.await().until(() -> host.bound.getOrDefault(OTHER, 0) >= before + 5);
        assertThat(host.bound).containsEntry(STUCK, stuck);
        assertThat(addresses.isBound(OTHER)).isTrue();
    }

    @Test
    void anAddressThatCanBeTakenOffInTheEnd_is_withoutAnotherCall() {
        host.stuck.add(STUCK);
        assertThatThrownBy(() -> addresses.remove(STUCK)).hasMessageContaining("not permitted");
        addresses.remove(THIRD);
        assertThat(host.bound).doesNotContainKey(THIRD);

        host.stuck.clear();

        Awaitility.await().until(() -> !host.bound.containsKey(STUCK));
        assertThat(addresses.isBound(STUCK)).isFalse();
    }

    @Test
    void anAddressThatIsGone_isAnnouncedNoMore_evenIfAnotherOfItsBatchCannotBeTakenOff() {
        host.stuck.addAll(List.of(STUCK, OTHER));
        assertThatThrownBy(() -> addresses.remove(STUCK)).hasMessageContaining("not permitted");
        assertThatThrownBy(() -> addresses.remove(OTHER)).hasMessageContaining("not permitted");

        host.stuck.remove(OTHER);
        Awaitility.await().until(() -> !host.bound.containsKey(OTHER));
        // It waits for the round to end.
        assertThat(addresses.isBound(OTHER)).isFalse();
        host.told.clear();
        host.bound.remove(THIRD);

        Awaitility.await().until(() -> host.told.contains(THIRD));
        assertThat(host.told).doesNotContain(OTHER);
    }
}
