package dev.berth.lab;

import static dev.berth.lab.Traffic.awaitReply;
import static dev.berth.lab.Traffic.url;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.berth.api.v1alpha1.BGPPeer;
import dev.berth.lab.Peer.Load;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Program;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * {@code make bench-bgp}: how soon two routers have 1,000 addresses of three nodes, how soon a route follows an
 * EndpointSlice, what is lost when something ends, and what agents and speakers need. Prints numbers and judges none.
 * Traffic stays in the lab's namespaces.
 */
final class BgpBench {
    private static final int SERVICES = 2_000;
    private static final int ANNOUNCED = 1_000;
    private static final String POOL = "10.79.0.0/20";
    private static final int AT_ONCE = 8;
    private static final int ROUNDS = 3;
    private static final int TOGGLES = 100;
    private static final int REQUESTS = 5_000;
    private static final int CLIENTS = 16;
    private static final String PAUSE = "40ms";
    /** What comes up to 100 ms after a decision that takes long waits. */
    private static final int AFTER_THE_LAST = 150;

    private static final int HOLD_TIME = 30;
    private static final Duration REST = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Pattern NEXT_HOP = Pattern.compile("\\bvia 10\\.77\\.0\\.1[1-3]\\b");

    private final Lab lab;
    private final LabRouter bird;
    private final LabFrr frr;
    private final String namespace;
    private final List<LabSpeaker> speakers;
    private final List<LabAgent> agents = new ArrayList<>();

    private BgpBench(Lab lab, LabRouter bird, LabFrr frr) {
        this.lab = lab;
        this.bird = bird;
        this.frr = frr;
        this.namespace = lab.namespace("bench");
        lab.installation().pool(namespace, POOL);
        admin().resource("""
                apiVersion: berth.dev/v1alpha1
                kind: LoadBalancerClass
                metadata: {name: bgp}
                spec: {loadBalancerClass: test.dev/bgp, provider: bgp}
                """).create();
        Path key = LabAgent.prepare(lab);
        speakers =
                lab.nodes().stream().map(node -> new LabSpeaker(node).start()).toList();
        for (int node = 0; node < speakers.size(); node++) {
            agents.add(
                    new LabAgent(lab.nodes().get(node), key, speakers.get(node).flag()).start());
        }
        agents.forEach(LabAgent::awaitReady);
    }

    /** No arguments. */
    public static void main(String... arguments) throws Exception {
        if (System.getenv("BERTH_LAB") == null) {
            System.err.println("lab: there can be none here: " + System.getenv("BERTH_LAB_MISSING"));
            System.exit(2);
        }
        Program.run(() -> {
            try (Lab lab = Lab.start(KubeProxyMode.NFTABLES, 3);
                    OperatorProcess _ = lab.installation().startOperator();
                    LabRouter bird = new LabRouter(lab);
                    LabFrr frr = new LabFrr(lab, POOL, SERVICES)) {
                System.out.printf(
                        "%d processors for everything together, load average before: %.1f%n%n",
                        Runtime.getRuntime().availableProcessors(),
                        Double.parseDouble(
                                Files.readString(Path.of("/proc/loadavg")).split(" ", -1)[0]));
                BgpBench bench = new BgpBench(lab, bird, frr);
                bench.create();
                bench.converge();
                bench.rest();
                bench.follow();
                bench.end();
                bench.close();
                return 0;
            } catch (InterruptedException ctrlC) {
                System.err.println("lab: interrupted");
                return 1;
            }
        });
    }

    private void close() {
        agents.forEach(LabAgent::close);
        speakers.forEach(LabSpeaker::close);
    }

    private KubernetesClient admin() {
        return lab.controlPlane().adminClient();
    }

    private void peers(int holdTime) {
        for (String address : List.of(LabRouter.IPV4, LabFrr.IPV4)) {
            admin().resource("""
                    apiVersion: berth.dev/v1alpha1
                    kind: BGPPeer
                    metadata: {name: %s}
                    spec: {peerAddress: "%s", peerASN: %d, myASN: %d, holdTime: %ds, keepaliveTime: %ds,
                      connectRetryTime: 2s}
                    """.formatted(
                                    address.equals(LabFrr.IPV4) ? "frr" : "bird",
                                    address,
                                    LabRouter.ASN,
                                    LabRouter.ASN_OF_NODES,
                                    holdTime,
                                    holdTime / 3))
                    .create();
        }
    }

    /** How many next hops a router's kernel has for addresses of the pool. */
    private long nextHops(Namespace router) {
        return NEXT_HOP.matcher(router.ip("-4 route show root " + POOL))
                .results()
                .count();
    }

    /** Seconds from {@code start} to when a router has so many next hops. */
    private double until(Namespace router, long start, long nextHops) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> nextHops(router) == nextHops);
        return (System.nanoTime() - start) / 1e9;
    }

    private double untilBoth(long start, long nextHops) {
        return Math.max(until(lab.router(), start, nextHops), until(frr.namespace(), start, nextHops));
    }

    // ---- many addresses

    private void create() throws InterruptedException {
        peers(HOLD_TIME);
        lab.node(2).pod(namespace, "bench-mass", Map.of("app", "mass"));
        long start = System.nanoTime();
        try (ExecutorService writers = Executors.newFixedThreadPool(AT_ONCE)) {
            IntStream.range(0, SERVICES).forEach(number -> writers.execute(() -> create(number)));
        }
        double created = (System.nanoTime() - start) / 1e9;
        System.out.printf(
                "%d Services are created in %.1f s; after %.1f s both routers have the addresses of %d from 3 nodes%n%n",
                SERVICES, created, untilBoth(start, 3L * ANNOUNCED), ANNOUNCED);
    }

    private void create(int number) {
        lab.installation()
                .service(
                        namespace,
                        "many-" + number,
                        service -> (number < ANNOUNCED
                                        ? service.editSpec().withLoadBalancerClass("test.dev/bgp")
                                        : service.editSpec()
                                                .withType("ClusterIP")
                                                .withLoadBalancerClass(null))
                                .withSelector(Map.of("app", "mass"))
                                .endSpec());
    }

    private void converge() {
        System.out.printf(
                "%-58s %8s %8s %8s%n",
                ANNOUNCED + " addresses of 3 nodes, until a router's kernel has them, s", "least", "median", "most");
        List<Double> both = new ArrayList<>();
        List<Double> first = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            admin().resources(BGPPeer.class).delete();
            untilBoth(System.nanoTime(), 0);
            long start = System.nanoTime();
            peers(HOLD_TIME);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> nextHops(lab.router()) > 0);
            first.add((System.nanoTime() - start) / 1e9);
            both.add(untilBoth(start, 3L * ANNOUNCED));
        }
        row("from the BGPPeers to the first route, BIRD", first);
        row("from the BGPPeers to the last route, BIRD and FRR", both);
        System.out.println();
    }

    private static void row(String what, List<Double> values) {
        System.out.printf(
                "%-58s %8.2f %8.2f %8.2f%n",
                what, percentile(values, 0), percentile(values, 50), percentile(values, 100));
    }

    private static double percentile(List<Double> values, int percent) {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
    }

    // ---- what they need

    private void rest() throws InterruptedException {
        Thread.sleep(LabAgent.SETTLE);
        List<Duration> agentsBefore =
                agents.stream().map(LabAgent::processorTime).toList();
        List<Duration> speakersBefore =
                speakers.stream().map(LabSpeaker::processorTime).toList();
        Thread.sleep(REST);
        System.out.printf("%-58s %10s %20s%n", "each node", "MiB", "% of a core at rest");
        for (int node = 0; node < agents.size(); node++) {
            LabAgent agent = agents.get(node);
            LabSpeaker speaker = speakers.get(node);
            print("agent", agent.residentMemory(), agent.processorTime().minus(agentsBefore.get(node)));
            print("speaker", speaker.residentMemory(), speaker.processorTime().minus(speakersBefore.get(node)));
        }
        System.out.println();
    }

    private static void print(String what, long kibibytes, Duration used) {
        System.out.printf("%-58s %10d %20.2f%n", what, kibibytes / 1024, 100.0 * used.toNanos() / REST.toNanos());
    }

    // ---- how soon a route follows

    private record Seen(long at, String what) {}

    private void follow() throws Exception {
        lab.installation()
                .service(
                        namespace,
                        "follow",
                        change -> Traffic.local(change.editSpec()
                                .withLoadBalancerClass("test.dev/bgp")
                                .withSelector(Map.of())
                                .endSpec()));
        String ip = Installation.ips(lab.installation().awaitAddress(namespace, "follow"))
                .getFirst();
        slice(true);
        Traffic.await(() -> bird.nextHops(ip), List.of(lab.node(1).ipv4())::equals);
        Process monitor = lab.router().open("ip", "-4", "monitor", "route");
        BlockingQueue<Seen> routes = new LinkedBlockingQueue<>();
        Thread.ofPlatform()
                .daemon()
                .start(() -> monitor.inputReader(UTF_8)
                        .lines()
                        .filter(line -> line.contains(ip + " "))
                        .forEach(line -> routes.add(
                                new Seen(System.nanoTime(), line.startsWith("Deleted") ? "false" : "true"))));
        BlockingQueue<Seen> events = new LinkedBlockingQueue<>();
        List<Double> comes = new ArrayList<>();
        List<Double> goes = new ArrayList<>();
        try (Watch _ = watch(events)) {
            for (int toggle = 0; toggle < TOGGLES; toggle++) {
                boolean ready = toggle % 2 == 1;
                Thread.sleep(AFTER_THE_LAST + toggle);
                slice(ready);
                long event = await(events, ready);
                (ready ? comes : goes).add((await(routes, ready) - event) / 1e6);
            }
        } finally {
            monitor.destroy();
        }
        System.out.printf(
                "%-58s %8s %8s %8s%n", "from an EndpointSlice's event to the router's kernel, ms", "p50", "p95", "max");
        for (boolean ready : new boolean[] {true, false}) {
            List<Double> millis = ready ? comes : goes;
            System.out.printf(
                    "%-58s %8.0f %8.0f %8.0f%n",
                    ready ? "an endpoint is ready, the route comes" : "it is not ready, the route goes",
                    percentile(millis, 50),
                    percentile(millis, 95),
                    percentile(millis, 100));
        }
        System.out.println();
        lab.installation().deleteService(namespace, "follow");
    }

    private static long await(BlockingQueue<Seen> queue, boolean ready) throws InterruptedException {
        while (true) {
            Seen seen = queue.poll(30, TimeUnit.SECONDS);
            if (seen == null) {
                throw new IllegalStateException("nothing came for 30 s");
            }
            if (seen.what().equals(String.valueOf(ready))) {
                return seen.at();
            }
        }
    }

    private Watch watch(BlockingQueue<Seen> events) {
        return admin().discovery()
                .v1()
                .endpointSlices()
                .inNamespace(namespace)
                .withName("follow")
                .watch(new Watcher<EndpointSlice>() {
                    @Override
                    public void eventReceived(Action action, EndpointSlice slice) {
                        events.add(new Seen(
                                System.nanoTime(),
                                String.valueOf(slice.getEndpoints()
                                        .getFirst()
                                        .getConditions()
                                        .getReady())));
                    }

                    @Override
                    public void onClose(@Nullable WatcherException cause) {
                        // What waits for the next event says so.
                    }
                });
    }

    private void slice(boolean ready) {
        admin().resource(new EndpointSliceBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName("follow")
                        .addToLabels("kubernetes.io/service-name", "follow")
                        .endMetadata()
                        .withAddressType("IPv4")
                        .addNewEndpoint()
                        .withAddresses("10.244.1.250")
                        .withNodeName(lab.node(1).name())
                        .withNewConditions()
                        .withReady(ready)
                        .endConditions()
                        .endEndpoint()
                        .addNewPort()
                        .withName("http")
                        .withPort(LabPod.PORT)
                        .withProtocol("TCP")
                        .endPort()
                        .build())
                .forceConflicts()
                .serverSideApply();
    }

    // ---- what is lost

    private void end() throws Exception {
        LabPod pod = lab.node(1).pod(namespace, "bench-web", Map.of("app", "web"));
        Service local = Traffic.service(lab, namespace, "local", "bgp", Traffic::local);
        Traffic.await(
                () -> bird.nextHops(Traffic.url(local).replaceAll("http://|/", "")),
                List.of(lab.node(1).ipv4())::equals);
        awaitReply(lab.client(), url(local));
        System.out.printf(
                "%-58s %10s %14s%n",
                "of " + REQUESTS + " requests, beside " + ANNOUNCED + " addresses", "failed", "slowest, ms");
        LabAgent agent = agents.getFirst();
        LabSpeaker speaker = speakers.getFirst();
        lost("nothing is ended", url(local), () -> {});
        lost("the agent is killed, and is back", url(local), () -> {
            agent.kill();
            agent.start().awaitReady();
        });
        lost("gobgpd is killed, and is back", url(local), () -> {
            speaker.kill();
            speaker.start();
            awaitEstablished();
        });
        lost("both are killed, and are back", url(local), () -> {
            agent.kill();
            speaker.kill();
            speaker.start();
            agent.start().awaitReady();
            awaitEstablished();
        });
        lab.installation().deleteService(namespace, "local");
        Service cluster = Traffic.service(lab, namespace, "cluster", "bgp", UnaryOperator.identity());
        for (int holdTime : new int[] {3, 9}) {
            powerCut(cluster, holdTime);
        }
        pod.close();
    }

    private void lost(String what, String url, Runnable change) {
        CompletableFuture<Load> load = lab.client().load(url, REQUESTS, CLIENTS, PAUSE);
        change.run();
        print(what, load.join());
    }

    private static void print(String what, Load load) {
        System.out.printf("%-58s %10d %14d%n", what, load.failed(), load.max());
        load.errors().forEach(error -> System.out.println("    " + error));
    }

    /** All sessions of the node that was changed have been told everything. */
    private void awaitEstablished() {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> agents.getFirst().metrics().contains("berth_agent_bgp_sessions 2.0"));
    }

    /** Of a node without a pod of the Service, which a third of its clients go by. */
    private void powerCut(Service service, int holdTime) {
        admin().resources(BGPPeer.class).delete();
        untilBoth(System.nanoTime(), 0);
        peers(holdTime);
        LabNode lost = lab.node(3);
        String ip = Installation.ips(service).getFirst();
        Traffic.await(() -> bird.nextHops(ip), hops -> hops.size() == 3);
        awaitReply(lab.client(), url(service));
        CompletableFuture<Load> load = lab.client().load(url(service), REQUESTS, CLIENTS, PAUSE);
        long cut = System.nanoTime();
        Namespace.HERE.ip("link set to-" + lost.name() + " down");
        agents.getLast().kill();
        speakers.getLast().kill();
        Traffic.await(() -> bird.nextHops(ip), hops -> !hops.contains(lost.ipv4()));
        double seconds = (System.nanoTime() - cut) / 1e9;
        print(
                "the power of a node is cut, holdTime: %ds; it has routes for %.1f s".formatted(holdTime, seconds),
                load.join());
        Namespace.HERE.ip("link set to-" + lost.name() + " up");
        speakers.getLast().start();
        agents.getLast().start().awaitReady();
        Traffic.await(() -> bird.nextHops(ip), hops -> hops.size() == 3);
    }
}
