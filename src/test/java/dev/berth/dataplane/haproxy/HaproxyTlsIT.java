package dev.berth.dataplane.haproxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.lab.LabOnly;
import dev.berth.lab.LoopbackStaysClean;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Node;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.LoadBalancerRequest.Tls;
import dev.berth.provider.Protocol;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import dev.berth.testing.SampleCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** TLS that a real HAProxy terminates. */
@LabOnly
@ExtendWith(LoopbackStaysClean.class)
class HaproxyTlsIT {
    private static final String ADDRESS = "198.51.100.3";
    private static final SampleCertificate FIRST = sample("EC", 256);
    private static final SampleCertificate SECOND = sample("RSA", 2048);

    @TempDir
    Path directory;

    private final HaproxyProcesses processes = new HaproxyProcesses();
    private @Nullable ServerSocket target;

    private static SampleCertificate sample(String algorithm, int bits) {
        return SampleCertificate.of(
                algorithm,
                bits,
                "a.example.com",
                Instant.now().minus(Duration.ofDays(1)),
                Instant.now().plus(Duration.ofDays(1)));
    }

    /** Answers each line with the same one. */
    @BeforeEach
    void listen() throws IOException {
        ServerSocket listening = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"));
        target = listening;
        Thread.ofVirtual().start(() -> {
            while (!listening.isClosed()) {
                try {
                    Socket client = listening.accept();
                    Thread.ofVirtual().start(() -> echo(client));
                } catch (IOException closed) {
                    return;
                }
            }
        });
    }

    private static void echo(Socket client) {
        try (client) {
            client.getInputStream().transferTo(client.getOutputStream());
        } catch (IOException gone) {
            // The client has what it wanted.
        }
    }

    @AfterEach
    void end() throws IOException {
        processes.close();
        if (target != null) {
            target.close();
        }
        Command.run(List.of("ip", "addr", "del", ADDRESS + "/32", "dev", "lo"));
    }

    private LoadBalancerRequest request(@Nullable Tls tls) {
        int nodePort = target == null ? 0 : target.getLocalPort();
        return LoadBalancerRequest.builder("cluster", new ServiceIdentity("shop", "web", "tls"), IpMode.PROXY)
                .fencingToken(1)
                .addresses(List.of(ADDRESS))
                .ports(List.of(
                        new Port("web", Protocol.TCP, 80, nodePort), new Port("tls", Protocol.TCP, 443, nodePort)))
                .nodes(List.of(Node.named("n1").withAddresses(List.of("127.0.0.1"))))
                .tls(tls)
                .build();
    }

    private LoadBalancerRequest request(SampleCertificate sample) {
        return request(new Tls(List.of(443), sample.pem(), sample.key()));
    }

    private static void assertShows(SampleCertificate sample) throws IOException {
        try (SSLSocket socket = SampleCertificate.connect(ADDRESS, 443)) {
            assertThat(socket.getSession().getPeerCertificates()).containsExactly(sample.certificate());
            assertEchoes(socket);
        }
    }

    private static void assertEchoes(Socket socket) throws IOException {
        byte[] said = {1, 2, 3};
        socket.getOutputStream().write(said);
        socket.getOutputStream().flush();
        assertThat(socket.getInputStream().readNBytes(3)).isEqualTo(said);
    }

    /** Which changes with each reload. */
    private String worker() {
        return processes
                .runtime(directory, "show info")
                .lines()
                .filter(line -> line.startsWith("Pid:"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void tlsIsTerminated_onItsPortsAlone() throws Exception {
        processes.provider(directory, Map.of()).ensureLoadBalancer(request(FIRST));

        assertShows(FIRST);
        try (Socket plain = new Socket(ADDRESS, 80)) {
            assertEchoes(plain);
        }
    }

    @Test
    void anotherCertificate_isShownWithoutAReload_andOpenConnectionsGoOn() throws Exception {
        HaproxyProvider provider = processes.provider(directory, Map.of());
        provider.ensureLoadBalancer(request(FIRST));
        String worker = worker();
        try (SSLSocket open = SampleCertificate.connect(ADDRESS, 443)) {
            assertEchoes(open);

            provider.ensureLoadBalancer(request(SECOND));

            assertShows(SECOND);
            assertEchoes(open);
            assertThat(worker()).isEqualTo(worker);
        }

        provider.close();
        processes.signal(directory, "KILL");
        processes.provider(directory, Map.of());
        assertShows(SECOND);
    }

    /** Ten certificates of a hundred names are longer than a command of the runtime API may be. */
    @Test
    void aLongChain_isShownAfterAReload() throws Exception {
        HaproxyProvider provider = processes.provider(directory, Map.of());
        provider.ensureLoadBalancer(request(FIRST));
        String worker = worker();
        SampleCertificate large = FIRST.withNames(IntStream.range(0, 100)
                .mapToObj("web-%d.apps.example.com"::formatted)
                .toList());

        provider.ensureLoadBalancer(request(new Tls(List.of(443), large.pem().repeat(10), large.key())));

        assertThat(worker()).isNotEqualTo(worker);
        try (SSLSocket socket = SampleCertificate.connect(ADDRESS, 443)) {
            assertThat(socket.getSession().getPeerCertificates()[0]).isEqualTo(large.certificate());
        }
    }

    @Test
    void aKeyOfAnother_isRefused_andTheFormerPairUsedOn() throws Exception {
        HaproxyProvider provider = processes.provider(directory, Map.of());
        provider.ensureLoadBalancer(request(FIRST));
        LoadBalancerRequest mixed = request(new Tls(List.of(443), FIRST.pem(), SECOND.key()));

        assertThatThrownBy(() -> provider.ensureLoadBalancer(mixed))
                .isInstanceOf(ProviderException.class)
                .hasMessageContaining("HAProxy rejected the configuration")
                .message()
                .hasLineCount(1);

        assertShows(FIRST);
        processes.signal(directory, "KILL");
        provider.close();
        processes.provider(directory, Map.of());
        assertShows(FIRST);
    }

    @Test
    void aKey_isItsOwnersAloneToRead_andGoesWithItsLoadBalancer() throws Exception {
        HaproxyProvider provider = processes.provider(directory, Map.of());
        provider.ensureLoadBalancer(request(FIRST));
        Path file = directory.resolve("certificates/atls.pem");
        String secret = FIRST.key().lines().skip(1).findFirst().orElseThrow();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
                .isEqualTo("rwx------");
        for (String other : List.of("load-balancers/atls.json", "haproxy.cfg", "haproxy.log")) {
            assertThat(Files.readString(directory.resolve(other))).doesNotContain(secret);
        }

        provider.ensureLoadBalancer(request((Tls) null));
        assertThat(file).doesNotExist();
        provider.ensureLoadBalancer(request(SECOND));
        provider.ensureLoadBalancerDeleted(request((Tls) null));
        assertThat(file.getParent()).isEmptyDirectory();
    }

    /** Rather none than one that is not encrypted. */
    @Test
    void withoutItsFile_aPortIsClosed_untilItIsEnsuredAgain() throws Exception {
        HaproxyProvider provider = processes.provider(directory, Map.of());
        provider.ensureLoadBalancer(request(FIRST));
        provider.close();
        processes.signal(directory, "KILL");
        Files.delete(directory.resolve("certificates/atls.pem"));

        HaproxyProvider next = processes.provider(directory, Map.of());
        try (Socket plain = new Socket(ADDRESS, 80)) {
            assertEchoes(plain);
        }
        assertThatThrownBy(() -> new Socket(ADDRESS, 443).close()).isInstanceOf(IOException.class);
        assertThat(next.getLoadBalancer(request(FIRST))).isEmpty();

        next.ensureLoadBalancer(request(FIRST));
        assertShows(FIRST);
    }
}
