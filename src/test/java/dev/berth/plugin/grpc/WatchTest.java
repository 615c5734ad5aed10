package dev.berth.plugin.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.plugin.grpc.host.ProviderServer;
import dev.berth.plugin.grpc.transport.Endpoint;
import dev.berth.plugin.grpc.v1.WatchChangesResponse;
import dev.berth.plugin.grpc.wire.ChangesMapping;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ServiceIdentity;
import dev.berth.testing.GrpcHosts;
import dev.berth.testing.ReportingProvider;
import dev.berth.testing.ScriptedPlugin;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How a plug-in reports whose load balancers have changed, by real sockets. */
class WatchTest {
    private static final LoadBalancerRequest REQUEST =
            LoadBalancerRequest.builder("c", service(0), IpMode.PROXY).build();

    private final GrpcHosts hosts = new GrpcHosts();
    private final Path socket = hosts.socket();
    private final ScriptedPlugin plugin = new ScriptedPlugin();
    private final Set<ServiceIdentity> heard = ConcurrentHashMap.newKeySet();

    @AfterEach
    void stop() {
        hosts.close();
    }

    private static ServiceIdentity service(int number) {
        return new ServiceIdentity("prod", "web-" + number, "uid-" + number);
    }

    private static Set<ServiceIdentity> services(int count) {
        return IntStream.range(0, count).mapToObj(WatchTest::service).collect(Collectors.toSet());
    }

    private GrpcProvider listening() {
        GrpcProvider client = hosts.connected(new Endpoint.Unix(socket));
        client.onChange(heard::add);
        return client;
    }

    @Test
    void reports_reachWhoListens_eachServiceOnce_alsoWithoutEnd_andItIsOneListenerForTheProvider() {
        ReportingProvider provider = new ReportingProvider();
        hosts.serve(provider, socket);
        listening();
        // Nobody knows when the stream is there; what is reported before is lost.
        Awaitility.await().until(() -> {
            provider.report(service(0));
            return !heard.isEmpty();
        });

        IntStream.range(0, 1_500).mapToObj(WatchTest::service).forEach(provider::report);

        Awaitility.await().until(() -> heard.equals(services(1_500)));
        assertThat(provider.listeners()).isOne();
    }

    @Test
    @SuppressWarnings("NullAway")
    void reportThatNamesNoService_isLeftOut_andThrowsNothingAtTheProvider() {
        ReportingProvider provider = new ReportingProvider();
        hosts.serve(provider, socket);
        listening();

        Awaitility.await().until(() -> {
            provider.report(null);
            provider.report(new ServiceIdentity("prod", null, "uid"));
            provider.report(service(1));
            return !heard.isEmpty();
        });

        assertThat(heard).containsExactly(service(1));
    }

    @Test
    void pluginThatWasRestarted_isListenedToAgain() {
        ReportingProvider provider = new ReportingProvider();
        ProviderServer first = hosts.serve(new ReportingProvider(), socket);
        listening();
        first.close();

        hosts.serve(provider, socket);

        Awaitility.await().until(() -> {
            provider.report(service(0));
            return !heard.isEmpty();
        });
    }

    @Test
    void server_closesAtOnce_thoughSomebodyJustBeginsToWatch() {
        ProviderServer server = hosts.serve(new ReportingProvider(), socket);
        listening();

        assertClosesAtOnce(server);
    }

    private static void assertClosesAtOnce(ProviderServer server) {
        long start = System.nanoTime();
        server.close();
        assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start))
                .as("seconds; calls that do not end are waited for for 5 s")
                .isLessThan(5);
    }

    @Test
    void server_closesAtOnce_thoughSomebodyWatches() {
        ReportingProvider provider = new ReportingProvider();
        ProviderServer server = hosts.serve(provider, socket);
        listening();
        Awaitility.await().until(() -> {
            provider.report(service(0));
            return !heard.isEmpty();
        });

        assertClosesAtOnce(server);
        provider.report(service(1));
    }

    @Test
    void afterTheClientIsClosed_nothingIsHeard() {
        AtomicInteger ended = new AtomicInteger();
        CountDownLatch watched = new CountDownLatch(1);
        plugin.watching = observer -> {
            ((ServerCallStreamObserver<WatchChangesResponse>) observer).setOnCancelHandler(ended::incrementAndGet);
            watched.countDown();
        };
        hosts.serve(plugin, socket);
        GrpcProvider client = listening();
        Awaitility.await().until(() -> watched.getCount() == 0);

        client.close();

        Awaitility.await().until(() -> ended.get() == 1);
    }

    @Test
    void pluginWithoutReports_isAskedOnce_andNotLeftAloneForThat() {
        AtomicInteger asked = new AtomicInteger();
        plugin.watching = observer -> {
            asked.incrementAndGet();
            observer.onError(Status.UNIMPLEMENTED.asRuntimeException());
        };
        hosts.serve(plugin, socket);
        GrpcProvider client = listening();
        Awaitility.await().until(() -> asked.get() == 1);

        // As each look of the one that keeps the connection does.
        for (int i = 0; i < 20; i++) {
            client.onChange(heard::add);
            assertThat(client.ensureLoadBalancer(REQUEST)).isInstanceOf(EnsureOutcome.Ready.class);
        }

        assertThat(asked).hasValue(1);
        assertThat(client.isAvailable()).isTrue();
        assertThat(heard).isEmpty();
    }

    @Test
    void nonsense_endsTheCall_andIsNoTroubleOfThePlugin() {
        AtomicInteger ended = new AtomicInteger();
        plugin.watching = observer -> {
            ((ServerCallStreamObserver<WatchChangesResponse>) observer).setOnCancelHandler(ended::incrementAndGet);
            observer.onNext(WatchChangesResponse.newBuilder()
                    .addServices(dev.berth.plugin.grpc.v1.ServiceIdentity.newBuilder()
                            .setNamespace("prod")
                            .setName("web\nforged")
                            .setUid("u"))
                    .build());
        };
        hosts.serve(plugin, socket);
        GrpcProvider client = listening();

        Awaitility.await().until(() -> ended.get() > 0);

        assertThat(heard).isEmpty();
        assertThat(client.isAvailable()).isTrue();
        assertThat(client.ensureLoadBalancer(REQUEST)).isInstanceOf(EnsureOutcome.Ready.class);
    }

    @Test
    void moreServicesThanAMessageMayHave_areRefused() {
        AtomicInteger ended = new AtomicInteger();
        plugin.watching = observer -> {
            ((ServerCallStreamObserver<WatchChangesResponse>) observer).setOnCancelHandler(ended::incrementAndGet);
            observer.onNext(ChangesMapping.write(Collections.nCopies(ChangesMapping.MOST_SERVICES + 1, service(0))));
        };
        hosts.serve(plugin, socket);
        listening();

        Awaitility.await().until(() -> ended.get() > 0);

        assertThat(heard).isEmpty();
    }

    @Test
    void pluginThatFloods_isHeldUp_andCalledAsEver() {
        AtomicInteger sent = new AtomicInteger();
        AtomicInteger read = new AtomicInteger();
        plugin.watching = observer -> flood((ServerCallStreamObserver<WatchChangesResponse>) observer, sent);
        hosts.serve(plugin, socket);
        GrpcProvider client = hosts.connected(new Endpoint.Unix(socket));
        long start = System.nanoTime();
        client.onChange(service -> read.incrementAndGet());
        Awaitility.await().until(() -> read.get() > 20);

        assertThat(client.ensureLoadBalancer(REQUEST)).isInstanceOf(EnsureOutcome.Ready.class);

        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        assertThat(read.get()).as("one message in a millisecond").isLessThanOrEqualTo((int) millis + 1);
        client.close();
    }

    /** As fast as it is taken. */
    private static void flood(ServerCallStreamObserver<WatchChangesResponse> observer, AtomicInteger sent) {
        observer.setOnCancelHandler(() -> {});
        observer.setOnReadyHandler(() -> {
            while (observer.isReady() && !observer.isCancelled()) {
                observer.onNext(ChangesMapping.write(List.of(service(sent.getAndIncrement()))));
            }
        });
    }
}
