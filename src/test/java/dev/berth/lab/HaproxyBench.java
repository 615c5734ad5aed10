package dev.berth.lab;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.berth.testing.ChildProcess;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Program;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * {@code make bench-haproxy}: Berth's HAProxy against one configured by hand, how soon a ready endpoint is served, and
 * what changes cost with many Services. Prints numbers and judges none. Traffic stays in the lab's namespaces.
 */
final class HaproxyBench {
    private static final int ROUNDS = 5;
    private static final String SECONDS = "5s";
    /** So that p99 is not the slowest of all. */
    private static final int SAMPLES = 200;

    private static final int SERVICES = 500;
    private static final int ENDPOINTS = 10;
    private static final int CHANGES = 20;
    private static final int AT_ONCE = 8;
    private static final int BY_HAND = 8088;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Lab lab;
    private final HaproxyHost haproxy;
    private final HaproxyHost direct;
    private final String namespace;
    private OperatorProcess operator;

    private HaproxyBench(Lab lab, HaproxyHost haproxy, HaproxyHost direct) throws IOException {
        this.lab = lab;
        this.haproxy = haproxy;
        this.direct = direct;
        this.namespace = lab.namespace("bench");
        lab.installation().pool(namespace, "10.77.4.0/22");
        Path plugins = Files.createDirectories(lab.folder().resolve("plugins"));
        Files.writeString(plugins.resolve("lb.grpc.properties"), "target=unix://" + haproxy.socket() + "\n");
        Files.writeString(plugins.resolve("direct.grpc.properties"), "target=unix://" + direct.socket() + "\n");
        operator = startOperator();
        for (String provider : List.of("lb", "direct")) {
            lab.controlPlane()
                    .kubectl(
                            "apply",
                            "--filename="
                                    + Files.writeString(
                                            lab.folder().resolve(provider + ".yaml"), """
                                                apiVersion: berth.dev/v1alpha1
                                                kind: LoadBalancerClass
                                                metadata: {name: %1$s}
                                                spec: {loadBalancerClass: test.dev/%1$s, provider: %1$s}
                                                """.formatted(provider)));
        }
        // Not of the nodes' network, so that there is room for 500.
        lab.router().ip("route add 10.77.4.0/22 via 10.77.0.5");
    }

    private OperatorProcess startOperator() {
        return lab.installation().startOperator("--plugin-dir=" + lab.folder().resolve("plugins"));
    }

    /** No arguments. */
    public static void main(String... arguments) throws Exception {
        if (System.getenv("BERTH_LAB") == null) {
            System.err.println("lab: there can be none here: " + System.getenv("BERTH_LAB_MISSING"));
            System.exit(2);
        }
        Program.run(() -> {
            try (Lab lab = Lab.start(KubeProxyMode.NFTABLES, 2);
                    HaproxyHost haproxy = new HaproxyHost(lab, "NodePorts");
                    HaproxyHost direct = new HaproxyHost(lab, "Endpoints")) {
                HaproxyBench bench = new HaproxyBench(lab, haproxy, direct);
                System.out.printf(
                        "%d processors for everything together, load average before: %.1f%n%n",
                        Runtime.getRuntime().availableProcessors(),
                        Double.parseDouble(
                                Files.readString(Path.of("/proc/loadavg")).split(" ", -1)[0]));
                bench.compare();
                bench.becomeReady();
                bench.changes();
                return 0;
            } catch (InterruptedException ctrlC) {
                System.err.println("lab: interrupted");
                return 1;
            }
        });
    }

    // ---- against one by hand

    /**
     * What wrk says.
     *
     * @param micros of processor time that HAProxy took for a request: what else the machine does changes it least
     */
    private record Run(double perSecond, double p50, double p99, double micros) {
        private static final Pattern REQUESTS = Pattern.compile("([0-9]+) requests in");
        private static final Pattern PER_SECOND = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
        private static final Pattern LATENCY = Pattern.compile("(50|99)%\\s+([0-9.]+)(us|ms|s)");
        private static final Pattern FAILED = Pattern.compile("Socket errors: .*|Non-2xx.*");

        static Run of(String output, Duration processorTime) {
            Matcher failed = FAILED.matcher(output);
            if (failed.find()) {
                System.out.println("  " + failed.group());
            }
            Matcher perSecond = PER_SECOND.matcher(output);
            Matcher requests = REQUESTS.matcher(output);
            if (!perSecond.find() || !requests.find()) {
                throw new IllegalStateException(output);
            }
            List<Double> latencies = LATENCY.matcher(output)
                    .results()
                    .map(found -> Double.parseDouble(found.group(2))
                            * switch (found.group(3)) {
                                case "us" -> 0.001;
                                case "ms" -> 1;
                                default -> 1000;
                            })
                    .toList();
            return new Run(
                    Double.parseDouble(perSecond.group(1)),
                    latencies.getFirst(),
                    latencies.getLast(),
                    processorTime.toNanos() / 1e3 / Double.parseDouble(requests.group(1)));
        }
    }

    private void compare() throws InterruptedException {
        LabPod first = lab.node(1).pod(namespace, "bench-a", Map.of("app", "web"));
        LabPod second = lab.node(2).pod(namespace, "bench-b", Map.of("app", "web"));
        Service service = Traffic.service(lab, namespace, "web", "lb", UnaryOperator.identity());
        String berth = Traffic.url(service);
        String byHand = "http://10.77.0.5:" + BY_HAND + "/";
        // So many connections would use up the ports, and HAProxy waits a second before it tries again.
        List.of(lab.client().namespace(), lab.loadBalancerHost())
                .forEach(one -> one.run(
                        "sysctl", "-q", "-w", "net.ipv4.ip_local_port_range=1024 65535", "net.ipv4.tcp_tw_reuse=1"));
        try (ChildProcess hand = startByHand(service)) {
            Traffic.awaitReply(lab.client(), berth);
            Traffic.awaitReply(lab.client(), byHand);
            for (boolean keeps : new boolean[] {false, true}) {
                List<Run> ours = new ArrayList<>();
                List<Run> theirs = new ArrayList<>();
                for (int round = 0; round < ROUNDS; round++) {
                    if (round % 2 == 0) {
                        theirs.add(load(byHand, keeps, hand.pid()));
                        ours.add(load(berth, keeps, Long.parseLong(haproxy.haproxy())));
                    } else {
                        ours.add(load(berth, keeps, Long.parseLong(haproxy.haproxy())));
                        theirs.add(load(byHand, keeps, hand.pid()));
                    }
                }
                System.out.printf(
                        "%-44s %28s %28s %22s%n",
                        keeps ? "requests on kept connections" : "a connection for each request",
                        "by hand: min, median, max",
                        "Berth",
                        "ratio of each round");
                row(
                        "requests/s",
                        theirs.stream().map(Run::perSecond),
                        ours.stream().map(Run::perSecond));
                row(
                        "latency p50, ms",
                        theirs.stream().map(Run::p50),
                        ours.stream().map(Run::p50));
                row(
                        "latency p99, ms",
                        theirs.stream().map(Run::p99),
                        ours.stream().map(Run::p99));
                row(
                        "processor time of HAProxy, µs/request",
                        theirs.stream().map(Run::micros),
                        ours.stream().map(Run::micros));
                System.out.println();
            }
        }
        lab.installation().deleteService(namespace, "web");
        first.close();
        second.close();
    }

    /** Of all rounds; what a round has in both was measured one right after the other. */
    private static void row(String what, Stream<Double> theirs, Stream<Double> ours) {
        List<Double> hand = theirs.toList();
        List<Double> berth = ours.toList();
        List<Double> ratios = IntStream.range(0, hand.size())
                .mapToObj(round -> berth.get(round) / hand.get(round))
                .toList();
        System.out.printf("%-44s %s %s %s%n", what, spread(hand, 9), spread(berth, 9), spread(ratios, 7));
    }

    /** The least, the median, and the greatest. */
    private static String spread(List<Double> rounds, int width) {
        return Stream.of(0, 50, 100)
                .map(share -> ("%" + width + ".2f").formatted(percentile(rounds, share)))
                .collect(Collectors.joining(" "));
    }

    /** As one would write it for two nodes. */
    private ChildProcess startByHand(Service service) {
        int nodePort = service.getSpec().getPorts().getFirst().getNodePort();
        Path configuration = lab.folder().resolve("by-hand.cfg");
        try {
            Files.writeString(configuration, """
                global
                  log stderr format raw local0 warning
                defaults
                  mode tcp
                  timeout connect 5s
                  timeout client 1h
                  timeout server 1h
                frontend web
                  bind 10.77.0.5:%d
                  default_backend web
                backend web
                  balance roundrobin
                  option httpchk GET /healthz
                  server node1 %s:%d check port 10256 inter 1s
                  server node2 %s:%d check port 10256 inter 1s
                """.formatted(
                            BY_HAND, lab.node(1).ipv4(), nodePort, lab.node(2).ipv4(), nodePort));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return lab.loadBalancerHost()
                .start("haproxy-by-hand", lab.folder(), "haproxy", "-W", "-f", configuration.toString());
    }

    /** Of its master and workers. */
    private static Duration processorTime(long master) {
        return ProcessHandle.of(master).stream()
                .flatMap(process -> Stream.concat(Stream.of(process), process.descendants()))
                .flatMap(process -> process.info().totalCpuDuration().stream())
                .reduce(Duration.ZERO, Duration::plus);
    }

    private Run load(String url, boolean keeps, long master) {
        List<String> command = new ArrayList<>(
                List.of("wrk", "--threads", "1", "--connections", "32", "--duration", SECONDS, "--latency"));
        if (!keeps) {
            command.addAll(List.of("--header", "Connection: close"));
        }
        command.add(url);
        Duration before = processorTime(master);
        String output = lab.client().namespace().run(command.toArray(String[]::new));
        return Run.of(output, processorTime(master).minus(before));
    }

    // ---- from ready to served

    private void becomeReady() throws Exception {
        LabPod pod = lab.node(1).pod(namespace, "bench-c", Map.of("app", "web"));
        SequencedMap<String, Service> services = new LinkedHashMap<>();
        services.put("straight to the pod", Traffic.service(lab, namespace, "direct", "direct", change -> change));
        services.put("node ports, policy Cluster", Traffic.service(lab, namespace, "cluster", "lb", change -> change));
        services.put("node ports, policy Local", Traffic.service(lab, namespace, "local", "lb", Traffic::local));
        System.out.printf("%-44s %10s %10s %8s%n", "from ready to the first request served, ms", "p50", "p99", "max");
        for (Map.Entry<String, Service> one : services.entrySet()) {
            String url = Traffic.url(one.getValue());
            Traffic.awaitReply(lab.client(), url);
            List<Double> millis = new ArrayList<>();
            for (int tries = 0; millis.size() < SAMPLES && tries < 2 * SAMPLES; tries++) {
                pod.ready(false);
                lab.client().until(false, url).get(1, TimeUnit.MINUTES);
                CompletableFuture<Peer.Moment> served = lab.client().until(true, url);
                // It is asking by then; a sample where it was not is left out.
                TimeUnit.MILLISECONDS.sleep(500);
                Instant ready = Instant.now();
                pod.ready(true);
                Peer.Moment moment = served.get(1, TimeUnit.MINUTES);
                long nanos = TimeUnit.SECONDS.toNanos(ready.getEpochSecond()) + ready.getNano();
                if (moment.started() < nanos && moment.at() > nanos) {
                    millis.add((moment.at() - nanos) / 1e6);
                }
            }
            System.out.printf(
                    "%-44s %10.0f %10.0f %8.0f%n",
                    one.getKey(), percentile(millis, 50), percentile(millis, 99), percentile(millis, 100));
        }
        System.out.println();
        for (String name : List.of("direct", "cluster", "local")) {
            lab.installation().deleteService(namespace, name);
        }
        pod.close();
    }

    // ---- many Services

    private void changes() throws Exception {
        LabPod pod = lab.node(1).pod(namespace, "bench-d", Map.of());
        // One more for the change.
        List<String> addresses = IntStream.rangeClosed(1, ENDPOINTS + 1)
                .mapToObj(i -> "10.244.1." + (200 + i))
                .toList();
        addresses.forEach(pod::alsoHas);
        create(0, addresses);
        awaitServed(1);
        System.out.printf("%-44s %10s %10s%n", "one change, ms", "p50", "max");
        measureChanges("1 Service", 1, addresses);
        operator.close();
        createAll(addresses);
        long reloads = reloads();
        long start = System.nanoTime();
        operator = startOperator();
        awaitServed(SERVICES);
        double seconds = (System.nanoTime() - start) / 1e9;
        long done = reloads() - reloads;
        measureChanges(SERVICES + " Services", SERVICES, addresses);
        System.out.printf(
                "%n%d Services with %d endpoints each wait at the start: served after %.1f s, with %d reloads%n",
                SERVICES, ENDPOINTS, seconds, done);
    }

    private void createAll(List<String> addresses) throws InterruptedException {
        try (ExecutorService writers = Executors.newFixedThreadPool(AT_ONCE)) {
            IntStream.range(1, SERVICES).forEach(i -> writers.execute(() -> create(i, addresses)));
        }
    }

    private void create(int number, List<String> addresses) {
        String name = "many-" + number;
        lab.installation()
                .service(
                        namespace,
                        name,
                        service -> service.editSpec()
                                .withLoadBalancerClass("test.dev/direct")
                                .withAllocateLoadBalancerNodePorts(false)
                                .endSpec());
        lab.controlPlane()
                .adminClient()
                .resource(new EndpointSliceBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName(name)
                        .addToLabels("kubernetes.io/service-name", name)
                        .endMetadata()
                        .withAddressType("IPv4")
                        .withEndpoints(endpoints(addresses.subList(0, ENDPOINTS)))
                        .addNewPort()
                        .withName("")
                        .withPort(LabPod.PORT)
                        .withProtocol("TCP")
                        .endPort()
                        .build())
                .create();
    }

    private static List<Endpoint> endpoints(List<String> addresses) {
        return addresses.stream()
                .map(address -> new EndpointBuilder()
                        .withAddresses(address)
                        .withNewConditions()
                        .withReady(true)
                        .endConditions()
                        .build())
                .toList();
    }

    private void awaitServed(int count) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .until(
                        () -> lab.installation().client().services().inNamespace(namespace).list().getItems().stream()
                                .filter(service ->
                                        !Installation.ingress(service).isEmpty())
                                .count(),
                        served -> served == count);
    }

    private void measureChanges(String with, int services, List<String> addresses) {
        List<Double> endpoints = new ArrayList<>();
        List<Double> ports = new ArrayList<>();
        for (int i = 0; i < CHANGES; i++) {
            String name = "many-" + (i * 7) % services;
            Service service = lab.installation().get(namespace, name);
            String proxy = "a" + service.getMetadata().getUid() + "-";
            for (List<String> now : List.of(addresses, addresses.subList(0, ENDPOINTS))) {
                endpoints.add(until(
                        () -> lab.controlPlane()
                                .adminClient()
                                .resources(EndpointSlice.class)
                                .inNamespace(namespace)
                                .withName(name)
                                .edit(slice -> slice.edit()
                                        .withEndpoints(endpoints(now))
                                        .build()),
                        "show servers state " + proxy + "80",
                        answer -> answer.lines()
                                        .filter(line -> line.contains(" 10.244.1."))
                                        // Without those in maintenance.
                                        .filter(line -> line.split(" ", -1)[6].equals("0"))
                                        .count()
                                == now.size()));
            }
            for (int now : new int[] {8080, 80}) {
                ports.add(until(
                        () -> lab.installation()
                                .client()
                                .services()
                                .inNamespace(namespace)
                                .withName(name)
                                .edit(current -> new ServiceBuilder(current)
                                        .editSpec()
                                        .editFirstPort()
                                        .withPort(now)
                                        .endPort()
                                        .endSpec()
                                        .build()),
                        "show backend",
                        answer -> answer.contains(proxy + now)));
            }
        }
        print(with + ": an endpoint comes or goes", endpoints);
        print(with + ": a port changes (a reload)", ports);
    }

    private static void print(String what, List<Double> millis) {
        System.out.printf("%-44s %10.0f %10.0f%n", what, percentile(millis, 50), percentile(millis, 100));
    }

    /** Milliseconds from before a change to when HAProxy says that it is there. */
    private double until(Runnable change, String command, Predicate<String> isThere) {
        long start = System.nanoTime();
        change.run();
        Awaitility.await()
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .ignoreExceptions()
                .until(() -> isThere.test(ask("stats.sock", command)));
        return (System.nanoTime() - start) / 1e6;
    }

    /** How often HAProxy has been reloaded. */
    private long reloads() throws IOException {
        Matcher master = Pattern.compile("(?m)^\\d+\\s+master\\s+(\\d+)").matcher(ask("master.sock", "show proc"));
        if (!master.find()) {
            throw new IllegalStateException("HAProxy's master does not say how often it was reloaded");
        }
        return Long.parseLong(master.group(1));
    }

    private String ask(String socket, String command) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(
                    UnixDomainSocketAddress.of(direct.configurationFile().resolveSibling(socket)));
            channel.write(ByteBuffer.wrap((command + "\n").getBytes(UTF_8)));
            channel.shutdownOutput();
            return new String(Channels.newInputStream(channel).readAllBytes(), UTF_8);
        }
    }

    private static double percentile(List<Double> values, int percent) {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
    }
}
