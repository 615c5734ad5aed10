package dev.berth.dataplane.haproxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.lab.LabOnly;
import dev.berth.lab.LoopbackStaysClean;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.HealthCheck;
import dev.berth.provider.LoadBalancerRequest.Node;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.Protocol;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What is wrong with a host, a setting or a Service is said in one line, and what worked goes on. */
@LabOnly
@ExtendWith(LoopbackStaysClean.class)
class HaproxyBadInputIT {
    private static final String ADDRESS = "198.51.100.1";
    private static final String OTHER = "198.51.100.2";

    @TempDir
    Path directory;

    private final HaproxyProcesses processes = new HaproxyProcesses();
    private final String uid = UUID.randomUUID().toString();

    @AfterEach
    void end() {
        processes.close();
        for (String address : List.of(ADDRESS, OTHER)) {
            Command.run(List.of("ip", "addr", "del", address + "/32", "dev", "lo"));
        }
    }

    private static LoadBalancerRequest request(String uid, String address, int port) {
        return LoadBalancerRequest.builder("cluster", new ServiceIdentity("shop", "web", uid), IpMode.PROXY)
                .fencingToken(1)
                .addresses(List.of(address))
                .ports(List.of(new Port("", Protocol.TCP, port, 30080)))
                .nodes(List.of(Node.named("n1").withAddresses(List.of("127.0.0.1"))))
                .healthCheck(new HealthCheck(10256, "/healthz"))
                .build();
    }

    private LoadBalancerRequest request(String address, int port) {
        return request(uid, address, port);
    }

    private HaproxyProvider serving() {
        HaproxyProvider provider = processes.provider(directory, Map.of());
        provider.ensureLoadBalancer(request("first", ADDRESS, 80));
        return provider;
    }

    private static void assertServes(String address, int port) {
        assertThatCode(() -> {
                    try (Socket socket = new Socket()) {
                        socket.connect(new InetSocketAddress(address, port), 1_000);
                    }
                })
                .doesNotThrowAnyException();
    }

    private Path script(String text) throws IOException {
        Path script = Files.writeString(directory.resolve("other-haproxy"), "#!/bin/sh\n" + text + "\n");
        return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void aMissingBinary_isNamed() {
        assertThatThrownBy(() -> processes.provider(directory, Map.of("binary", "/nowhere/haproxy")))
                .isInstanceOf(ProviderException.class)
                .hasMessageContaining("/nowhere/haproxy")
                .hasMessageContaining("install HAProxy 2.6 or later");
    }

    @Test
    void anOldHaproxy_isRefusedByItsVersion() throws IOException {
        Path old = script("echo 'HAProxy version 2.4.22-1 2023/02/14 - https://haproxy.org/'");

        assertThatThrownBy(() -> processes.provider(directory, Map.of("binary", old.toString())))
                .isInstanceOf(ProviderException.class)
                .hasMessage("HAProxy 2.4 is too old; install 2.6 or later");
    }

    @Test
    void aBinaryThatDoesNotEnd_isKilled() throws IOException {
        Path hangs = script("exec sleep 100");

        assertThatThrownBy(() -> processes.provider(directory, Map.of("binary", hangs.toString())))
                .isInstanceOf(ProviderException.class)
                .hasMessageContaining("has not ended within 5 s");
    }

    @Test
    void anInterfaceThatIsNotThere_isNamed() {
        assertThatThrownBy(() -> processes.provider(directory, Map.of("interface", "eth7")))
                .isInstanceOf(ProviderException.class)
                .hasMessage("setting \"interface\" is \"eth7\", and this host has no interface of that name");
    }

    @Test
    void aCorruptRecord_isNamed() throws IOException {
        serving();
        Path record = directory.resolve("load-balancers/afirst.json");
        Files.writeString(record, "{\"name\":");

        assertThatThrownBy(() -> processes.provider(directory, Map.of()))
                .isInstanceOf(ProviderException.class)
                .hasMessageContaining("record " + record + " cannot be read")
                .hasMessageContaining("remove it")
                .message()
                .hasLineCount(1);
    }

    @Test
    void anAddressOfTheHostItself_isRefused_andStaysOnIt() {
        HaproxyProvider provider = serving();
        Command.run(List.of("ip", "addr", "add", OTHER + "/24", "dev", "lo"));
        try {
            assertThatThrownBy(() -> provider.ensureLoadBalancer(request(OTHER, 80)))
                    .isInstanceOf(ProviderException.class)
                    .hasMessageContaining("address " + OTHER + " is the host's own, on interface lo");

            provider.ensureLoadBalancerDeleted(request(OTHER, 80));
            assertThat(Command.run(List.of("ip", "-o", "addr", "show", "dev", "lo"))
                            .output())
                    .contains(OTHER + "/24");
            assertServes(ADDRESS, 80);
        } finally {
            Command.run(List.of("ip", "addr", "del", OTHER + "/24", "dev", "lo"));
        }
    }

    @Test
    void theBroadcastAddressOfANetworkOfTheHost_isRefused() {
        HaproxyProvider provider = serving();
        Command.run(List.of("ip", "addr", "add", OTHER + "/24", "dev", "lo"));
        try {
            assertThatThrownBy(() -> provider.ensureLoadBalancer(request("198.51.100.255", 80)))
                    .isInstanceOf(ProviderException.class)
                    .hasMessage("address 198.51.100.255 is the broadcast address of a network of interface lo, which"
                            + " cannot be assigned to a host; add it to spec.excluded of the pool and"
                            + " recreate the Service");
            assertServes(ADDRESS, 80);
        } finally {
            Command.run(List.of("ip", "addr", "del", OTHER + "/24", "dev", "lo"));
        }
    }

    @Test
    void aPortThatAnotherProgramListensOn_isRefused_untilItIsFree() throws IOException {
        HaproxyProvider provider = serving();
        try (ServerSocket other = new ServerSocket(8081, 1, InetAddress.ofLiteral("0.0.0.0"))) {
            assertThat(other.isBound()).isTrue();
            assertThatThrownBy(() -> provider.ensureLoadBalancer(request(OTHER, 8081)))
                    .isInstanceOf(ProviderException.class)
                    .hasMessageContaining("port 8081 of " + OTHER + " cannot be opened");
            assertServes(ADDRESS, 80);
        }

        assertThat(provider.ensureLoadBalancer(request(OTHER, 8081))).isInstanceOf(EnsureOutcome.Ready.class);
        assertServes(OTHER, 8081);
    }

    /** HAProxy itself would let two of its own listen there. */
    @Test
    void aPortOfAnotherService_isRefused() {
        HaproxyProvider provider = processes.provider(directory, Map.of());
        provider.ensureLoadBalancer(request("first", ADDRESS, 80));

        assertThatThrownBy(() -> provider.ensureLoadBalancer(request("second", ADDRESS, 80)))
                .isInstanceOf(ProviderException.class)
                .hasMessageStartingWith("port 80 of " + ADDRESS + " cannot be opened");
    }

    @Test
    void aConfigurationThatHaproxyRefuses_changesNothing() throws IOException {
        Path picky = script(
                "case $* in *haproxy.cfg.new*) for last; do :; done; grep -q ':8082' \"$last\" && "
                        + "{ echo '[ALERT]    (7) : config : it does not like port 8082'; exit 1; };; esac\nexec haproxy \"$@\"");
        HaproxyProvider provider = processes.provider(directory, Map.of("binary", picky.toString()));
        provider.ensureLoadBalancer(request("first", ADDRESS, 80));

        assertThatThrownBy(() -> provider.ensureLoadBalancer(request(OTHER, 8082)))
                .isInstanceOf(ProviderException.class)
                .hasMessage("HAProxy rejected the configuration: config : it does not like port 8082");

        assertServes(ADDRESS, 80);
        assertThat(provider.ensureLoadBalancer(request(OTHER, 8083))).isInstanceOf(EnsureOutcome.Ready.class);
        assertServes(OTHER, 8083);
    }

    /** What the runtime API has done of it would stay, until something else is changed. */
    @Test
    void anUpdateThatHaproxyRefuses_leavesTheFormerTargetsAtWork() throws Exception {
        Path picky = script("case $* in *haproxy.cfg.new*) test ! -e " + directory.resolve("refuse")
                + " || { echo '[ALERT]    (7) : config : it does not like it'; exit 1; };; esac\nexec haproxy \"$@\"");
        HaproxyProvider provider = processes.provider(directory, Map.of("binary", picky.toString()));
        try (ServerSocket first = new ServerSocket(30080, 9, InetAddress.ofLiteral("127.0.0.1"));
                ServerSocket second = new ServerSocket(30080, 9, InetAddress.ofLiteral("127.0.0.2"))) {
            provider.ensureLoadBalancer(toNodes(30080, "127.0.0.2"));
            try (Socket held = new Socket(ADDRESS, 80);
                    Socket other = second.accept()) {
                assertThat(held.isConnected() && other.isConnected()).isTrue();
                provider.updateLoadBalancer(toNodes(30080, "127.0.0.1"));

                // The second one still has a connection, so with another health check it is not back without a reload.
                // The
                // third one comes before.
                Files.createFile(directory.resolve("refuse"));
                assertThatThrownBy(() -> provider.updateLoadBalancer(toNodes(30081, "127.0.0.3", "127.0.0.2")))
                        .hasMessage("HAProxy rejected the configuration: config : it does not like it");
            }
            Files.delete(directory.resolve("refuse"));

            provider.updateLoadBalancer(toNodes(30080, "127.0.0.1"));
            try (Socket client = new Socket(ADDRESS, 80)) {
                first.setSoTimeout(5_000);
                first.accept().close();
                assertThat(client.isConnected()).isTrue();
            }
        }
    }

    private LoadBalancerRequest toNodes(int checkPort, String... addresses) {
        return request(ADDRESS, 80).toBuilder()
                .nodes(Stream.of(addresses)
                        .map(address -> Node.named(address).withAddresses(List.of(address)))
                        .toList())
                .healthCheck(new HealthCheck(checkPort, null))
                .build();
    }

    /** As at a start, with many Services. */
    @Test
    void manyAtOnce_areLoadedTogether_andOneThatHaproxyRefuses_isRefusedAlone() throws Exception {
        Path checks = directory.resolve("checks");
        Path picky = script(
                "case $* in *haproxy.cfg.new*) echo >> " + checks
                        + "; for last; do :; done; grep -q ':8082' \"$last\" && "
                        + "{ echo '[ALERT]    (7) : config : it does not like port 8082'; exit 1; };; esac\nexec haproxy \"$@\"");
        HaproxyProvider provider = processes.provider(directory, Map.of("binary", picky.toString()));

        assertThat(refusals(provider, IntStream.range(9000, 9016))).isEmpty();

        assertThat(Files.readAllLines(checks)).hasSizeLessThan(8);
        assertServes(ADDRESS, 9000);
        assertServes(ADDRESS, 9015);
        assertThat(refusals(provider, IntStream.of(8081, 8082, 8083)))
                .containsExactly("HAProxy rejected the configuration: config : it does not like port 8082");
        assertServes(ADDRESS, 8081);
        assertServes(ADDRESS, 8083);
    }

    /** Of Services that all come at once, one for each port. */
    private static List<String> refusals(HaproxyProvider provider, IntStream ports) throws InterruptedException {
        List<String> refusals = Collections.synchronizedList(new ArrayList<>());
        List<Thread> callers = ports.mapToObj(port -> Thread.ofVirtual().start(() -> {
                    try {
                        provider.ensureLoadBalancer(request("many-" + port, ADDRESS, port));
                    } catch (ProviderException refused) {
                        refusals.add(refused.getMessage());
                    }
                }))
                .toList();
        for (Thread caller : callers) {
            caller.join();
        }
        return refusals;
    }

    @Test
    void theSameUidOfAnotherCluster_isRefused() {
        HaproxyProvider provider = serving();
        LoadBalancerRequest theirs =
                request("first", OTHER, 80).toBuilder().clusterName("restored").build();

        assertThatThrownBy(() -> provider.ensureLoadBalancer(theirs))
                .isInstanceOf(ProviderException.class)
                .hasMessageContaining("cluster cluster with the same UID");
        assertThat(provider.getLoadBalancer(theirs)).isEmpty();
        assertServes(ADDRESS, 80);
    }

    /** A second one beside it would take half of its connections. */
    @Test
    void aHaproxyThatHangs_isNotStartedTwice() {
        HaproxyProvider provider = serving();
        processes.signal(directory, "STOP");
        try {
            assertThatThrownBy(() -> provider.ensureLoadBalancer(request(OTHER, 80)))
                    .isInstanceOf(ProviderException.class)
                    .hasMessageContaining("runs but does not respond");
        } finally {
            processes.signal(directory, "CONT");
        }
        assertServes(ADDRESS, 80);
        provider.ensureLoadBalancer(request(OTHER, 80));
        assertServes(OTHER, 80);
    }

    /** Each would wait for it for two seconds, and for those before. */
    @Test
    void aHaproxyThatHangs_isWaitedForByAllTogether() throws Exception {
        HaproxyProvider provider = serving();
        processes.signal(directory, "STOP");
        try {
            CountDownLatch refused = new CountDownLatch(16);
            for (int i = 0; i < 16; i++) {
                Thread.ofVirtual().start(() -> {
                    try {
                        provider.getLoadBalancer(request("first", ADDRESS, 80));
                    } catch (ProviderException hangs) {
                        refused.countDown();
                    }
                });
            }

            assertThat(refused.await(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            processes.signal(directory, "CONT");
        }
    }

    /** By an upgrade of the package; and a binary may have any name. */
    @Test
    void aHaproxyWhoseBinaryWasReplaced_isKnownToRun() throws IOException {
        Path installed = Stream.of(System.getenv("PATH").split(":"))
                .map(folder -> Path.of(folder, "haproxy"))
                .filter(Files::exists)
                .findFirst()
                .orElseThrow();
        Path binary = Files.copy(installed, directory.resolve("haproxy-3.0"), StandardCopyOption.COPY_ATTRIBUTES);
        HaproxyProvider provider = processes.provider(directory, Map.of("binary", binary.toString()));
        provider.ensureLoadBalancer(request("first", ADDRESS, 80));
        assertThat(new Haproxy(directory, binary.toString()).look()).isTrue();

        Path next = Files.copy(installed, directory.resolve("next"), StandardCopyOption.COPY_ATTRIBUTES);
        Files.move(next, binary, StandardCopyOption.REPLACE_EXISTING);

        assertThat(new Haproxy(directory, binary.toString()).look()).isTrue();
        String pid = Files.readString(directory.resolve("haproxy.pid"));
        provider.ensureLoadBalancer(request("second", OTHER, 80));
        assertThat(Files.readString(directory.resolve("haproxy.pid"))).isEqualTo(pid);
    }

    @Test
    void aPortThatAnotherProgramHasByNow_keepsNoOtherServiceFromBeingServed_whenHaproxyStarts() throws IOException {
        HaproxyProvider before = serving();
        before.ensureLoadBalancer(request("second", OTHER, 8081));
        before.close();
        processes.signal(directory, "KILL");

        // A moment after the signal, its sockets are closed.
        try (ServerSocket other = Awaitility.await()
                .ignoreExceptionsInstanceOf(BindException.class)
                .until(() -> new ServerSocket(8081, 1, InetAddress.ofLiteral("0.0.0.0")), ServerSocket::isBound)) {
            HaproxyProvider provider = processes.provider(directory, Map.of());
            assertServes(ADDRESS, 80);
            assertThat(provider.getLoadBalancer(request("second", OTHER, 8081))).isEmpty();
            assertThatThrownBy(() -> provider.ensureLoadBalancer(request("second", OTHER, 8081)))
                    .hasMessageContaining("port 8081 of " + OTHER + " cannot be opened");
            assertThat(provider.ensureLoadBalancer(request("third", OTHER, 82)))
                    .isInstanceOf(EnsureOutcome.Ready.class);
            assertServes(OTHER, 82);
            other.close();
            assertThat(provider.ensureLoadBalancer(request("second", OTHER, 8081)))
                    .isInstanceOf(EnsureOutcome.Ready.class);
            assertServes(OTHER, 8081);
            assertServes(ADDRESS, 80);
        }
    }

    @Test
    void aServiceThatIsServedAgain_forThePortIsFree_isReported_andNoOther() throws IOException {
        HaproxyProvider before = serving();
        before.ensureLoadBalancer(request("second", OTHER, 8081));
        before.close();
        processes.signal(directory, "KILL");
        Queue<ServiceIdentity> changed = new ConcurrentLinkedQueue<>();
        HaproxyProvider provider;
        // A moment after the signal, its sockets are closed.
        try (ServerSocket other = Awaitility.await()
                .ignoreExceptionsInstanceOf(BindException.class)
                .until(() -> new ServerSocket(8081, 1, InetAddress.ofLiteral("0.0.0.0")), ServerSocket::isBound)) {
            provider = processes.provider(directory, Map.of());
            provider.onChange(changed::add);
            assertThat(provider.getLoadBalancer(request("second", OTHER, 8081))).isEmpty();
        }

        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !changed.isEmpty());

        assertThat(changed).containsExactly(request("second", OTHER, 8081).service());
        assertThat(provider.getLoadBalancer(request("second", OTHER, 8081))).isPresent();
    }

    /** HAProxy does not start while one is missing. */
    @Test
    void anAddressThatSomebodyTookOffTheHost_isBack_whenHaproxyIsStartedAgain() {
        HaproxyProvider provider = serving();
        provider.ensureLoadBalancer(request("second", OTHER, 80));
        Command.run(List.of("ip", "addr", "del", OTHER + "/32", "dev", "lo"));

        processes.signal(directory, "KILL");

        Awaitility.await().untilAsserted(() -> {
            assertServes(ADDRESS, 80);
            assertServes(OTHER, 80);
        });
    }

    /** Of some virtual machines in a cloud. */
    @Test
    void anAddressOfTheHostItself_thatHasNoNetwork_isRefused_andStaysOnIt() {
        HaproxyProvider provider = serving();
        Command.run(List.of("ip", "addr", "add", OTHER + "/32", "dev", "lo"));

        assertThatThrownBy(() -> provider.ensureLoadBalancer(request("second", OTHER, 80)))
                .isInstanceOf(ProviderException.class)
                .hasMessageStartingWith("address " + OTHER + " is already configured on this host");
        provider.ensureLoadBalancerDeleted(request("second", OTHER, 80));

        assertThat(Command.run(List.of("ip", "-o", "addr", "show", "dev", "lo")).output())
                .contains(OTHER + "/32");
    }

    /** In a container, HAProxy ends with the process; the next one may be on another node. */
    @Test
    void addressesAreTakenOff_whenTheProcessEnds_ifTheSettingSaysSo_andAreBackWithTheNext() {
        Map<String, String> settings = Map.of("atExit", "Release");
        HaproxyProvider provider = processes.provider(directory, settings);
        provider.ensureLoadBalancer(request("first", ADDRESS, 80));

        provider.close();

        assertThat(Command.run(List.of("ip", "-o", "addr", "show", "dev", "lo")).output())
                .doesNotContain(ADDRESS + "/32");
        processes.provider(directory, settings);
        assertServes(ADDRESS, 80);
    }

    @Test
    void aHaproxyThatIsKilled_isBackWithinTwoSeconds() {
        serving();
        processes.signal(directory, "KILL");

        Awaitility.await().atMost(Duration.ofSeconds(2)).untilAsserted(() -> assertServes(ADDRESS, 80));
    }

    @Test
    void anAddressThatSomebodyTookOffTheHost_isBackWithTheNextEnsure() {
        HaproxyProvider provider = serving();
        Command.run(List.of("ip", "addr", "del", ADDRESS + "/32", "dev", "lo"));
        assertThat(provider.getLoadBalancer(request("first", ADDRESS, 80))).isEmpty();

        provider.ensureLoadBalancer(request("first", ADDRESS, 80));

        assertServes(ADDRESS, 80);
    }

    /** As after a crash between a change of address and the removal of the former one. */
    @Test
    void anAddressThatACrashLeft_isRemovedAtTheNextStart() throws IOException {
        serving().close();
        Command.run(List.of("ip", "addr", "add", OTHER + "/32", "dev", "lo"));
        Files.writeString(directory.resolve("addresses"), ADDRESS + "\n" + OTHER);

        processes.provider(directory, Map.of());

        assertThat(Command.run(List.of("ip", "-o", "addr", "show", "dev", "lo")).output())
                .contains(ADDRESS + "/32")
                .doesNotContain(OTHER + "/32");
    }
}
