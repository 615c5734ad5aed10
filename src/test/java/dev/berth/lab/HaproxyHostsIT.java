package dev.berth.lab;

import static dev.berth.lab.Traffic.awaitReply;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.lab.Peer.Load;
import dev.berth.plugin.grpc.transport.Tls;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.TlsFiles;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two hosts with a real HAProxy each, over mutual TLS: one has an address, and the other takes it over. */
@LabOnly
@SuppressWarnings("NullAway.Init") // JUnit calls what sets them first
class HaproxyHostsIT {
    private static final List<String> PLACES = List.of("10.77.0.5", "10.77.0.6");

    /** As docs/haproxy.md says, from the moment at which a host is gone to the first request that is answered. */
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private static final int TRIES = 3;

    private Lab lab;
    private Namespace second;
    private List<HaproxyHost> hosts;
    private OperatorProcess operator;
    private String namespace;

    @BeforeEach
    void start() throws IOException {
        lab = Lab.start(KubeProxyMode.NFTABLES, 1);
        second = Namespace.create("lb2");
        lab.plug(second, "10.77.0.6", "fd77::6");
        lab.throughRouter(second);
        Path folder = Files.createDirectories(lab.folder().resolve("tls"));
        TlsFiles tls = new TlsFiles(folder);
        tls.renew(Set.copyOf(PLACES));
        hosts = List.of(host(lab.loadBalancerHost(), 0, tls.host()), host(second, 1, tls.host()));

        Path plugins = Files.createDirectories(lab.folder().resolve("plugins"));
        Files.writeString(
                plugins.resolve("lb.grpc.properties"),
                "targets=dns:///10.77.0.5:9443, dns:///10.77.0.6:9443\n" + written(tls.client()));
        operator = lab.installation().startOperator("--plugin-dir=" + plugins);
        LoadBalancerClass proxy = new LoadBalancerClass();
        proxy.setMetadata(new ObjectMetaBuilder().withName("proxy").build());
        proxy.setSpec(Serialization.unmarshal(
                "{\"loadBalancerClass\": \"test.dev/proxy\", \"provider\": \"lb\"}", LoadBalancerClass.Spec.class));
        lab.installation().client().resource(proxy).create();
        namespace = lab.namespace("hosts");
        lab.installation().pool(namespace, "10.77.0.100/30", "fd77::100/124");
    }

    private HaproxyHost host(Namespace machine, int number, Tls.Files tls) {
        return new HaproxyHost(
                lab,
                machine,
                "host" + number,
                "listen=%s:9444\npeers=10.77.0.5:9444,10.77.0.6:9444\n".formatted(PLACES.get(number)) + written(tls),
                List.of(
                        "--listen=" + PLACES.get(number) + ":9443",
                        "--ca=" + tls.authority(),
                        "--certificate=" + tls.certificate(),
                        "--key=" + tls.key()));
    }

    private static String written(Tls.Files tls) {
        return "ca=%s\ncertificate=%s\nkey=%s\n".formatted(tls.authority(), tls.certificate(), tls.key());
    }

    @AfterEach
    void stop() {
        operator.close();
        hosts.forEach(HaproxyHost::close);
        lab.close();
        second.delete();
    }

    /** Those that have the address. */
    private List<HaproxyHost> having(String ip) {
        return hosts.stream()
                .filter(host -> host.addresses().contains(" " + ip + "/"))
                .toList();
    }

    private HaproxyHost other(HaproxyHost host) {
        return hosts.get(1 - hosts.indexOf(host));
    }

    /**
     * How long after a moment clients are answered that have sent to the address before: one on its network, and one beyond a
     * router.
     */
    private Duration untilServed(List<String> urls, long since) {
        urls.forEach(url -> Stream.of(lab.node(1).client(), lab.client())
                .forEach(client -> Awaitility.await()
                        .pollInterval(Duration.ofMillis(20))
                        .until(() -> client.get(url, "300ms").ok())));
        return Duration.ofNanos(System.nanoTime() - since);
    }

    /**
     * An address that has moved.
     *
     * @param took until the last client was answered
     * @param failures what clients were told when the host was back; empty: all were answered
     */
    private record Move(Duration took, String failures) {
        boolean isGood(Duration limit) {
            return took.compareTo(limit) < 0 && failures.isEmpty();
        }
    }

    /** The best of some counts: what else the machine does only adds to it. */
    private static void assertServedSoon(Supplier<Move> tried) {
        Move move = tried.get();
        Duration limit = Limit.of(LIMIT);
        for (int tries = 1; tries < TRIES && !move.isGood(limit); tries++) {
            move = tried.get();
            limit = Limit.of(LIMIT);
        }
        System.out.printf(
                "taken over, to the last client that is answered: %d ms%n",
                move.took().toMillis());
        assertThat(move.took()).isLessThan(limit);
        assertThat(move.failures()).isEmpty();
    }

    @Test
    void addressOfAHostThatIsGone_isTakenOver_withoutOperatorAndApiServer_andIsNeverOnTwo() throws Exception {
        lab.node(1).pod(namespace, namespace + "-a", Map.of("app", "web"));
        Service service = Traffic.service(
                lab,
                namespace,
                "web",
                "proxy",
                change ->
                        change.editSpec().withIpFamilyPolicy("RequireDualStack").endSpec());
        List<String> ips = Installation.ips(service);
        List<String> urls = List.of(Traffic.url(ips.getFirst()), Traffic.url(ips.getLast()));
        urls.forEach(url -> Stream.of(lab.client(), lab.node(1).client()).forEach(client -> awaitReply(client, url)));
        assertThat(ips).allSatisfy(ip -> assertThat(having(ip)).hasSize(1));

        try (Watch watch = new Watch(ips)) {
            moves(ips, urls);
            assertThat(watch.longestOnTwo()).isLessThan(Limit.of(LIMIT));
        }
    }

    private void moves(List<String> ips, List<String> urls) {
        assertServedSoon(() -> machineIsOff(ips, urls));
        assertServedSoon(() -> isAskedToEnd(ips, urls));
        // Nobody is there who could have anything done.
        operator.close();
        lab.controlPlane().stopApiServer();
        try {
            assertServedSoon(() -> isKilled(ips, urls));
        } finally {
            lab.controlPlane().startApiServer();
        }
    }

    /** One that waits for a processor for longer than its lease loses what it has. */
    private void assertStaysOn(HaproxyHost host, List<String> ips) {
        if (Limit.isMachineBusy()) {
            Awaitility.await()
                    .untilAsserted(() -> assertThat(ips)
                            .allSatisfy(ip -> assertThat(having(ip)).hasSize(1)));
        } else {
            assertThat(ips).allSatisfy(ip -> assertThat(having(ip)).containsExactly(host));
        }
    }

    private Move machineIsOff(List<String> ips, List<String> urls) {
        HaproxyHost lost = having(ips.getFirst()).getFirst();
        HaproxyHost left = other(lost);
        String port = "to-" + (hosts.indexOf(lost) == 0 ? "lb" : "lb2");
        Namespace.HERE.ip("link set " + port + " down");
        long since = System.nanoTime();
        lost.close();
        Duration took = untilServed(urls, since);

        // It comes back, and nobody notices.
        Namespace.HERE.ip("link set " + port + " up");
        CompletableFuture<Load> load = lab.client().load(urls.getFirst(), 500, 2, "10ms");
        lost.start();
        Load done = load.join();
        assertStaysOn(left, ips);
        return new Move(took, done.failed() == 0 ? "" : done.errors().toString());
    }

    /** The other has them when it has ended. */
    private Move isAskedToEnd(List<String> ips, List<String> urls) {
        HaproxyHost ending = having(ips.getFirst()).getFirst();
        HaproxyHost left = other(ending);
        long since = System.nanoTime();
        ending.end();
        Duration took = untilServed(urls, since);
        ending.start();
        assertStaysOn(left, ips);
        return new Move(took, "");
    }

    /** The provider's process; HAProxy goes on. */
    private Move isKilled(List<String> ips, List<String> urls) {
        HaproxyHost killed = having(ips.getFirst()).getFirst();
        HaproxyHost left = other(killed);
        long since = System.nanoTime();
        killed.kill();
        Awaitility.await()
                .pollInterval(Duration.ofMillis(50))
                .until(() -> ips.stream().allMatch(ip -> having(ip).equals(List.of(left))));
        Duration took = untilServed(urls, since);
        killed.start();
        return new Move(took, "");
    }

    /** Looks all the time how many hosts have an address. */
    private final class Watch implements AutoCloseable {
        private final Thread looks;
        private final AtomicLong longest = new AtomicLong();
        private final AtomicLong looked = new AtomicLong();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();

        Watch(List<String> ips) {
            Thread.Builder thread = Thread.ofVirtual().uncaughtExceptionHandler((ended, why) -> failure.set(why));
            looks = thread.start(() -> {
                Map<String, Long> onTwoSince = new HashMap<>();
                while (!Thread.currentThread().isInterrupted()) {
                    for (String ip : ips) {
                        if (having(ip).size() < 2) {
                            onTwoSince.remove(ip);
                        } else {
                            long since = onTwoSince.computeIfAbsent(ip, none -> System.nanoTime());
                            longest.accumulateAndGet(System.nanoTime() - since, Math::max);
                        }
                    }
                    looked.incrementAndGet();
                    LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
                }
            });
        }

        /** Fails unless it has looked all the time. */
        Duration longestOnTwo() {
            if (!looks.isAlive() || looked.get() == 0) {
                throw new IllegalStateException("it ended after " + looked + " looks", failure.get());
            }
            return Duration.ofNanos(longest.get());
        }

        @Override
        public void close() throws InterruptedException {
            looks.interrupt();
            looks.join();
        }
    }
}
