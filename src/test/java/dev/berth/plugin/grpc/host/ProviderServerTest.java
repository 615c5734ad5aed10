package dev.berth.plugin.grpc.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.dataplane.pool.PoolProvider;
import dev.berth.plugin.grpc.GrpcProvider;
import dev.berth.plugin.grpc.GrpcSettings;
import dev.berth.plugin.grpc.transport.Endpoint;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import dev.berth.testing.GrpcHosts;
import dev.berth.testing.QuietProvider;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the host of a provider does beside passing calls on. */
class ProviderServerTest {
    private final GrpcHosts hosts = new GrpcHosts();
    private final Path socket = hosts.socket();

    @AfterEach
    void stop() {
        hosts.close();
    }

    private static LoadBalancerRequest request(String cluster, String name, long token) {
        return LoadBalancerRequest.builder(cluster, new ServiceIdentity("prod", name, "uid-" + name), IpMode.VIP)
                .addresses(List.of("192.0.2.1"))
                .fencingToken(token)
                .build();
    }

    @Test
    void aDeposedLeader_changesNothingInItsCluster_whateverTheProviderWouldDo() {
        hosts.serve(new PoolProvider(), socket);
        GrpcProvider provider = hosts.connected(new Endpoint.Unix(socket));
        provider.ensureLoadBalancer(request("one", "web", 5));

        assertThatThrownBy(() -> provider.ensureLoadBalancer(request("one", "other", 4)))
                .isInstanceOf(ProviderException.class)
                .hasMessage("fencing token 4 is from a deposed leader of cluster \"one\": 5 was seen");
        assertThatThrownBy(() -> provider.updateLoadBalancer(request("one", "other", 4)))
                .isInstanceOf(ProviderException.class);
        assertThatThrownBy(() -> provider.ensureLoadBalancerDeleted(request("one", "other", 4)))
                .isInstanceOf(ProviderException.class);
        assertThat(provider.getLoadBalancer(request("one", "other", 4))).isPresent();
        assertThat(provider.ensureLoadBalancer(request("two", "web", 1))).isInstanceOf(EnsureOutcome.Ready.class);
    }

    /** Is at work until it is interrupted, and then until it is let. */
    private record Slow(CountDownLatch interrupted, CountDownLatch let) implements QuietProvider {
        @Override
        public Capabilities capabilities() {
            return Capabilities.fromPools(IpMode.VIP);
        }

        @Override
        public String getLoadBalancerName(ServiceIdentity service) {
            throw new IllegalStateException("a bug");
        }

        @Override
        public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException givenUp) {
                interrupted.countDown();
            }
            try {
                let.await();
            } catch (InterruptedException stopping) {
                Thread.currentThread().interrupt();
            }
            return EnsureOutcome.implementedElsewhere();
        }
    }

    @Test
    void aCallThatWasGivenUp_isInterrupted_andKeepsItsServicesTurnUntilItReturns() throws InterruptedException {
        Slow slow = new Slow(new CountDownLatch(1), new CountDownLatch(1));
        hosts.serve(slow, socket);
        GrpcProvider provider = hosts.connected(
                new GrpcSettings(new Endpoint.Unix(socket), null, null).withDeadline(Duration.ofMillis(300)));

        assertThatThrownBy(() -> provider.ensureLoadBalancer(request("c", "web", 1)))
                .hasMessageContaining("did not answer within 300 ms");
        slow.interrupted().await();
        assertThatThrownBy(() -> provider.ensureLoadBalancerDeleted(request("c", "web", 1)))
                .hasMessage("an earlier call for Service prod/web has not returned yet");
        provider.ensureLoadBalancerDeleted(request("c", "other", 1));
        slow.let().countDown();
    }

    @Test
    void aBugOfTheProvider_isSaidToBeOne() {
        hosts.serve(new Slow(new CountDownLatch(1), new CountDownLatch(1)), socket);
        GrpcProvider provider = hosts.connected(new Endpoint.Unix(socket));

        assertThatThrownBy(() -> provider.getLoadBalancerName(new ServiceIdentity("prod", "web", "u")))
                .isInstanceOf(ProviderException.class)
                .hasMessageContaining("failed: java.lang.IllegalStateException: a bug");
        assertThatThrownBy(() -> provider.listLoadBalancers("c")).hasMessageContaining("does not list what it has");
    }

    /** Fails like that. */
    private record Failing(ProviderException failure) implements QuietProvider {
        @Override
        public Capabilities capabilities() {
            return Capabilities.fromPools(IpMode.VIP);
        }

        @Override
        public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            throw failure;
        }
    }

    static List<ProviderException> failures() {
        return List.of(
                new ProviderException("the rack is on fire"),
                new ProviderException("the rack is warm").withRetryAfter(Duration.ofSeconds(20)),
                ProviderException.permanent("use fewer ports"),
                ProviderException.permanent("in maintenance").withRetryAfter(Duration.ofSeconds(40)),
                ProviderException.quotaExceeded("5 of 5 load balancers are in use"),
                ProviderException.quotaExceeded("too many calls").withRetryAfter(Duration.ofSeconds(3)));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aFailure_keepsItsKind_itsWords_andItsDelay_andIsNoTroubleOfThePlugin(ProviderException failure) {
        hosts.serve(new Failing(failure), socket);
        GrpcProvider provider = hosts.connected(new Endpoint.Unix(socket));

        for (int i = 0; i < 20; i++) {
            LoadBalancerRequest request = request("c", "web-" + i, 1);
            assertThatThrownBy(() -> provider.ensureLoadBalancer(request))
                    .isInstanceOfSatisfying(ProviderException.class, told -> {
                        assertThat(told.kind()).isEqualTo(failure.kind());
                        assertThat(told).hasMessage(failure.getMessage());
                        assertThat(told.retryAfter()).isEqualTo(failure.retryAfter());
                    });
        }
        assertThat(provider.isAvailable()).isTrue();
    }

    @Test
    void whatAFormerOneLeftOfItsSocket_isRemoved_butNotASocketThatIsServed() throws IOException {
        try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            killed.bind(UnixDomainSocketAddress.of(socket));
        }
        assertThat(socket).exists();

        hosts.serve(new PoolProvider(), socket);

        assertThat(hosts.connected(new Endpoint.Unix(socket)).capabilities())
                .isEqualTo(new PoolProvider().capabilities());
        assertThatThrownBy(() -> ProviderServer.start("pool", new PoolProvider(), new Endpoint.Unix(socket), null))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is served by another process");
    }

    @Test
    void aSocket_isForItsOwnerAlone_whateverTheUmask_andGoneAtTheEnd() throws IOException {
        ProviderServer server = hosts.serve(new PoolProvider(), socket);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                .isEqualTo("rw-------");
        assertThat(socket.getParent()).isDirectoryNotContaining(other -> !other.equals(socket));

        server.close();

        assertThat(socket.getParent()).isEmptyDirectory();
    }

    /** Has 1,201 load balancers, and one less each time that it has been asked. */
    private record Shrinking(AtomicInteger asked) implements QuietProvider {
        static final int LISTED = 1_201;

        @Override
        public Capabilities capabilities() {
            return Capabilities.fromPools(IpMode.VIP).withFeatures(Capabilities.Feature.LISTING);
        }

        @Override
        public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            return EnsureOutcome.implementedElsewhere();
        }

        @Override
        public List<ListedLoadBalancer> listLoadBalancers(String clusterName) {
            List<ListedLoadBalancer> there = new ArrayList<>(IntStream.range(asked.getAndIncrement(), LISTED)
                    .mapToObj(i -> new ServiceIdentity("prod", "web-" + i, String.valueOf(10_000 + i)))
                    .map(service -> new ListedLoadBalancer(getLoadBalancerName(service), service))
                    .toList());
            Collections.shuffle(there, new Random(asked.get()));
            return there;
        }
    }

    @Test
    void aListOfManyPages_hasEachThatIsThereAllTheTime_once_inWhateverOrderTheProviderListsThem() {
        Shrinking provider = new Shrinking(new AtomicInteger());
        hosts.serve(provider, socket);

        List<String> listed = hosts.connected(new Endpoint.Unix(socket)).listLoadBalancers("c").stream()
                .map(ListedLoadBalancer::name)
                .toList();

        assertThat(provider.asked()).hasValue(3);
        assertThat(listed)
                .doesNotHaveDuplicates()
                .containsAll(IntStream.range(3, Shrinking.LISTED)
                        .mapToObj(i -> String.valueOf(10_000 + i))
                        .toList());
    }

    @Test
    void whatIsInThePlaceOfASocket_andIsNone_isLeftAlone() throws IOException {
        Files.writeString(socket, "precious");

        assertThatThrownBy(() -> ProviderServer.start("pool", new PoolProvider(), new Endpoint.Unix(socket), null))
                .isInstanceOf(IOException.class)
                .hasMessage(socket + " exists, and is not a socket; name another path, or remove it");
        assertThat(socket).hasContent("precious");
    }
}
