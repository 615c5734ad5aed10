package dev.berth.plugin.grpc;

import static dev.berth.testing.ScriptedPlugin.pending;
import static dev.berth.testing.ScriptedPlugin.ready;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Any;
import com.google.rpc.Code;
import com.google.rpc.RetryInfo;
import dev.berth.plugin.grpc.transport.Endpoint;
import dev.berth.plugin.grpc.v1.ConnectResponse;
import dev.berth.plugin.grpc.v1.EnsureLoadBalancerResponse;
import dev.berth.plugin.grpc.v1.Ingress;
import dev.berth.plugin.grpc.v1.ListLoadBalancersResponse;
import dev.berth.plugin.grpc.v1.LoadBalancerStatus;
import dev.berth.plugin.grpc.v1.PortError;
import dev.berth.plugin.grpc.v1.Protocol;
import dev.berth.plugin.grpc.wire.CapabilitiesMapping;
import dev.berth.plugin.grpc.wire.Durations;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import dev.berth.testing.GrpcHosts;
import dev.berth.testing.Relay;
import dev.berth.testing.ScriptedPlugin;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What Berth makes of a plug-in that hangs, crashes, answers nonsense, floods or comes and goes; by real sockets. */
@Tag("slow")
class HostilePluginTest {
    private static final LoadBalancerRequest REQUEST = requestOf("u");

    /** So many failures, and calls to the plug-in are paused. */
    private static final int BORNE = 6;

    private static final List<Capabilities> CAPABILITIES =
            List.of(ScriptedPlugin.CAPABILITIES, Capabilities.fromPools(IpMode.VIP));

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final GrpcHosts hosts = new GrpcHosts();
    private final Path socket = hosts.socket();
    private final ScriptedPlugin plugin = new ScriptedPlugin();

    @AfterEach
    void stop() {
        hosts.close();
    }

    /** Stands still until it is moved. */
    private static Clock clock(AtomicReference<Instant> now) {
        InstantSource hands = now::get;
        return hands.withZone(ZoneOffset.UTC);
    }

    private GrpcSettings settings(Duration deadline) {
        return new GrpcSettings(new Endpoint.Unix(socket), null, null).withDeadline(deadline);
    }

    private GrpcProvider connected() {
        hosts.serve(plugin, socket);
        return hosts.connected(new Endpoint.Unix(socket));
    }

    private static ProviderException failure(GrpcProvider provider) {
        return failure(provider, REQUEST);
    }

    private static ProviderException failure(GrpcProvider provider, LoadBalancerRequest request) {
        return catchThrowableOfType(ProviderException.class, () -> provider.ensureLoadBalancer(request));
    }

    private static LoadBalancerRequest requestOf(String uid) {
        return requestOf("prod", uid);
    }

    private static LoadBalancerRequest requestOf(String namespace, String uid) {
        return LoadBalancerRequest.builder("c", new ServiceIdentity(namespace, "web", uid), IpMode.PROXY)
                .build();
    }

    /** As many Services as are borne, one after the other, each of another namespace. */
    private static void failForMany(GrpcProvider provider) {
        for (int i = 0; i < BORNE; i++) {
            assertThat(failure(provider, requestOf("team-" + i, "u" + i)))
                    .hasMessageContaining("sent an invalid response");
        }
    }

    /** As none had to, for a long time: nobody asked for it. */
    @Test
    void aPluginThatDoesNotSayNames_isNotLeftAloneForThat() {
        GrpcProvider provider = connected();

        for (int i = 0; i < 3 * BORNE; i++) {
            ServiceIdentity service = new ServiceIdentity("team-" + i, "web", "u" + i);
            assertThatThrownBy(() -> provider.getLoadBalancerName(service)).hasMessageContaining("UNIMPLEMENTED");
        }

        assertThat(provider.isAvailable()).isTrue();
        assertThat(provider.ensureLoadBalancer(REQUEST)).isInstanceOf(EnsureOutcome.Ready.class);
    }

    @Test
    void aPluginThatComesAfterItsClient_isCalledAsSoonAsItCountsAsConnected() throws InterruptedException {
        GrpcProvider early = hosts.client(new GrpcSettings(new Endpoint.Unix(socket), null, null), Clock.systemUTC());
        Awaitility.await().until(() -> told(early).contains("cannot be reached"));

        hosts.serve(plugin, socket);

        assertThat(early.awaitConnected(GrpcSettings.DEADLINE)).isTrue();
        assertThat(early.ensureLoadBalancer(REQUEST)).isInstanceOf(EnsureOutcome.Ready.class);
    }

    private static String told(GrpcProvider away) {
        return String.valueOf(catchThrowableOfType(ProviderException.class, away::capabilities)
                .getMessage());
    }

    @Test
    void aCallThatIsNotAnswered_endsAtItsDeadline() {
        hosts.serve(plugin, socket);
        GrpcProvider provider = hosts.connected(settings(Duration.ofMillis(300)));
        plugin.ensuring = observer -> {};

        assertThat(failure(provider)).hasMessage("plug-in \"test\" did not answer within 300 ms");
    }

    record Row(String sentence, EnsureLoadBalancerResponse answer, String message) {
        @Override
        public String toString() {
            return sentence;
        }
    }

    static Stream<Row> nonsense() {
        return Stream.of(
                new Row("no outcome", EnsureLoadBalancerResponse.getDefaultInstance(), "no outcome"),
                new Row("nothing that leads in", ready(), "at least one ingress"),
                new Row("an ingress of nothing", ready(Ingress.getDefaultInstance()), "without ip and hostname"),
                new Row("no address", ready("lb.example.com"), "\"lb.example.com\" is not an IP address"),
                new Row("an address in other words", ready("2001:DB8::1"), "not an IP address in canonical text"),
                new Row("a network", ready("192.0.2.0/24"), "\"192.0.2.0/24\" is not an IP address"),
                new Row("half an address", ready("192.0.2"), "\"192.0.2\" is not an IP address"),
                new Row("mapped", ready("::ffff:c000:201"), "\"::ffff:c000:201\" is not an IP address"),
                new Row(
                        "a hostname in capitals",
                        ready(Ingress.newBuilder().setHostname("LB").build()),
                        "hostname"),
                new Row(
                        "an unknown mode",
                        ready(Ingress.newBuilder()
                                .setIp("192.0.2.1")
                                .setIpModeValue(9)
                                .build()),
                        "ip_mode of an ingress is UNRECOGNIZED"),
                new Row(
                        "very many ways in",
                        ready(Collections.nCopies(
                                        101,
                                        Ingress.newBuilder().setIp("192.0.2.1").build())
                                .toArray(new Ingress[0])),
                        "101 ingress"),
                new Row("very many port errors", manyPortErrors(), "1001 port errors; 1000 at most"),
                new Row("a port that cannot be", portError(70_000, Protocol.PROTOCOL_TCP, "Taken"), "port 70000"),
                new Row("a port of no protocol", portError(80, Protocol.PROTOCOL_UNSPECIFIED, "Taken"), "the protocol"),
                new Row("a reason of two words", portError(80, Protocol.PROTOCOL_TCP, "not free"), "CamelCase"),
                new Row("a delay of nothing", pending(0, "wait"), "a delay of PT0S"),
                new Row("a delay into the past", pending(-1, "wait"), "a delay of PT-1S"),
                new Row("a delay of years", pending(1L << 40, "wait"), "a day at most"));
    }

    private static EnsureLoadBalancerResponse manyPortErrors() {
        LoadBalancerStatus one = portError(80, Protocol.PROTOCOL_TCP, "Taken").getReady();
        return EnsureLoadBalancerResponse.newBuilder()
                .setReady(one.toBuilder().addAllPortErrors(Collections.nCopies(1_000, one.getPortErrors(0))))
                .build();
    }

    private static EnsureLoadBalancerResponse portError(int port, Protocol protocol, String error) {
        LoadBalancerStatus status = LoadBalancerStatus.newBuilder()
                .addIngress(Ingress.newBuilder().setIp("192.0.2.1"))
                .addPortErrors(PortError.newBuilder()
                        .setPort(port)
                        .setProtocol(protocol)
                        .setError(error))
                .build();
        return EnsureLoadBalancerResponse.newBuilder().setReady(status).build();
    }

    @ParameterizedTest
    @MethodSource("nonsense")
    void nonsense_isAFailure_thatSaysWhatItWas(Row row) {
        GrpcProvider provider = connected();
        plugin.ensures(row.answer());

        assertThat(failure(provider))
                .hasMessageStartingWith("plug-in \"test\" sent an invalid response: ")
                .hasMessageContaining(row.message());
    }

    @Test
    void aMessageWithoutEnd_isCutShort() {
        GrpcProvider provider = connected();
        plugin.ensures(pending(1, "much\n".repeat(100_000)));

        assertThat(provider.ensureLoadBalancer(REQUEST))
                .isInstanceOfSatisfying(
                        EnsureOutcome.Pending.class,
                        pending -> assertThat(pending.message())
                                .hasSizeLessThan(1_100)
                                .doesNotContain("\n"));
    }

    @Test
    void anAnswerThatIsTooLarge_isNotRead() {
        GrpcProvider provider = connected();
        plugin.ensures(pending(1, "x".repeat(5 << 20)));

        assertThat(failure(provider)).hasMessageStartingWith("plug-in \"test\" fails: RESOURCE_EXHAUSTED: ");
    }

    @Test
    void aListWithoutEnd_isNotReadToItsEnd() {
        hosts.serve(plugin, socket);
        GrpcProvider provider = hosts.connected(settings(Duration.ofSeconds(50)));
        plugin.page =
                ListLoadBalancersResponse.newBuilder().setNextPageToken("more").build();

        assertThatThrownBy(() -> provider.listLoadBalancers("c")).hasMessageContaining("more than 1000 pages listed");
    }

    @Test
    void aListOfTheLongestNames_isReadAsFarAsMemoryBears() {
        hosts.serve(plugin, socket);
        GrpcProvider provider = hosts.connected(settings(Duration.ofSeconds(50)));
        plugin.page = ScriptedPlugin.fullPage();

        assertThatThrownBy(() -> provider.listLoadBalancers("c")).hasMessageContaining("more than 32 MiB listed");
    }

    @Test
    void aPluginThatIsNotThere_isSaid_andOneThatComesIsHeardOf() {
        AtomicInteger changes = new AtomicInteger();
        GrpcProvider provider = hosts.client(settings(GrpcSettings.DEADLINE), Clock.systemUTC());
        provider.whenChanged(changes::incrementAndGet);
        await(() -> assertThatThrownBy(provider::capabilities)
                .isInstanceOf(ProviderException.class)
                .hasMessageContaining("plug-in \"test\" cannot be reached: "));
        assertThat(failure(provider)).hasMessageContaining("cannot be reached");
        assertThat(provider.isAvailable()).isFalse();
        int before = changes.get();

        hosts.serve(plugin, socket);

        await(() -> assertThat(provider.capabilities()).isEqualTo(ScriptedPlugin.CAPABILITIES));
        assertThat(changes.get()).isGreaterThan(before);
        assertThat(provider.ensureLoadBalancer(REQUEST)).isInstanceOf(EnsureOutcome.Ready.class);
    }

    @Test
    void aPluginThatBreaksACallOff_failsIt_keepsItsCapabilities_andMayHaveOthersWhenItReturns() throws Exception {
        Server first = hosts.serve(plugin, socket);
        GrpcProvider provider = hosts.connected(new Endpoint.Unix(socket));
        CountDownLatch asked = new CountDownLatch(1);
        plugin.ensuring = observer -> asked.countDown();
        Thread killer = Thread.ofVirtual().start(() -> {
            try {
                asked.await();
                first.shutdownNow();
            } catch (InterruptedException stopping) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(failure(provider)).hasMessageStartingWith("plug-in \"test\" fails: CANCELLED: ");
        killer.join();
        first.awaitTermination();
        assertThat(provider.capabilities()).isEqualTo(ScriptedPlugin.CAPABILITIES);

        Capabilities others = Capabilities.fromPools(IpMode.VIP);
        ScriptedPlugin second = new ScriptedPlugin();
        second.greeting = observer -> ScriptedPlugin.answer(observer, ScriptedPlugin.greeting(others));
        hosts.serve(second, socket);

        await(() -> assertThat(provider.capabilities()).isEqualTo(others));
        assertThat(provider.ensureLoadBalancer(REQUEST)).isInstanceOf(EnsureOutcome.Ready.class);
    }

    @Test
    void aPluginThatBreaksEachConnection_isGreetedOnceASecond_andHeardOfAsSeldom() {
        int times = 3;
        Path exit = hosts.socket();
        hosts.serve(plugin, exit);
        Relay relay = hosts.relay(socket, exit);
        AtomicInteger greetings = new AtomicInteger();
        plugin.greeting = observer -> {
            int now = greetings.incrementAndGet();
            ScriptedPlugin.answer(observer, ScriptedPlugin.greeting(CAPABILITIES.get(now % CAPABILITIES.size())));
        };
        long begin = System.nanoTime();
        GrpcProvider provider = hosts.client(settings(GrpcSettings.DEADLINE), Clock.systemUTC());
        AtomicInteger changes = new AtomicInteger();
        provider.whenChanged(() -> {
            changes.incrementAndGet();
            relay.cut();
        });
        // It may have been greeted before anybody listened.
        relay.cut();

        await(() -> assertThat(greetings).hasValueGreaterThan(times));

        // A greeting that the cut breaks off is heard of, too, and counts for nobody here.
        int heard = changes.get();
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        assertThat(took).isGreaterThan(Duration.ofSeconds(times));
        assertThat(heard).isBetween(2, (int) took.toSeconds() + 1);
    }

    @Test
    void aPluginOfAnotherContract_isNotTalkedTo_andBothSidesVersionsAreSaid() {
        plugin.greeting = observer -> observer.onError(Status.FAILED_PRECONDITION
                .withDescription("lb-controller speaks contract version 2")
                .asRuntimeException());
        hosts.serve(plugin, socket);
        GrpcProvider provider = hosts.client(settings(GrpcSettings.DEADLINE), Clock.systemUTC());

        await(() -> assertThatThrownBy(provider::capabilities)
                .hasMessageContaining("lb-controller speaks contract version 2")
                .hasMessageContaining("this Berth speaks contract version [1]"));
        plugin.greeting = observer -> ScriptedPlugin.answer(
                observer, ConnectResponse.newBuilder().setContractVersion(3).build());
        await(() -> assertThatThrownBy(provider::capabilities).hasMessageContaining("chosen contract version 3"));
    }

    @Test
    void capabilitiesThatLackAPart_areAProtocolViolation_andUnknownOnesAreLeftOut() {
        plugin.greeting = observer -> ScriptedPlugin.answer(
                observer,
                ConnectResponse.newBuilder()
                        .setContractVersion(1)
                        .setCapabilities(CapabilitiesMapping.write(ScriptedPlugin.CAPABILITIES).toBuilder()
                                .clearProtocols()
                                .addProtocolsValue(99))
                        .build());
        hosts.serve(plugin, socket);
        GrpcProvider provider = hosts.client(settings(GrpcSettings.DEADLINE), Clock.systemUTC());
        await(() -> assertThatThrownBy(provider::capabilities).hasMessageContaining("at least one ipMode, protocol"));

        plugin.greeting = observer -> ScriptedPlugin.answer(
                observer,
                ConnectResponse.newBuilder()
                        .setContractVersion(1)
                        .setCapabilities(CapabilitiesMapping.write(ScriptedPlugin.CAPABILITIES).toBuilder()
                                .addFeaturesValue(99))
                        .build());

        await(() -> assertThat(provider.capabilities()).isEqualTo(ScriptedPlugin.CAPABILITIES));
    }

    @Test
    void capabilitiesThatReadVeryManyAnnotations_orWhatIsNone_areRefused() {
        Capabilities many = ScriptedPlugin.CAPABILITIES.withAnnotations(
                IntStream.range(0, 101).mapToObj(i -> "example.com/" + i).toArray(String[]::new));
        plugin.greeting = observer -> ScriptedPlugin.answer(observer, ScriptedPlugin.greeting(many));
        hosts.serve(plugin, socket);
        GrpcProvider provider = hosts.client(settings(GrpcSettings.DEADLINE), Clock.systemUTC());
        await(() -> assertThatThrownBy(provider::capabilities)
                .hasMessageContaining("101 annotations; 100 at most")
                .isInstanceOf(ProviderException.class));

        Capabilities none = ScriptedPlugin.CAPABILITIES.withAnnotations("of two words");
        plugin.greeting = observer -> ScriptedPlugin.answer(observer, ScriptedPlugin.greeting(none));
        await(() -> assertThatThrownBy(provider::capabilities).hasMessageContaining("\"of two words\""));
    }

    @Test
    void aPluginThatKeepsFailing_isLeftAlone_longerEachTime_thenTriedForNoService_andHeardOfWhenItWorks() {
        AtomicReference<Instant> now = new AtomicReference<>(START);
        hosts.serve(plugin, socket);
        GrpcProvider provider = hosts.client(settings(GrpcSettings.DEADLINE), clock(now));
        await(provider::capabilities);
        AtomicInteger changes = new AtomicInteger();
        provider.whenChanged(changes::incrementAndGet);
        plugin.ensures(EnsureLoadBalancerResponse.getDefaultInstance());
        failForMany(provider);

        ProviderException leftAlone = failure(provider);
        assertThat(leftAlone)
                .hasMessage("plug-in \"test\" is not called for 5 s because of repeated failures; last error:"
                        + " plug-in \"test\" sent an invalid response: no outcome");
        assertThat(leftAlone.retryAfter()).contains(Duration.ofSeconds(5));
        assertThat(provider.isAvailable()).isFalse();
        assertThat(plugin.asked).hasValue(BORNE);

        Consumer<StreamObserver<ConnectResponse>> welcome = plugin.greeting;
        plugin.greeting = observer -> observer.onError(Status.INTERNAL.asRuntimeException());
        now.set(START.plusSeconds(6));
        assertThat(failure(provider)).hasMessageContaining("plug-in \"test\" fails: INTERNAL");
        assertThat(failure(provider)).hasMessageContaining("is not called for 10 s");
        assertThat(plugin.asked).as("it is tried for no Service").hasValue(BORNE);
        assertThat(changes).hasValue(0);

        plugin.greeting = welcome;
        now.set(START.plusSeconds(17));
        failForMany(provider);
        assertThat(failure(provider))
                .as("it greets, and fails all the same")
                .hasMessageContaining("is not called for 20 s");

        plugin.ensures(ready("192.0.2.1"));
        now.set(START.plusSeconds(38));
        assertThat(provider.ensureLoadBalancer(REQUEST)).isInstanceOf(EnsureOutcome.Ready.class);
        assertThat(changes).hasValue(2);
        assertThat(provider.isAvailable()).isTrue();
    }

    @Test
    void twoServicesThatFailInTurn_areNoReasonToLeaveThePluginAlone() {
        GrpcProvider provider = connected();
        plugin.ensures(EnsureLoadBalancerResponse.getDefaultInstance());
        for (int i = 0; i < 3 * BORNE; i++) {
            assertThat(failure(provider, requestOf("team-" + i % 2, "u")))
                    .hasMessage("plug-in \"test\" sent an invalid response: no outcome");
        }

        plugin.ensures(ready("192.0.2.1"));
        assertThat(provider.ensureLoadBalancer(requestOf("another"))).isInstanceOf(EnsureOutcome.Ready.class);
    }

    @Test
    void manyServicesOfOneNamespace_areNoReasonToLeaveThePluginAlone() {
        GrpcProvider provider = connected();
        plugin.ensuring = observer -> observer.onError(Status.INTERNAL
                .withDescription("provider \"test\" failed: a bug")
                .asRuntimeException());
        for (int i = 0; i < 3 * BORNE; i++) {
            assertThat(failure(provider, requestOf("team", "u" + i)))
                    .hasMessage("plug-in \"test\" fails: INTERNAL: provider \"test\" failed: a bug");
        }

        plugin.ensures(ready("192.0.2.1"));
        assertThat(provider.ensureLoadBalancer(requestOf("another"))).isInstanceOf(EnsureOutcome.Ready.class);
    }

    @Test
    void servicesOfTwoNamespacesThatKeepFailing_whileOthersSucceed_haveThePluginLeftAloneOnceAtMost() {
        AtomicReference<Instant> now = new AtomicReference<>(START);
        GrpcProvider provider = servedBy(now);
        int bad = 4;
        int pauses = 0;
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < bad; i++) {
                plugin.ensures(EnsureLoadBalancerResponse.getDefaultInstance());
                failure(provider, requestOf("team-" + i % 2, "bad-" + i));
            }
            plugin.ensures(ready("192.0.2.1"));
            for (int i = 0; i < BORNE - bad; i++) {
                assertThat(provider.ensureLoadBalancer(requestOf("good-" + i)))
                        .as("round %d", round)
                        .isInstanceOf(EnsureOutcome.Ready.class);
            }
            pauses += provider.isAvailable() ? 0 : 1;
            now.set(now.get().plusSeconds(6));
        }
        assertThat(pauses).isLessThanOrEqualTo(1);
    }

    @Test
    void pluginThatStopsWorkingForAll_isLeftAloneAgain_howeverFewServicesItHas() {
        AtomicReference<Instant> now = new AtomicReference<>(START);
        GrpcProvider provider = servedBy(now);
        plugin.ensures(ready("192.0.2.1"));
        assertThat(provider.ensureLoadBalancer(REQUEST)).isInstanceOf(EnsureOutcome.Ready.class);
        plugin.ensures(EnsureLoadBalancerResponse.getDefaultInstance());
        failForMany(provider);
        assertThat(failure(provider)).hasMessageContaining("is not called for 5 s");

        now.set(START.plus(Duration.ofMinutes(6)));
        failForMany(provider);

        assertThat(failure(provider)).hasMessageContaining("is not called for 10 s");
    }

    private GrpcProvider servedBy(AtomicReference<Instant> now) {
        hosts.serve(plugin, socket);
        GrpcProvider provider = hosts.client(settings(GrpcSettings.DEADLINE), clock(now));
        await(provider::capabilities);
        return provider;
    }

    @Test
    void requestThatIsTooLarge_isNotSent_andSaysSoOnItsServiceAlone() {
        GrpcProvider provider = connected();
        LoadBalancerRequest large = REQUEST.toBuilder()
                .endpoints(IntStream.range(0, 150_000)
                        .mapToObj(
                                i -> new LoadBalancerRequest.Endpoint("http", "10.64.0." + i % 250, 8080, "node-" + i))
                        .toList())
                .build();

        for (int i = 0; i < BORNE; i++) {
            assertThat(failure(provider, large))
                    .hasMessageStartingWith("the request for Service prod/web has ")
                    .hasMessageEndingWith(
                            " bytes, with 150000 endpoints and 0 nodes; a plug-in takes 4 MiB. Split the Service");
        }

        assertThat(plugin.asked).hasValue(0);
        assertThat(provider.ensureLoadBalancer(REQUEST)).isInstanceOf(EnsureOutcome.Ready.class);
    }

    @Test
    void whatOneServiceSuffersFrom_isNoReasonToLeaveThePluginAlone() {
        GrpcProvider provider = connected();
        plugin.ensures(EnsureLoadBalancerResponse.getDefaultInstance());
        for (int i = 0; i < 3 * BORNE; i++) {
            assertThat(failure(provider)).hasMessage("plug-in \"test\" sent an invalid response: no outcome");
        }

        plugin.ensures(ready("192.0.2.1"));
        assertThat(provider.ensureLoadBalancer(requestOf("another"))).isInstanceOf(EnsureOutcome.Ready.class);
    }

    @Test
    void aPluginThatWasLeftAlone_isTriedAtOnce_whenItReturns() throws InterruptedException {
        Server first = hosts.serve(plugin, socket);
        GrpcProvider provider = hosts.client(settings(GrpcSettings.DEADLINE), Clock.fixed(START, ZoneOffset.UTC));
        await(provider::capabilities);
        plugin.ensures(EnsureLoadBalancerResponse.getDefaultInstance());
        failForMany(provider);
        assertThat(failure(provider)).hasMessageContaining("is not called for 5 s");

        first.shutdownNow().awaitTermination();
        hosts.serve(new ScriptedPlugin(), socket);

        await(() -> assertThat(provider.ensureLoadBalancer(REQUEST)).isInstanceOf(EnsureOutcome.Ready.class));
    }

    @Test
    void whatAPluginSaysAboutOneService_isQuoted_andNoReasonToLeaveItAlone() {
        GrpcProvider provider = connected();
        plugin.ensuring =
                observer -> observer.onError(StatusProto.toStatusRuntimeException(com.google.rpc.Status.newBuilder()
                        .setCode(Code.UNKNOWN_VALUE)
                        .setMessage("no listener is left on lb-1; delete a Service")
                        .addDetails(Any.pack(RetryInfo.newBuilder()
                                .setRetryDelay(Durations.write(Duration.ofSeconds(90)))
                                .build()))
                        .build()));
        for (int i = 0; i < 2 * BORNE; i++) {
            ProviderException failure = failure(provider);
            assertThat(failure).hasMessage("no listener is left on lb-1; delete a Service");
            assertThat(failure.retryAfter()).contains(Duration.ofSeconds(90));
        }
    }

    private static void await(ThrowingRunnable assertion) {
        Awaitility.await().ignoreExceptionsInstanceOf(ProviderException.class).untilAsserted(assertion);
    }
}
