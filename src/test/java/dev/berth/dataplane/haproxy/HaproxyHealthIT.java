package dev.berth.dataplane.haproxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.lab.LabOnly;
import dev.berth.lab.LoopbackStaysClean;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Endpoint;
import dev.berth.provider.LoadBalancerRequest.HealthCheck;
import dev.berth.provider.LoadBalancerRequest.Node;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.Protocol;
import dev.berth.provider.ServiceIdentity;
import dev.berth.provider.TargetHealth;
import io.prometheus.client.Collector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a real HAProxy does by the health checks of targets, and what it says of it. */
@LabOnly
@ExtendWith(LoopbackStaysClean.class)
class HaproxyHealthIT {
    private static final String ADDRESS = "198.51.100.3";
    private static final String ADDRESS6 = "2001:db8:ffff::3";
    private static final int NODE_PORT = 30080;
    private static final int CHECK_PORT = 10256;

    @TempDir
    Path directory;

    private final HaproxyProcesses processes = new HaproxyProcesses();
    private final List<ServerSocket> sockets = new ArrayList<>();

    @AfterEach
    void end() throws IOException {
        processes.close();
        for (ServerSocket socket : sockets) {
            socket.close();
        }
        Command.run(List.of("ip", "addr", "del", ADDRESS + "/32", "dev", "lo"));
        Command.run(List.of("ip", "addr", "del", ADDRESS6 + "/128", "dev", "lo"));
    }

    /** Of nodes 127.0.0.1 and so on. */
    private static LoadBalancerRequest request(boolean local, String... nodes) {
        return LoadBalancerRequest.builder("cluster", new ServiceIdentity("shop", "web", "uid-1"), IpMode.PROXY)
                .fencingToken(1)
                .addresses(List.of(ADDRESS))
                .ports(List.of(new Port("", Protocol.TCP, 80, NODE_PORT)))
                .nodes(Stream.of(nodes)
                        .map(node -> Node.named(node).withAddresses(List.of(node)))
                        .toList())
                .healthCheck(new HealthCheck(CHECK_PORT, "/healthz"))
                .localTrafficPolicy(local)
                .build();
    }

    /** Answers each connection with its own address. */
    private ServerSocket node(String address) {
        return listens(address, NODE_PORT, address);
    }

    private ServerSocket passingCheck(String address) {
        return listens(address, CHECK_PORT, "HTTP/1.0 200 OK\r\n\r\n");
    }

    private ServerSocket listens(String address, int port, String answer) {
        try {
            ServerSocket socket = new ServerSocket(port, 50, InetAddress.ofLiteral(address));
            sockets.add(socket);
            Thread.ofVirtual().start(() -> {
                while (!socket.isClosed()) {
                    try (Socket client = socket.accept()) {
                        client.getOutputStream().write(answer.getBytes(UTF_8));
                    } catch (IOException closed) {
                        // The next one, or the end.
                    }
                }
            });
            return socket;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** What a new connection to the Service gets; empty: nothing. */
    private static String answer() {
        return answer(ADDRESS);
    }

    private static String answer(String address) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, 80), 1_000);
            socket.setSoTimeout(5_000);
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        } catch (IOException refused) {
            return "";
        }
    }

    private static void await(Runnable assertion) {
        Awaitility.await().untilAsserted(assertion::run);
    }

    @Test
    void ifAllTargetsFail_policyClusterUsesAll_andThoseThatPassAgain_alone() throws IOException {
        node("127.0.0.1");
        node("127.0.0.2");
        HaproxyProvider provider = processes.provider(directory, Map.of());

        assertThat(provider.ensureLoadBalancer(request(false, "127.0.0.1", "127.0.0.2")))
                .isInstanceOf(EnsureOutcome.Ready.class);

        assertThat(List.of(answer(), answer(), answer(), answer())).contains("127.0.0.1", "127.0.0.2");

        ServerSocket check = passingCheck("127.0.0.2");
        await(() -> assertThat(List.of(answer(), answer(), answer(), answer())).containsOnly("127.0.0.2"));
        check.close();
        await(() -> assertThat(List.of(answer(), answer(), answer(), answer())).contains("127.0.0.1", "127.0.0.2"));
    }

    @Test
    void aTargetThatComesAndOneThatGoesByAnUpdate_areAmongAll_orNot() {
        node("127.0.0.1");
        node("127.0.0.2");
        HaproxyProvider provider = processes.provider(directory, Map.of());
        provider.ensureLoadBalancer(request(false, "127.0.0.1"));
        String worker = worker();

        provider.updateLoadBalancer(request(false, "127.0.0.1", "127.0.0.2"));
        assertThat(List.of(answer(), answer(), answer(), answer())).contains("127.0.0.1", "127.0.0.2");

        provider.updateLoadBalancer(request(false, "127.0.0.2"));
        assertThat(List.of(answer(), answer(), answer(), answer())).containsOnly("127.0.0.2");
        assertThat(worker()).as("without a reload").isEqualTo(worker);
    }

    /** Its process ID; a reload makes another one. */
    private String worker() {
        return processes
                .runtime(directory, "show info")
                .lines()
                .filter(line -> line.startsWith("Pid: "))
                .findFirst()
                .orElseThrow();
    }

    private static LoadBalancerRequest pods(String... addresses) {
        return request(true).toBuilder()
                .healthCheck(null)
                .endpoints(Stream.of(addresses)
                        .map(address -> new Endpoint("", address, NODE_PORT, "n1"))
                        .toList())
                .build();
    }

    /** Without any, it would close a connection at once. */
    @Test
    void podsThatOthersReplace_leaveNoMomentWithoutAny() throws Exception {
        node("127.0.0.1");
        node("127.0.0.2");
        HaproxyProvider provider = processes.provider(directory, Map.of());
        provider.ensureLoadBalancer(pods("127.0.0.1"));
        String worker = worker();

        AtomicBoolean isOver = new AtomicBoolean();
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Set<String>>> answers = IntStream.range(0, 4)
                    .mapToObj(_ -> clients.submit(() -> {
                        Set<String> all = new HashSet<>();
                        while (!isOver.get()) {
                            all.add(answer());
                        }
                        return all;
                    }))
                    .toList();
            try {
                for (int i = 0; i < 50; i++) {
                    provider.updateLoadBalancer(pods(i % 2 == 0 ? "127.0.0.2" : "127.0.0.1"));
                }
            } finally {
                isOver.set(true);
            }
            for (Future<Set<String>> client : answers) {
                assertThat(client.get()).containsExactlyInAnyOrder("127.0.0.1", "127.0.0.2");
            }
        }
        assertThat(worker()).as("without a reload").isEqualTo(worker);
    }

    @Test
    void aPodThatReturns_whileAConnectionToItLasts_isTakenUpWithoutAReload() throws IOException {
        ServerSocket lasting = new ServerSocket(NODE_PORT, 50, InetAddress.ofLiteral("127.0.0.1"));
        lasting.setSoTimeout(10_000);
        sockets.add(lasting);
        node("127.0.0.2");
        HaproxyProvider provider = processes.provider(directory, Map.of());
        provider.ensureLoadBalancer(pods("127.0.0.1"));
        String worker = worker();

        try (Socket client = new Socket(ADDRESS, 80);
                Socket server = lasting.accept()) {
            provider.updateLoadBalancer(pods("127.0.0.2"));
            assertThat(answer()).isEqualTo("127.0.0.2");
            provider.updateLoadBalancer(pods("127.0.0.1"));

            client.getOutputStream().write('?');
            assertThat(server.getInputStream().read()).isEqualTo('?');
            try (Socket other = new Socket(ADDRESS, 80);
                    Socket next = lasting.accept()) {
                other.getOutputStream().write('!');
                assertThat(next.getInputStream().read()).isEqualTo('!');
            }
        }
        assertThat(worker()).as("without a reload").isEqualTo(worker);
    }

    @Test
    void aPodThatDoesNotListen_getsNoConnections() {
        node("127.0.0.2");
        HaproxyProvider provider = processes.provider(directory, Map.of());
        LoadBalancerRequest pods = pods("127.0.0.1", "127.0.0.2");
        provider.ensureLoadBalancer(pods);
        await(() -> assertThat(health(provider, pods)).contains(new TargetHealth(2, 1)));
        int before = statistic("econ");

        assertThat(List.of(answer(), answer(), answer(), answer())).containsOnly("127.0.0.2");

        assertThat(statistic("econ")).as("connections that failed").isEqualTo(before);
    }

    @Test
    void affinity_endsAfterItsTimeout() {
        node("127.0.0.1");
        node("127.0.0.2");
        HaproxyProvider provider = processes.provider(directory, Map.of());
        provider.ensureLoadBalancer(request(false, "127.0.0.1", "127.0.0.2").toBuilder()
                .sessionAffinity(Duration.ofSeconds(2))
                .build());
        String first = answer();
        assertThat(List.of(answer(), answer(), answer())).containsOnly(first);

        await(() -> assertThat(processes.runtime(directory, "show table")).doesNotContainPattern("used:[1-9]"));

        assertThat(answer()).isNotEmpty().isNotEqualTo(first);
    }

    private LoadBalancerRequest with(String parameter, String value, String node) {
        return request(false, node).toBuilder()
                .parameters(Map.of(parameter, value))
                .build();
    }

    @Test
    void connectionsAboveMaxConnections_wait() throws IOException {
        try (ServerSocket node = new ServerSocket(NODE_PORT, 50, InetAddress.ofLiteral("127.0.0.1"))) {
            processes.provider(directory, Map.of()).ensureLoadBalancer(with("maxConnections", "1", "127.0.0.1"));
            node.setSoTimeout(5_000);
            Socket first = new Socket(ADDRESS, 80);
            Socket firstAtNode = node.accept();
            try (Socket second = new Socket(ADDRESS, 80)) {
                assertThat(second.isConnected()).isTrue();
                node.setSoTimeout(500);
                assertThatThrownBy(node::accept).isInstanceOf(SocketTimeoutException.class);

                first.close();
                firstAtNode.close();
                node.setSoTimeout(5_000);
                assertThat(node.accept().isConnected()).isTrue();
            }
        }
    }

    @Test
    void aConnectionThatNobodySendsOn_isClosedAfterIdleTimeout() throws IOException {
        try (ServerSocket node = new ServerSocket(NODE_PORT, 50, InetAddress.ofLiteral("127.0.0.1"))) {
            processes.provider(directory, Map.of()).ensureLoadBalancer(with("idleTimeout", "1s", "127.0.0.1"));
            try (Socket client = new Socket(ADDRESS, 80);
                    Socket server = node.accept()) {
                client.setSoTimeout(10_000);
                assertThat(client.getInputStream().read()).isEqualTo(-1);
                assertThat(server.getInputStream().read()).isEqualTo(-1);
            }
        }
    }

    /** What this host sends there is lost, and nobody refuses it; by default it is waited for 5 s each of four times. */
    @Test
    void aTargetThatDoesNotAnswer_isGivenUpAfterConnectTimeout() throws IOException {
        Command.run(List.of("nft", "add table inet lost"));
        Command.run(List.of("nft", "add chain inet lost out { type filter hook output priority 0; }"));
        Command.run(List.of("nft", "add rule inet lost out ip daddr 203.0.113.7 drop"));
        try {
            processes.provider(directory, Map.of()).ensureLoadBalancer(with("connectTimeout", "200ms", "203.0.113.7"));
            try (Socket client = new Socket(ADDRESS, 80)) {
                client.setSoTimeout(4_900);
                assertThat(client.getInputStream().read()).isEqualTo(-1);
            }
        } finally {
            Command.run(List.of("nft", "delete table inet lost"));
        }
    }

    private static Optional<TargetHealth> health(HaproxyProvider provider, LoadBalancerRequest request) {
        return provider.getLoadBalancer(request).flatMap(status -> Optional.ofNullable(status.targets()));
    }

    @Test
    void healthyTargets_areCounted() throws IOException {
        ServerSocket first = passingCheck("127.0.0.1");
        HaproxyProvider provider = processes.provider(directory, Map.of());
        LoadBalancerRequest two = request(false, "127.0.0.1", "127.0.0.2");

        provider.ensureLoadBalancer(two);
        await(() -> assertThat(health(provider, two)).contains(new TargetHealth(2, 1)));
        passingCheck("127.0.0.2");
        await(() -> assertThat(health(provider, two)).contains(new TargetHealth(2, 2)));
        first.close();
        await(() -> assertThat(health(provider, two)).contains(new TargetHealth(2, 1)));

        provider.updateLoadBalancer(request(false, "127.0.0.2"));
        assertThat(health(provider, two)).contains(new TargetHealth(1, 1));
    }

    private static double metric(Collector metrics, String name) {
        return metrics.collect().stream()
                .flatMap(family -> family.samples.stream())
                .filter(sample -> sample.name.equals("berth_haproxy_" + name))
                .mapToDouble(sample -> sample.value)
                .sum();
    }

    @Test
    void metrics_countWhatFormerWorkersCarry_andEndWithTheService() throws IOException {
        node("127.0.0.1");
        passingCheck("127.0.0.1");
        HaproxyProvider provider = processes.provider(directory, Map.of());
        LoadBalancerRequest web = request(false, "127.0.0.1");
        provider.ensureLoadBalancer(web);
        Collector metrics = provider.metrics();
        await(() -> assertThat(metric(metrics, "target_up")).isOne());
        answer();
        try (Socket open = new Socket(ADDRESS, 80)) {
            await(() -> assertThat(metric(metrics, "sessions_total")).isEqualTo(2));

            provider.ensureLoadBalancer(
                    web.toBuilder().parameters(Map.of("maxConnections", "50")).build());
            answer();

            await(() -> {
                assertThat(metric(metrics, "sessions_total")).isEqualTo(3);
                assertThat(metric(metrics, "current_sessions")).isOne();
                assertThat(metric(metrics, "bytes_out_total")).isEqualTo(3 * "127.0.0.1".length());
            });
            assertThat(open.isConnected()).isTrue();
        }
        await(() -> assertThat(metric(metrics, "current_sessions")).isZero());
        assertThat(metric(metrics, "sessions_total")).isEqualTo(3);

        provider.ensureLoadBalancerDeleted(web);
        assertThat(metrics.collect().stream()
                        .mapToInt(family -> family.samples.size())
                        .sum())
                .as("berth_haproxy_up alone")
                .isOne();
        assertThat(metric(metrics, "up")).isOne();
    }

    @Test
    void metrics_countWhatIsDenied_andWhatDoesNotComeAbout() {
        HaproxyProvider provider = processes.provider(directory, Map.of());
        LoadBalancerRequest web = request(false, "127.0.0.1");
        Collector metrics = provider.metrics();

        provider.ensureLoadBalancer(web);
        answer();
        await(() -> assertThat(metric(metrics, "connection_errors_total")).isPositive());
        assertThat(metric(metrics, "connections_denied_total")).isZero();

        provider.ensureLoadBalancer(
                web.toBuilder().sourceRanges(List.of("192.0.2.0/24")).build());
        assertThat(answer()).isEmpty();
        await(() -> assertThat(metric(metrics, "connections_denied_total")).isOne());
    }

    /** A client on this host has the address that it calls. */
    @Test
    void sourceRanges_areForClientsOfTheirFamily_andAFamilyWithoutAnyIsOpen() {
        node("127.0.0.1");
        HaproxyProvider provider = processes.provider(directory, Map.of());
        LoadBalancerRequest both = request(false, "127.0.0.1").toBuilder()
                .addresses(List.of(ADDRESS, ADDRESS6))
                .build();
        String elsewhere = "192.0.2.0/24";
        String elsewhere6 = "2001:db8:eeee::/64";
        record Row(List<String> ranges, boolean lets4In, boolean lets6In) {}
        List<Row> rows = List.of(
                new Row(List.of(elsewhere), false, true),
                new Row(List.of(elsewhere6), true, false),
                new Row(List.of(elsewhere, elsewhere6), false, false),
                new Row(List.of(elsewhere, elsewhere6, "198.51.100.0/24"), true, false),
                new Row(List.of(elsewhere, elsewhere6, "2001:db8:ffff::/64"), false, true),
                new Row(List.of(elsewhere, "::/0"), false, true),
                new Row(List.of("0.0.0.0/0", elsewhere6), true, false));

        for (Row row : rows) {
            provider.ensureLoadBalancer(
                    both.toBuilder().sourceRanges(row.ranges()).build());

            assertThat(!answer(ADDRESS).isEmpty()).as("IPv4, %s", row).isEqualTo(row.lets4In());
            assertThat(!answer(ADDRESS6).isEmpty()).as("IPv6, %s", row).isEqualTo(row.lets6In());
        }
    }

    /** With affinity, HAProxy would try it three times, a second apart. */
    @Test
    void aTargetThatRefusesConnections_isLeftForAnotherAtOnce() throws IOException {
        passingCheck("127.0.0.1");
        passingCheck("127.0.0.2");
        HaproxyProvider provider = processes.provider(directory, Map.of());
        LoadBalancerRequest web = request(false, "127.0.0.1", "127.0.0.2").toBuilder()
                .sessionAffinity(Duration.ofHours(1))
                .build();
        ServerSocket chosen = node("127.0.0.2");
        provider.ensureLoadBalancer(web);
        await(() -> assertThat(health(provider, web)).contains(new TargetHealth(2, 2)));
        assertThat(answer()).isEqualTo("127.0.0.2");
        chosen.close();
        // The thread that accepts may hold it open for a moment.
        await(() -> assertThatThrownBy(() -> new Socket("127.0.0.2", NODE_PORT).close())
                .isInstanceOf(ConnectException.class));
        node("127.0.0.1");

        assertThat(answer()).isEqualTo("127.0.0.1");

        assertThat(statistic("wretr")).as("tries of the same").isZero();
    }

    /** Of the backend. */
    private int statistic(String column) {
        List<String> lines =
                processes.runtime(directory, "show stat -1 2 -1").lines().toList();
        int index = List.of(lines.getFirst().substring(2).split(",", -1)).indexOf(column);
        return lines.stream()
                .skip(1)
                .filter(line -> !line.isBlank())
                .mapToInt(line -> Integer.parseInt(line.split(",", -1)[index]))
                .sum();
    }

    /** A node that fails has no endpoint, and would drop what it got. */
    @Test
    void ifAllTargetsFail_policyLocalUsesNone() {
        node("127.0.0.1");
        HaproxyProvider provider = processes.provider(directory, Map.of());
        provider.ensureLoadBalancer(request(true, "127.0.0.1"));

        assertThat(answer()).isEmpty();

        passingCheck("127.0.0.1");
        await(() -> assertThat(answer()).isEqualTo("127.0.0.1"));
    }
}
