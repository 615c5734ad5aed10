package dev.berth.plugin.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.dataplane.pool.PoolProvider;
import dev.berth.plugin.grpc.host.ProviderServer;
import dev.berth.plugin.grpc.transport.Endpoint;
import dev.berth.plugin.grpc.transport.Tls;
import dev.berth.plugin.grpc.v1.ConnectRequest;
import dev.berth.plugin.grpc.v1.LoadBalancerProviderGrpc;
import dev.berth.testing.GrpcHosts;
import dev.berth.testing.TlsFiles;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may call whom over a network. */
class MutualTlsTest {
    private static final String NOT_VOUCHED_FOR = "its certificate is not signed by ca: ";
    private static final Endpoint ANY_PORT = new Endpoint.Network("127.0.0.1", 0);

    @TempDir
    private Path folder;

    @TempDir
    private Path otherFolder;

    private final GrpcHosts hosts = new GrpcHosts();
    private TlsFiles files;
    private Tls tls;
    private ProviderServer server;

    @BeforeEach
    void serve() throws IOException {
        files = new TlsFiles(folder);
        tls = Tls.ofServer(files.server(), TlsFiles.PERIOD);
        server = ProviderServer.start("pool", new PoolProvider(), ANY_PORT, tls);
    }

    @AfterEach
    void stop() {
        hosts.close();
        server.close();
        tls.close();
    }

    private GrpcProvider client(Tls.Files own, String serverName) {
        Endpoint target = new Endpoint.Network("127.0.0.1", server.port());
        return hosts.client(
                new GrpcSettings(target, own, serverName).withDeadline(Duration.ofSeconds(5)), Clock.systemUTC());
    }

    private static void assertNoWay(GrpcProvider client, String why) {
        Awaitility.await()
                .untilAsserted(() -> assertThatThrownBy(client::capabilities)
                        .hasMessageStartingWith("plug-in \"test\" cannot be reached: " + why));
    }

    @Test
    void bothOfOneAuthority_talk() throws InterruptedException {
        assertThat(client(files.client(), "127.0.0.1").awaitConnected(Duration.ofSeconds(30)))
                .isTrue();
    }

    @Test
    void aStranger_isNotTalkedTo_byEitherSide() {
        assertNoWay(client(new TlsFiles(otherFolder).client(), "127.0.0.1"), NOT_VOUCHED_FOR);
    }

    @Test
    void aClientWithTheCertificateOfAnotherAuthority_isNotServed() {
        Tls.Files strange = new TlsFiles(otherFolder).client();
        Tls.Files mixed = new Tls.Files(files.client().authority(), strange.certificate(), strange.key());
        assertNoWay(client(mixed, "127.0.0.1"), "it rejects the certificate of Berth, or its authority: ");
    }

    @Test
    void aServerOfAnotherName_isNotTrusted() {
        assertNoWay(
                client(files.client(), "lb.example.com"),
                "its certificate has another name, see server-name: No name matching lb.example.com found");
        assertNoWay(
                client(files.client(), "192.0.2.1"),
                "its certificate has another name, see server-name: No subject alternative names matching IP");
    }

    @Test
    void aClientWithoutTls_isNotServed() {
        ManagedChannel plain = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                .usePlaintext()
                .build();
        try {
            assertThatThrownBy(() -> LoadBalancerProviderGrpc.newBlockingStub(plain)
                            .connect(ConnectRequest.getDefaultInstance()))
                    .hasMessageContaining("UNAVAILABLE");
        } finally {
            plain.shutdownNow();
        }
    }

    @Test
    void aNetworkWithoutTls_isNoWayAtAll() {
        assertThatThrownBy(() -> ProviderServer.start("pool", new PoolProvider(), ANY_PORT, null))
                .hasMessageContaining("needs mutual TLS");
    }

    @Test
    void aUnixSocketWithTls_isRefused_forItWouldGoWithout() {
        assertThatThrownBy(
                        () -> ProviderServer.start("pool", new PoolProvider(), new Endpoint.Unix(hosts.socket()), tls))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no TLS");
    }

    @Test
    void filesThatDoNotFit_areRefused_withTheirReason() throws IOException {
        Path empty = Files.createFile(otherFolder.resolve("empty.pem"));
        Tls.Files good = files.client();
        assertRefused(new Tls.Files(empty, good.certificate(), good.key()), "there is no certificate in " + empty);
        assertRefused(new Tls.Files(good.authority(), empty, good.key()), "there is no certificate in " + empty);
        assertRefused(
                new Tls.Files(
                        good.authority(), good.certificate(), files.server().key()),
                "the certificate does not match the key");
    }

    private static void assertRefused(Tls.Files unusable, String why) {
        assertThatThrownBy(() -> Tls.ofClient(unusable, TlsFiles.PERIOD))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot be used: ")
                .hasMessageContaining(why);
    }

    @Test
    void renewedCertificates_areTakenUp_whileItRuns() {
        Tls.Files before = copy(files.client());
        files.renew(Set.of("127.0.0.1", "localhost"));

        Awaitility.await()
                .ignoreExceptions()
                .until(() -> client(files.client(), "localhost").awaitConnected(Duration.ofSeconds(1)));
        assertNoWay(client(before, "127.0.0.1"), NOT_VOUCHED_FOR);
    }

    private Tls.Files copy(Tls.Files of) {
        return new Tls.Files(copy(of.authority()), copy(of.certificate()), copy(of.key()));
    }

    private Path copy(Path file) {
        try {
            return Files.copy(file, otherFolder.resolve(file.getFileName()));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
