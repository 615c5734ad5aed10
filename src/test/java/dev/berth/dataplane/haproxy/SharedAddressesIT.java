package dev.berth.dataplane.haproxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.lab.LabOnly;
import dev.berth.lab.LoopbackStaysClean;
import dev.berth.plugin.grpc.transport.Tls;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Node;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.Protocol;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import dev.berth.testing.TlsFiles;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** One of several hosts, whose others are away, with a real HAProxy. */
@LabOnly
@ExtendWith(LoopbackStaysClean.class)
class SharedAddressesIT {
    private static final String ADDRESS = "198.51.100.1";
    private static final String IPV6 = "2001:db8::1";
    private static final int PORT = 8088;

    @TempDir
    Path directory;

    @TempDir
    Path tls;

    private final HaproxyProcesses processes = new HaproxyProcesses();

    @AfterEach
    void end() {
        processes.close();
    }

    /** On the interface of src/test/lab/bin/java that leads nowhere. */
    private HaproxyProvider provider() {
        Tls.Files files = new TlsFiles(tls).host();
        return processes.provider(
                directory,
                Map.of(
                        "interface",
                        "host",
                        "listen",
                        "127.0.0.1:19444",
                        "peers",
                        "127.0.0.1:19445",
                        "ca",
                        files.authority().toString(),
                        "certificate",
                        files.certificate().toString(),
                        "key",
                        files.key().toString()));
    }

    private static LoadBalancerRequest request(String... addresses) {
        return LoadBalancerRequest.builder("cluster", new ServiceIdentity("shop", "web", "uid"), IpMode.PROXY)
                .fencingToken(1)
                .addresses(List.of(addresses))
                .ports(List.of(new Port("", Protocol.TCP, PORT, 30080)))
                .nodes(List.of(Node.named("n1").withAddresses(List.of("127.0.0.1"))))
                .build();
    }

    private static String onHost() {
        return Command.run(List.of("ip", "addr", "show", "dev", "host")).output();
    }

    @Test
    void anAddress_isBoundWhenNobodyElseCanHaveIt_andOnlyForAsLongAsItIsLookedAfter() throws IOException {
        HaproxyProvider provider = provider();

        // Others could have them: it waits until it would have heard of that (ElectionTest), if that has not passed
        // already.
        if (provider.ensureLoadBalancer(request(ADDRESS, IPV6)) instanceof EnsureOutcome.Pending pending) {
            assertThat(pending.message())
                    .isEqualTo("no host has " + ADDRESS + ", " + IPV6 + " yet; see the logs of the hosts");
        }
        awaitReady(provider, request(ADDRESS, IPV6));
        // Once it may find none: a machine that stands still for 2 s loses them, which is what a lease is for.
        Awaitility.await()
                .untilAsserted(() -> assertThat(onHost())
                        .containsPattern(ADDRESS + "/32 .*\\R.*valid_lft [12]sec")
                        .containsPattern(IPV6 + "/128 .*\\R.*valid_lft [12]sec"));
        for (String address : List.of(ADDRESS, IPV6)) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(address, PORT), 1_000);
            }
        }
        assertThat(provider.getLoadBalancer(request(ADDRESS, IPV6))).isPresent();

        Command.run(List.of("ip", "addr", "del", ADDRESS + "/32", "dev", "host"));
        Awaitility.await().until(() -> onHost().contains(ADDRESS));

        provider.ensureLoadBalancer(request(IPV6));
        assertThat(onHost()).doesNotContain(ADDRESS).contains(IPV6);

        provider.close();
        Awaitility.await().until(() -> !onHost().contains(IPV6));
    }

    @Test
    void anAddressOfTheHostItself_isRefused_andAPortThatIsTaken() throws IOException {
        HaproxyProvider provider = provider();
        assertThatThrownBy(() -> provider.ensureLoadBalancer(request("127.0.0.1")))
                .hasMessage("address 127.0.0.1 is the host's own, on interface lo; remove it from the pool or from the"
                        + " host");
        try (ServerSocket taken = new ServerSocket(PORT)) {
            assertThat(taken.isBound()).isTrue();
            assertThatThrownBy(() -> provider.ensureLoadBalancer(request(ADDRESS)))
                    .isInstanceOf(ProviderException.class)
                    .hasMessageContaining(ADDRESS + ":" + PORT);
            assertThat(provider.getLoadBalancer(request(ADDRESS))).isEmpty();
        }

        awaitReady(provider, request(ADDRESS));
    }

    private static void awaitReady(HaproxyProvider provider, LoadBalancerRequest request) {
        Awaitility.await().until(() -> provider.ensureLoadBalancer(request) instanceof EnsureOutcome.Ready);
    }
}
