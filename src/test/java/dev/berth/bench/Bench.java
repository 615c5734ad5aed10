package dev.berth.bench;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.bench.Contender.Berth.Deployed;
import dev.berth.bench.Contender.Installed;
import dev.berth.bench.Contender.Running;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.KubeBinaries;
import dev.berth.testing.NginxFiles;
import dev.berth.testing.OwnedDirectory;
import dev.berth.testing.Program;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Berth beside Kubernetes' own service controller, MetalLB's controller, and the API server without any. They take turns, each
 * against an API server of its own; all processes share this machine. Prints numbers and judges none.
 */
@Command(name = "bench", mixinStandardHelpOptions = true)
public final class Bench implements Runnable {
    private static final Duration PATIENCE = Duration.ofMinutes(20);
    private static final Duration SETTLE = Duration.ofSeconds(5);
    private static final Duration LOOK = Duration.ofSeconds(20);
    private static final Duration REST = Duration.ofMinutes(1);
    private static final int STREAMED = 1000;
    private static final Duration STREAM_PAUSE = Duration.ofMillis(20);

    /** The benchmark's own for a Node that comes and goes. */
    private static final int NODE_WRITES = 2;

    private static final String BEGIN = "<!-- written by make bench-docs -->";
    private static final String END = "<!-- end -->";

    @Option(names = "--rounds", description = "of all but those of 10,000 (default: ${DEFAULT-VALUE})")
    int rounds = 3;

    @Option(names = "--services", description = "of a backlog (default: ${DEFAULT-VALUE})")
    int services = 2000;

    @Option(names = "--large-rounds", description = "of the many Services (default: ${DEFAULT-VALUE})")
    int largeRounds = 3;

    @Option(names = "--large", description = "how many they are (default: ${DEFAULT-VALUE})")
    int large = 10_000;

    @Option(names = "--only", split = ",", description = "those with these titles (default: all)")
    List<String> only = List.of();

    @Option(names = "--write", paramLabel = "FILE", description = "puts the table into this file, between its marks")
    @Nullable Path page;

    private final Map<Contender, Figures> figures = new LinkedHashMap<>();
    private final Figures bare = new Figures();

    public static void main(String... arguments) throws Exception {
        Program.run(() -> {
            CommandLine command = new CommandLine(new Bench());
            command.setExecutionExceptionHandler((failure, _, _) -> {
                failure.printStackTrace();
                return 1;
            });
            return command.execute(arguments);
        });
    }

    /** What may be interrupted, and may fail. */
    private interface Part {
        void run() throws InterruptedException, IOException;
    }

    @Override
    public void run() {
        attempt(this::compare);
    }

    private static void attempt(Part part) {
        try {
            part.run();
        } catch (InterruptedException ctrlC) {
            throw new IllegalStateException("interrupted", ctrlC);
        } catch (IOException failure) {
            throw new java.io.UncheckedIOException(failure);
        }
    }

    private void compare() throws InterruptedException, IOException {
        List<Contender> all =
                List.of(new Contender.ServiceController(), new Contender.Berth(), new Contender.MetalLb());
        List<String> titles = all.stream().map(Contender::title).toList();
        if (!titles.containsAll(only)) {
            throw new IOException("--only takes of " + titles + ", and not " + only);
        }
        all.stream()
                .filter(contender -> only.isEmpty() || only.contains(contender.title()))
                .forEach(contender -> figures.put(contender, new Figures()));
        requireMarks();
        try {
            measureAll();
        } finally {
            report();
        }
    }

    private void measureAll() throws InterruptedException, IOException {
        for (int round = 1; round <= rounds; round++) {
            say("round " + round + ", the API server alone");
            cluster(cluster -> measureBare(cluster.adminClient()));
            for (Contender contender : figures.keySet()) {
                say("round " + round + ", " + contender.title());
                cluster(cluster -> measureStart(contender, cluster));
                cluster(cluster -> measure(contender, cluster));
            }
        }
        if (largeRounds > 0 && figures.keySet().stream().anyMatch(Contender::isForMany)) {
            try (OwnedDirectory folder = OwnedDirectory.create()) {
                measureAllLarge(folder.path().resolve("waiting"));
            }
        }
    }

    /** To create so many Services takes longer than to serve them, so that is done once, and each begins with a copy. */
    private void measureAllLarge(Path waiting) throws InterruptedException, IOException {
        say("creating %d Services".formatted(large));
        cluster(controlPlane().keepDirectory(waiting), cluster -> {
            prepare(cluster);
            new WaitingServices(cluster.adminClient()).create(large);
        });
        for (int round = 1; round <= largeRounds; round++) {
            for (Contender contender : figures.keySet()) {
                if (contender.isForMany()) {
                    say("round " + round + " of " + large + ", " + contender.title());
                    cluster(controlPlane().objectsOf(waiting), cluster -> measureLarge(contender, cluster));
                }
            }
        }
    }

    private void report() throws IOException {
        List<String> table = table();
        System.out.println();
        table.forEach(System.out::println);
        if (page != null) {
            write(page, table);
        }
    }

    private static void say(String what) {
        System.out.println(what);
    }

    private List<String> table() {
        List<Contender> contenders = List.copyOf(figures.keySet());
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%,d Services in a backlog; Kubernetes %s; %d processors for all processes together. Rounds: %d, and %d with %,d"
                        + " Services. Where a number was measured more than once: the median (least–most).",
                services,
                KubeBinaries.KUBERNETES,
                Runtime.getRuntime().availableProcessors(),
                roundsThatReached(Figure.NODE_WRITES),
                roundsThatReached(Figure.IDLE),
                large));
        lines.add("Status patches alone: %s Services/s.".formatted(bare.text(Figure.COLD)));
        contenders.stream()
                .map(Contender::remark)
                .filter(remark -> !remark.isEmpty())
                .forEach(lines::add);
        lines.add("");
        lines.add("| | " + contenders.stream().map(Contender::title).collect(Collectors.joining(" | "))
                + " | Berth / service controller |");
        lines.add("|---".repeat(contenders.size() + 2) + "|");
        for (Figure figure : Figure.values()) {
            lines.add("| %s | %s | %s |"
                    .formatted(
                            figure.text.replace("10,000", String.format(Locale.ROOT, "%,d", large)),
                            contenders.stream()
                                    .map(contender -> Objects.requireNonNull(figures.get(contender))
                                            .text(figure))
                                    .collect(Collectors.joining(" | ")),
                            ratio(figure)));
        }
        return lines;
    }

    /** Not all that were asked for, when it is interrupted. */
    private int roundsThatReached(Figure last) {
        return figures.values().stream()
                .mapToInt(found -> found.count(last))
                .max()
                .orElse(0);
    }

    private String ratio(Figure figure) {
        double ratio = median("Berth", figure) / median("service controller", figure);
        return Double.isFinite(ratio) ? String.format(Locale.ROOT, "%.2f", ratio) : "";
    }

    private double median(String title, Figure figure) {
        return figures.entrySet().stream()
                .filter(entry -> entry.getKey().title().equals(title))
                .mapToDouble(entry -> entry.getValue().median(figure))
                .findFirst()
                .orElse(Double.NaN);
    }

    /** Before an hour of measuring, not after it. */
    private void requireMarks() throws IOException {
        if (page != null) {
            String text = Files.readString(page);
            int begin = text.indexOf(BEGIN);
            if (begin < 0 || text.indexOf(END, begin) < 0) {
                throw new IOException(page + " has no \"" + BEGIN + "\" with \"" + END + "\" after it");
            }
        }
    }

    private static void write(Path page, List<String> table) throws IOException {
        String text = Files.readString(page);
        int begin = text.indexOf(BEGIN) + BEGIN.length();
        Files.writeString(
                page,
                text.substring(0, begin) + "\n" + String.join("\n", table) + "\n"
                        + text.substring(text.indexOf(END, begin)));
    }

    // ---- clusters

    private interface Measurement {
        void in(ControlPlane cluster) throws InterruptedException, IOException;
    }

    private static void cluster(Measurement measurement) throws InterruptedException, IOException {
        cluster(controlPlane(), cluster -> {
            prepare(cluster);
            measurement.in(cluster);
        });
    }

    private static void cluster(ControlPlane.Builder controlPlane, Measurement measurement)
            throws InterruptedException, IOException {
        try (ControlPlane cluster = controlPlane.start()) {
            try {
                measurement.in(cluster);
            } finally {
                // An interrupt has done its work; left set, it would cut the orderly end short.
                Thread.interrupted();
            }
        }
    }

    private static ControlPlane.Builder controlPlane() {
        return ControlPlane.builder()
                .apiServerFlag("--max-requests-inflight=4000")
                .apiServerFlag("--max-mutating-requests-inflight=2000")
                // Each Service takes a node port.
                .apiServerFlag("--service-node-port-range=10000-60000");
    }

    private static void prepare(ControlPlane cluster) {
        // The service controller warns of each Service while there is none.
        createNode(cluster.adminClient(), "node-1");
        cluster.kubectl("create", "namespace", WaitingServices.NAMESPACE);
    }

    /** A Node that is ready. */
    private static void createNode(KubernetesClient client, String name) {
        client.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withNewStatus()
                        .addNewCondition()
                        .withType("Ready")
                        .withStatus("True")
                        .endCondition()
                        .endStatus()
                        .build())
                .create();
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }

    // ---- what is measured

    private void measureBare(KubernetesClient client) throws InterruptedException {
        WaitingServices all = new WaitingServices(client);
        all.create(services);
        try (Watcher watcher = new Watcher(client, WaitingServices.NAMESPACE, services)) {
            all.patch(services);
            watcher.await(PATIENCE);
            bare.add(Figure.COLD, perSecond(watcher));
        }
    }

    private double perSecond(Watcher watcher) {
        return (services - 1) / seconds(watcher.last() - watcher.first());
    }

    private void measureStart(Contender contender, ControlPlane cluster) throws InterruptedException {
        Figures found = Objects.requireNonNull(figures.get(contender));
        Installed installed = contender.install(cluster);
        try (Running running = installed.start()) {
            if (contender.saysWhenReady()) {
                found.add(Figure.START, running.seconds());
            }
            Thread.sleep(LOOK);
            found.add(Figure.REST_MEMORY, running.use().mebibytes());
        }
    }

    private void measure(Contender contender, ControlPlane cluster) throws InterruptedException {
        Figures found = Objects.requireNonNull(figures.get(contender));
        KubernetesClient client = cluster.adminClient();
        WaitingServices all = new WaitingServices(client);
        Installed installed = contender.install(cluster);
        all.create(services);
        ApiWrites before = ApiWrites.of(client);
        Watcher watcher = new Watcher(client, WaitingServices.NAMESPACE, services);
        try (watcher) {
            try (Running running = installed.startWithoutLease()) {
                await(watcher, running, services);
                found.add(Figure.COLD, perSecond(watcher));
                found.add(
                        Figure.COLD_FIRST,
                        seconds(watcher.first() - running.process().started()));
                found.add(Figure.COLD_CPU, running.use().cpuSeconds());
                ApiWrites writes = ApiWrites.of(client).since(before);
                found.add(Figure.WRITES, writes.objects() / services);
                found.add(Figure.EVENTS, writes.events() / services);
                found.add(Figure.FAILED, writes.failed());
                Thread.sleep(SETTLE);
                watcher.close();
                found.add(Figure.MEMORY, running.use().mebibytes());
                all.delete(services);
                for (int backlog = 2; backlog <= 3; backlog++) {
                    warm(found, client, all, running);
                }
                found.add(Figure.PEAK, running.use().peakMebibytes());
                stream(found, client, all, running);
                node(found, client, running);
            }
        }
    }

    private static void await(Watcher watcher, Running running, int wanted) throws InterruptedException {
        long start = System.nanoTime();
        while (!watcher.await(SETTLE)) {
            running.process().requireAlive();
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new IllegalStateException("%d of %d Services have an address after %s; the log ends with:%n%s"
                        .formatted(
                                watcher.served(),
                                wanted,
                                PATIENCE,
                                running.process().logTail(20)));
            }
        }
    }

    /** Until no more is written for a while: what came before is over. */
    private static void settle(KubernetesClient client, Running running) throws InterruptedException {
        ApiWrites before;
        ApiWrites now = ApiWrites.of(client);
        do {
            Thread.sleep(SETTLE);
            running.process().requireAlive();
            before = now;
            now = ApiWrites.of(client);
        } while (now.since(before).objects() > 0);
    }

    /** A backlog for a process that has served one before: it does not run while the Services are created. */
    private void warm(Figures found, KubernetesClient client, WaitingServices all, Running running)
            throws InterruptedException {
        settle(client, running);
        double cpu = running.use().cpuSeconds();
        running.suspend();
        try (Watcher watcher = new Watcher(client, WaitingServices.NAMESPACE, services)) {
            try {
                all.create(services);
            } finally {
                running.goOn();
            }
            await(watcher, running, services);
            found.add(Figure.WARM, perSecond(watcher));
        }
        all.delete(services);
        settle(client, running);
        found.add(Figure.WARM_CPU, 1000 * (running.use().cpuSeconds() - cpu) / services);
    }

    private void stream(Figures found, KubernetesClient client, WaitingServices all, Running running)
            throws InterruptedException {
        try (Watcher watcher = new Watcher(client, WaitingServices.NAMESPACE, STREAMED)) {
            Map<String, Long> due = all.stream(STREAMED, STREAM_PAUSE);
            await(watcher, running, STREAMED);
            double[] sorted = watcher.times().entrySet().stream()
                    .mapToDouble(served -> (served.getValue() - Objects.requireNonNull(due.get(served.getKey()))) / 1e6)
                    .sorted()
                    .toArray();
            found.add(Figure.STREAM_P50, sorted[sorted.length / 2]);
            found.add(Figure.STREAM_P99, sorted[sorted.length * 99 / 100]);
        }
    }

    private static void node(Figures found, KubernetesClient client, Running running) throws InterruptedException {
        settle(client, running);
        double atRest = cpuOf(running, () -> Thread.sleep(LOOK));
        ApiWrites before = ApiWrites.of(client);
        found.add(Figure.NODE_CPU, cpuOf(running, () -> nodeComesAndGoes(client)) - atRest);
        found.add(Figure.NODE_WRITES, ApiWrites.of(client).since(before).objects() - NODE_WRITES);
    }

    /** Takes as long as {@link #LOOK}. */
    private static void nodeComesAndGoes(KubernetesClient client) throws InterruptedException {
        createNode(client, "node-2");
        Thread.sleep(LOOK.dividedBy(2));
        client.nodes().withName("node-2").delete();
        Thread.sleep(LOOK.dividedBy(2));
    }

    /** The processor time, in seconds, that it uses meanwhile. */
    private static double cpuOf(Running running, Wait meanwhile) throws InterruptedException {
        double before = running.use().cpuSeconds();
        meanwhile.run();
        running.process().requireAlive();
        return running.use().cpuSeconds() - before;
    }

    private interface Wait {
        void run() throws InterruptedException;
    }

    private void measureLarge(Contender contender, ControlPlane cluster) throws InterruptedException, IOException {
        Figures found = Objects.requireNonNull(figures.get(contender));
        KubernetesClient client = cluster.adminClient();
        Installed installed = contender.install(cluster);
        // The API server has just begun, with 10,000 objects, and new kinds.
        Thread.sleep(LOOK);
        try (Watcher watcher = new Watcher(client, WaitingServices.NAMESPACE, large)) {
            try (Running running = installed.start()) {
                await(watcher, running, large);
                found.add(
                        Figure.LARGE, seconds(watcher.last() - running.process().started()));
                found.add(Figure.LARGE_CPU, running.use().cpuSeconds());
                Thread.sleep(SETTLE);
                found.add(Figure.LARGE_MEMORY, running.use().mebibytes());
                found.add(Figure.LARGE_PEAK, running.use().peakMebibytes());
            }
        }
        ApiWrites before = ApiWrites.of(client);
        try (Running running = installed.start()) {
            if (contender.saysWhenReady()) {
                found.add(Figure.RESTART, running.seconds());
            }
            Thread.sleep(Math.max(0, LOOK.toMillis() - (long) (1000 * running.seconds())));
            running.process().requireAlive();
            found.add(Figure.RESTART_WRITES, ApiWrites.of(client).since(before).objects());
            found.add(Figure.RESTART_CPU, running.use().cpuSeconds());
            settle(client, running);
            double cpu = running.use().cpuSeconds();
            Thread.sleep(REST);
            found.add(Figure.IDLE, 100 * (running.use().cpuSeconds() - cpu) / REST.toSeconds());
            if (installed instanceof Deployed) {
                pool(found, client, running);
            }
        }
        if (installed instanceof Deployed berth) {
            wide(found, client, berth);
        }
    }

    /** All Services have their addresses, and now the cluster has many Nodes and endpoints, too. */
    private void wide(Figures found, KubernetesClient client, Deployed berth) throws InterruptedException, IOException {
        WideCluster cluster = new WideCluster(client);
        cluster.create(large);
        ApiWrites before = ApiWrites.of(client);
        try (OwnedDirectory folder = OwnedDirectory.create()) {
            Path plugins = Files.createDirectory(folder.path().resolve("plugins"));
            new NginxFiles(folder.path().resolve("nginx"))
                    .pluginInto(plugins, folder.path().resolve("build"), "targets = endpoints\n");
            try (Running running = berth.startWithPlugins(plugins)) {
                found.add(Figure.WIDE_START, running.seconds());
                cluster.awaitClass();
                Thread.sleep(LOOK);
                settle(client, running);
                found.add(Figure.WIDE_MEMORY, running.use().mebibytes());
                double atRest = cpuOf(running, () -> Thread.sleep(LOOK));
                found.add(Figure.WIDE_IDLE, 100 * atRest / LOOK.toSeconds());
                long begin = System.nanoTime();
                double slices = cpuOf(running, () -> {
                    cluster.change(STREAMED, STREAM_PAUSE);
                    Thread.sleep(SETTLE);
                });
                double ofRest = atRest * seconds(System.nanoTime() - begin) / LOOK.toSeconds();
                found.add(Figure.WIDE_SLICE_CPU, 1000 * (slices - ofRest) / STREAMED);
                found.add(Figure.WIDE_NODE_CPU, cpuOf(running, () -> nodeComesAndGoes(client)) - atRest);
                found.add(Figure.WIDE_WRITES, ApiWrites.of(client).since(before).objects() - STREAMED - NODE_WRITES);
                found.add(Figure.WIDE_PEAK, running.use().peakMebibytes());
            }
        }
    }

    private static void pool(Figures found, KubernetesClient client, Running running) throws InterruptedException {
        double cpu = running.use().cpuSeconds();
        long start = System.nanoTime();
        AddressPool edited = client.resources(AddressPool.class)
                .withName("bench")
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"spec\": {\"addresses\": [\"198.18.0.0/15\", \"198.51.100.0/24\"]}}");
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> Objects.equals(
                        client.resources(AddressPool.class)
                                .withName("bench")
                                .require()
                                .getStatus()
                                .observedGeneration(),
                        edited.getMetadata().getGeneration()));
        found.add(Figure.POOL, seconds(System.nanoTime() - start));
        Thread.sleep(LOOK.dividedBy(2));
        found.add(Figure.POOL_CPU, running.use().cpuSeconds() - cpu);
    }
}
