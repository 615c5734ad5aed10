package dev.berth.lab;

import static dev.berth.lab.Traffic.awaitReply;
import static dev.berth.lab.Traffic.url;

import dev.berth.lab.Peer.Load;
import dev.berth.testing.ChildProcess;
import dev.berth.testing.FreePort;
import dev.berth.testing.Installation;
import dev.berth.testing.InstalledMetalLb;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Program;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodIP;
import io.fabric8.kubernetes.api.model.Service;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code make bench-l2}: what Berth's agents and MetalLB's speakers need for 1,000 addresses by ARP and NDP, and what clients
 * see when an address moves to another node. Prints numbers and judges none. Traffic stays in the lab's namespaces.
 */
@Command(name = "bench-l2", mixinStandardHelpOptions = true)
final class L2Bench implements Runnable {
    private static final String POOL = "10.79.0.0/20";
    private static final String EXCLUDE = "node.kubernetes.io/exclude-from-external-load-balancers";
    /** Of requests, before something is done and after it. */
    private static final Duration BEFORE = Duration.ofMillis(500);

    private static final Duration AFTER = Duration.ofSeconds(1);
    private static final String TIMEOUT = "250ms";
    private static final Duration REST = Duration.ofSeconds(30);

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Map<String, Function<Lab, Announcers>> ALL = new LinkedHashMap<>();

    static {
        ALL.put("Berth", BerthAgents::new);
        ALL.put("MetalLB", MetalLbSpeakers::new);
    }

    @Option(names = "--cuts", description = "of the power, of each (default: ${DEFAULT-VALUE})")
    int cuts = 50;

    @Option(names = "--moves", description = "that are planned, of each kind (default: ${DEFAULT-VALUE})")
    int moves = 10;

    @Option(
            names = "--addresses",
            description = "that are announced; there are twice as many Services (default: ${DEFAULT-VALUE})")
    int addresses = 1_000;

    @Option(names = "--only", split = ",", description = "those with these names (default: all)")
    List<String> only = List.copyOf(ALL.keySet());

    /** One process on each node that answers for addresses there. */
    private interface Announcers extends AutoCloseable {
        /** Starts it again on that node. */
        void start(LabNode node);

        ChildProcess process(LabNode node);

        /** How many addresses all of them announce. */
        int announced();

        @Override
        void close();
    }

    public static void main(String... arguments) throws Exception {
        if (System.getenv("BERTH_LAB") == null) {
            System.err.println("lab: there can be none here: " + System.getenv("BERTH_LAB_MISSING"));
            System.exit(2);
        }
        Program.run(() -> {
            CommandLine command = new CommandLine(new L2Bench());
            command.setExecutionExceptionHandler((failure, _, _) -> {
                failure.printStackTrace();
                return 1;
            });
            return command.execute(arguments);
        });
    }

    @Override
    public void run() {
        for (String title : only) {
            Function<Lab, Announcers> start = ALL.get(title);
            if (start == null) {
                throw new IllegalArgumentException("--only takes of " + ALL.keySet() + ", and not " + title);
            }
            try (Lab lab = Lab.start(KubeProxyMode.NFTABLES, 3);
                    Announcers announcers = start.apply(lab)) {
                System.out.printf("%n%-80s %8s %8s %8s%n", title, "p50", "p95", "most");
                new Measured(lab, announcers, addresses).all(cuts, moves);
            } catch (IOException failure) {
                throw new java.io.UncheckedIOException(failure);
            } catch (InterruptedException ctrlC) {
                throw new IllegalStateException("interrupted", ctrlC);
            }
        }
    }

    /** One after the other, in one lab. */
    private record Measured(Lab lab, Announcers announcers, int addresses, String namespace) {
        Measured(Lab lab, Announcers announcers, int addresses) {
            this(lab, announcers, addresses, lab.namespace("bench"));
        }

        void all(int cuts, int moves) throws IOException, InterruptedException {
            System.out.printf(
                    "%d processors for everything together, load average before: %s%n",
                    Runtime.getRuntime().availableProcessors(),
                    Files.readString(Path.of("/proc/loadavg")).split(" ", -1)[0]);
            lab.router().ip("route add " + POOL + " dev eth0");
            create();
            rest();
            // Which has the pod, and so goes on when another ends.
            exclude(lab.node(1), true);
            awaitAnnounced(addresses);
            LabPod pod = lab.node(1).pod(namespace, "web", Map.of("app", "web"));
            Service cluster = service("cluster", UnaryOperator.identity());
            awaitAnnounced(addresses + 1);
            List<Double> answered = new ArrayList<>();
            for (int cut = 0; cut < cuts; cut++) {
                answered.add(powerCut(cluster));
            }
            row("power cut, to the first request that is answered, s, of " + cuts, answered);
            moves("a node is excluded", cluster, moves, this::excludeAndBack);
            moves("the process is ended", cluster, moves, this::endAndBack);
            pod.close();
            lab.installation().deleteService(namespace, "cluster");
            lab.node(2).pod(namespace, "web-2", Map.of("app", "web"));
            lab.node(3).pod(namespace, "web-3", Map.of("app", "web"));
            moves("policy Local, a node is excluded", service("local", Traffic::local), moves, this::excludeAndBack);
        }

        private Service service(String name, UnaryOperator<io.fabric8.kubernetes.api.model.ServiceBuilder> change) {
            return Traffic.service(lab, namespace, name, "l2", change);
        }

        private void create() throws InterruptedException {
            lab.node(2).pod(namespace, "mass", Map.of("app", "mass"));
            long start = System.nanoTime();
            IntStream.range(0, 2 * addresses).parallel().forEach(this::create);
            awaitAnnounced(addresses);
            System.out.printf(
                    "%d Services, %d with an address; all are announced %.0f s after the first was created%n",
                    2 * addresses, addresses, (System.nanoTime() - start) / 1e9);
        }

        /** Each address by one node. */
        private void awaitAnnounced(int count) {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> announcers.announced() == count);
        }

        private void create(int number) {
            lab.installation()
                    .service(
                            namespace,
                            "many-" + number,
                            service -> (number < addresses
                                            ? service.editSpec().withLoadBalancerClass("test.dev/l2")
                                            : service.editSpec().withType("ClusterIP"))
                                    .withSelector(Map.of("app", "mass"))
                                    .endSpec());
        }

        private void rest() throws InterruptedException {
            Thread.sleep(LabAgent.SETTLE);
            Map<LabNode, Duration> before = new HashMap<>();
            lab.nodes().forEach(node -> before.put(node, LabAgent.processorTime(announcers.process(node))));
            Thread.sleep(REST);
            List<Double> memory = new ArrayList<>();
            List<Double> processor = new ArrayList<>();
            for (LabNode node : lab.nodes()) {
                ChildProcess process = announcers.process(node);
                memory.add(LabAgent.residentMemory(process) / 1024.0);
                processor.add(100.0
                        * LabAgent.processorTime(process)
                                .minus(before.get(node))
                                .toNanos()
                        / REST.toNanos());
            }
            row("memory on each of three nodes, MiB", memory);
            row("processor time at rest, % of a core", processor);
        }

        private void exclude(LabNode node, boolean excluded) {
            lab.controlPlane()
                    .adminClient()
                    .nodes()
                    .withName(node.name())
                    .edit(object -> new NodeBuilder(object)
                            .editMetadata()
                            .removeFromLabels(EXCLUDE)
                            .addToLabels(excluded ? Map.of(EXCLUDE, "") : Map.of())
                            .endMetadata()
                            .build());
        }

        /** Which node the router sends packets for that address to. */
        private Optional<LabNode> neighbour(Service service) {
            String entry =
                    lab.router().ip("-4 neigh show " + Installation.ips(service).getFirst());
            return lab.nodes().stream()
                    .filter(node -> entry.contains(node.namespace().hardware()))
                    .findFirst();
        }

        private LabNode awaitOwner(Service service, @Nullable LabNode wanted) {
            return Awaitility.await()
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(100))
                    .until(
                            () -> lab.client().get(url(service), "400ms").ok()
                                    ? neighbour(service)
                                    : Optional.<LabNode>empty(),
                            found -> found.isPresent() && (wanted == null || found.get() == wanted))
                    .orElseThrow();
        }

        /** All is as before. */
        private void awaitBack(Service service, LabNode owner) {
            awaitOwner(service, owner);
            awaitAnnounced(addresses + 1);
        }

        private double powerCut(Service service) {
            LabNode owner = awaitOwner(service, null);
            awaitReply(lab.client(), url(service));
            long cut = TimeUnit.MILLISECONDS.toNanos(Instant.now().toEpochMilli());
            Namespace.HERE.ip("link set to-" + owner.name() + " down");
            announcers.process(owner).close();
            long answered = lab.client().until(true, url(service)).join().at();
            Namespace.HERE.ip("link set to-" + owner.name() + " up");
            announcers.start(owner);
            awaitBack(service, owner);
            return (answered - cut) / 1e9;
        }

        private interface Move {
            /** Away from that node; returns what brings it back. */
            Runnable begin(LabNode owner);
        }

        private Runnable excludeAndBack(LabNode owner) {
            exclude(owner, true);
            return () -> exclude(owner, false);
        }

        private Runnable endAndBack(LabNode owner) {
            announcers.process(owner).stop(Duration.ofSeconds(30));
            return () -> announcers.start(owner);
        }

        private void moves(String what, Service service, int times, Move move) throws InterruptedException {
            List<Double> gaps = new ArrayList<>();
            List<Double> failed = new ArrayList<>();
            for (int time = 0; time < times; time++) {
                LabNode owner = awaitOwner(service, null);
                try (Peer.Until<Load> load = lab.client().loadUntilEnd(url(service), TIMEOUT)) {
                    Thread.sleep(BEFORE);
                    Runnable back = move.begin(owner);
                    Awaitility.await()
                            .atMost(PATIENCE)
                            .pollInterval(Duration.ofMillis(50))
                            .until(() -> neighbour(service), found -> found.isPresent() && found.get() != owner);
                    Thread.sleep(AFTER);
                    Load result = load.end();
                    gaps.add((double) result.gap());
                    failed.add((double) result.failed());
                    back.run();
                }
                awaitBack(service, owner);
            }
            row(what + ", the longest time without an answer, ms, of " + times, gaps);
            row(what + ", requests that failed", failed);
        }

        private static void row(String what, List<Double> values) {
            if (values.isEmpty()) {
                return;
            }
            System.out.printf(
                    "%-80s %8.2f %8.2f %8.2f%n",
                    what, percentile(values, 50), percentile(values, 95), percentile(values, 100));
        }

        private static double percentile(List<Double> values, int percent) {
            List<Double> sorted = values.stream().sorted().toList();
            return sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
        }
    }

    private static final class BerthAgents implements Announcers {
        private final OperatorProcess operator;
        private final Map<LabNode, LabAgent> agents = new LinkedHashMap<>();

        BerthAgents(Lab lab) {
            operator = lab.installation().startOperator();
            lab.controlPlane().adminClient().resource("""
                    apiVersion: berth.dev/v1alpha1
                    kind: AddressPool
                    metadata: {name: bench}
                    spec: {addresses: ["%s"]}
                    """.formatted(POOL)).create();
            lab.controlPlane().adminClient().resource("""
                    apiVersion: berth.dev/v1alpha1
                    kind: LoadBalancerClass
                    metadata: {name: l2}
                    spec: {loadBalancerClass: test.dev/l2, provider: l2, parameters: {interfaces: eth0}}
                    """).create();
            Path key = LabAgent.prepare(lab);
            lab.nodes().forEach(node -> agents.put(node, new LabAgent(node, key).start()));
            agents.values().forEach(LabAgent::awaitReady);
        }

        private LabAgent agent(LabNode node) {
            return Optional.ofNullable(agents.get(node)).orElseThrow();
        }

        @Override
        public void start(LabNode node) {
            agent(node).start().awaitReady();
        }

        @Override
        public ChildProcess process(LabNode node) {
            return agent(node).process();
        }

        @Override
        public int announced() {
            return agents.values().stream()
                    .mapToInt(agent -> agent.addresses().size())
                    .sum();
        }

        @Override
        public void close() {
            agents.values().forEach(LabAgent::close);
            operator.close();
        }
    }

    private static final class MetalLbSpeakers implements Announcers {
        private static final int PORT = 7472;
        private static final HttpClient HTTP = HttpClient.newHttpClient();

        private final Lab lab;
        private final String namespace;
        private final InstalledMetalLb metalLb;
        private final ChildProcess controller;
        private final Map<LabNode, ChildProcess> speakers = new LinkedHashMap<>();

        MetalLbSpeakers(Lab lab) {
            this.lab = lab;
            namespace = lab.namespace("metallb");
            metalLb = InstalledMetalLb.into(lab.controlPlane(), namespace, POOL);
            controller = Namespace.HERE.start(
                    "metallb",
                    lab.folder(),
                    metalLb.controller("--lb-class=test.dev/l2", "--port=" + FreePort.next())
                            .toArray(String[]::new));
            lab.nodes().forEach(this::register);
            lab.nodes().forEach(this::start);
        }

        /** Speakers find each other by the addresses of their Pods. */
        private void register(LabNode node) {
            LabPod.create(node, namespace, "speaker-" + node.name(), Map.of("app", "speaker"));
            lab.controlPlane()
                    .adminClient()
                    .pods()
                    .inNamespace(namespace)
                    .withName("speaker-" + node.name())
                    .editStatus(pod -> pod.edit()
                            .editOrNewStatus()
                            .withPhase("Running")
                            .withPodIP(node.ipv4())
                            .withPodIPs(new PodIP(node.ipv4()))
                            .endStatus()
                            .build());
        }

        @Override
        public void start(LabNode node) {
            begin(node);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> {
                        // As a kubelet does: it ends while it does not reach the API server.
                        if (!process(node).isAlive()) {
                            begin(node);
                        }
                        return node.httpStatus(PORT, "/metrics") == 200;
                    });
        }

        private void begin(LabNode node) {
            speakers.put(
                    node,
                    node.namespace()
                            .start(
                                    "speaker",
                                    lab.folder(),
                                    metalLb.speaker(
                                                    "--lb-class=test.dev/l2",
                                                    "--node-name=" + node.name(),
                                                    "--pod-name=speaker-" + node.name(),
                                                    "--host=" + node.ipv4(),
                                                    "--port=" + PORT,
                                                    "--ml-bindaddr=" + node.ipv4(),
                                                    "--ml-bindport=7946",
                                                    "--ml-labels=app=speaker")
                                            .toArray(String[]::new)));
        }

        @Override
        public ChildProcess process(LabNode node) {
            return Optional.ofNullable(speakers.get(node)).orElseThrow();
        }

        @Override
        public int announced() {
            controller.requireAlive();
            return speakers.keySet().stream().mapToInt(this::announced).sum();
        }

        private int announced(LabNode node) {
            try {
                return (int) HTTP.send(
                                HttpRequest.newBuilder(URI.create("http://" + node.ipv4() + ":" + PORT + "/metrics"))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString())
                        .body()
                        .lines()
                        .filter(line -> line.startsWith("metallb_speaker_announced{") && line.endsWith(" 1"))
                        .count();
            } catch (IOException notNow) {
                return 0;
            } catch (InterruptedException stopping) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(stopping);
            }
        }

        @Override
        public void close() {
            speakers.values().forEach(ChildProcess::close);
            controller.close();
        }
    }
}
