package dev.berth.plugin.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.dataplane.pool.PoolProvider;
import dev.berth.plugin.grpc.transport.Endpoint;
import dev.berth.plugin.grpc.transport.KeepAlive;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import dev.berth.testing.GrpcHosts;
import dev.berth.testing.Relay;
import dev.berth.testing.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A network that carries nothing any more, and tells nobody: no connection is closed. */
@Tag("slow")
class SilentNetworkTest {
    private static final KeepAlive SHORTEST = new KeepAlive(KeepAlive.SHORTEST_TIME, Duration.ofSeconds(1));
    private static final LoadBalancerRequest REQUEST = LoadBalancerRequest.builder(
                    "c", new ServiceIdentity("prod", "web", "u"), IpMode.VIP)
            .addresses(List.of("192.0.2.1"))
            .build();

    @TempDir
    private Path folder;

    private final GrpcHosts hosts = new GrpcHosts();

    @AfterEach
    void stop() {
        hosts.close();
    }

    @Test
    void aNetworkThatFallsSilent_isFound_callsEndByTheirDeadlineMeanwhile_andAllIsWellOnceItCarriesAgain() {
        TlsFiles files = new TlsFiles(folder);
        Relay network = hosts.relay(hosts.serve(new PoolProvider(), files).port());
        GrpcProvider provider = hosts.connected(
                new GrpcSettings(new Endpoint.Network("127.0.0.1", network.port()), files.client(), null)
                        .withDeadline(Duration.ofSeconds(1))
                        .withKeepAlive(SHORTEST));
        assertThat(provider.ensureLoadBalancer(REQUEST)).isInstanceOf(EnsureOutcome.Ready.class);

        network.fallSilent();
        assertThat(failure(provider)).isEqualTo("plug-in \"test\" did not answer within 1000 ms");
        // Nobody has closed it: only who asks for a sign of life can tell.
        Awaitility.await()
                .until(() -> failure(provider), "plug-in \"test\" has not taken the connection within 1000 ms"::equals);

        network.speak();
        Awaitility.await()
                .ignoreExceptionsInstanceOf(ProviderException.class)
                .until(() -> provider.ensureLoadBalancer(REQUEST) instanceof EnsureOutcome.Ready);
    }

    private static String failure(GrpcProvider provider) {
        return String.valueOf(catchThrowableOfType(ProviderException.class, () -> provider.ensureLoadBalancer(REQUEST))
                .getMessage());
    }
}
