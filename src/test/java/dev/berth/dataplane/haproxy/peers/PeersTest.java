package dev.berth.dataplane.haproxy.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.plugin.grpc.transport.Tls;
import dev.berth.testing.TlsFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What hosts tell each other, over mutual TLS. */
class PeersTest {
    @TempDir
    private Path folder;

    @TempDir
    private Path strangers;

    private TlsFiles files;
    private final List<Peers> started = new ArrayList<>();

    @BeforeEach
    void write() {
        files = new TlsFiles(folder);
    }

    @AfterEach
    void stop() {
        started.forEach(Peers::close);
    }

    private static PeerFiles files(Tls.Files those) {
        return new PeerFiles(those.authority(), those.certificate(), those.key());
    }

    private Peers start(PeerFiles with, Beat own, List<Beat> heard, int... others) throws IOException {
        Peers peers = new Peers(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Arrays.stream(others)
                        .mapToObj(port -> InetSocketAddress.createUnresolved("127.0.0.1", port))
                        .toList(),
                with,
                () -> own,
                (beat, place) -> heard.add(beat));
        started.add(peers);
        return peers;
    }

    private static Beat beat(String host) {
        return new Beat(host, "first", 1, true, Set.of("192.0.2.1", "2001:db8::1"), Set.of("192.0.2.1"));
    }

    private static void awaitHeard(List<Beat> heard, Beat beat) {
        Awaitility.await().until(() -> heard.contains(beat));
    }

    @Test
    void twoHosts_hearEachOther_thoughOnlyOneCanCall() throws IOException {
        List<Beat> byOne = new CopyOnWriteArrayList<>();
        List<Beat> byOther = new CopyOnWriteArrayList<>();
        Peers one = start(files(files.host()), beat("one"), byOne);
        start(files(files.host()), beat("other"), byOther, one.port());

        awaitHeard(byOne, beat("other"));
        awaitHeard(byOther, beat("one"));
    }

    @Test
    void aHostThatComesLater_isReached() throws IOException {
        List<Beat> heard = new CopyOnWriteArrayList<>();
        Peers gone = start(files(files.host()), beat("one"), new CopyOnWriteArrayList<>());
        int port = gone.port();
        gone.close();
        start(files(files.host()), beat("other"), heard, port);
        started.add(new Peers(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                List.of(),
                files(files.host()),
                () -> beat("again"),
                (beat, place) -> {}));

        awaitHeard(heard, beat("again"));
    }

    @Test
    void strangers_areNotHeard_andNotTold() throws IOException {
        List<Beat> byOne = new CopyOnWriteArrayList<>();
        List<Beat> byStranger = new CopyOnWriteArrayList<>();
        List<Beat> byOther = new CopyOnWriteArrayList<>();
        Peers one = start(files(files.host()), beat("one"), byOne);
        start(files(new TlsFiles(strangers).host()), beat("stranger"), byStranger, one.port());
        start(files(files.host()), beat("other"), byOther, one.port());
        for (String nonsense : List.of("{}\n", "\n", "x".repeat(100_000))) {
            try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), one.port());
                    OutputStream out = plain.getOutputStream()) {
                out.write(nonsense.getBytes(StandardCharsets.UTF_8));
            }
        }

        awaitHeard(byOther, beat("one"));
        awaitHeard(byOne, beat("other"));
        assertThat(byStranger).isEmpty();
        assertThat(byOne).extracting(Beat::host).containsOnly("other");
    }

    @Test
    void filesThatCannotBeUsed_areNamed() {
        PeerFiles good = files(files.host());
        PeerFiles swapped = new PeerFiles(good.authority(), good.key(), good.certificate());
        Stream.of(swapped, new PeerFiles(folder.resolve("none.pem"), good.certificate(), good.key()))
                .forEach(bad -> assertThatThrownBy(() -> start(bad, beat("one"), List.of()))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining(folder.toString()));
    }
}
