package dev.berth.bench;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.demo.InstalledBerth;
import dev.berth.testing.ChildProcess;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.KubeBinaries;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Program;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * How long until Services that wait at the start of a controller all have their address: Berth, and Kubernetes' own
 * service controller with 10 workers and no limit to its rate. In turn, each against its own API server; all
 * processes share this machine. Prints numbers and judges none.
 *
 * <p>Arguments: how many rounds (3) and how many Services (2,000).
 */
public final class Bench {
    private static final String NAMESPACE = "bench";
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int CREATORS = 8;
    private static final String POOL = """
            apiVersion: berth.dev/v1alpha1
            kind: AddressPool
            metadata:
              name: bench
            spec:
              addresses: [198.18.0.0/15]
            """;
    private static final Path METRICS = Path.of("target/bench-metrics.txt");
    private static final Path LOG = Path.of("target/bench-service-controller.log");

    private final int services;

    private Bench(int services) {
        this.services = services;
    }

    private interface Contender {
        Round measure(ControlPlane cluster) throws InterruptedException, IOException;
    }

    public static void main(String... arguments) throws Exception {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 3;
        int services = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 2000;
        Program.run(() -> {
            try {
                new Bench(services).compare(rounds);
                return 0;
            } catch (InterruptedException ctrlC) {
                System.err.println("berth: interrupted");
                return 1;
            } catch (RuntimeException failure) {
                System.err.println("berth: " + failure.getMessage());
                return 1;
            }
        });
    }

    private void compare(int rounds) throws InterruptedException, IOException {
        System.out.printf(
                "%,d Services wait at the start; Kubernetes %s; %d processors for all processes together%n%n",
                services, KubeBinaries.KUBERNETES, Runtime.getRuntime().availableProcessors());
        List<Round> berth = new ArrayList<>();
        List<Round> upstream = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            upstream.add(run("service controller", round, this::serviceController));
            berth.add(run("Berth", round, this::berth));
        }
        System.out.printf("%n%-42s %18s %10s %8s%n", "medians", "service controller", "Berth", "ratio");
        row("Services/s, from the first to the last", upstream, berth, Round::perSecond);
        row("Services/s, from the start of the process", upstream, berth, Round::perSecondFromStart);
        row("seconds until the first", upstream, berth, Round::firstSeconds);
        row("writes per Service", upstream, berth, round -> round.writes().objects() / services);
        row("events per Service", upstream, berth, round -> round.writes().events() / services);
        row("writes that failed", upstream, berth, round -> round.writes().failed());
        row("reconciliations per Service", upstream, berth, round -> round.reconciliations() / services);
        row("CPU seconds", upstream, berth, round -> round.use().cpuSeconds());
        row("peak memory, MiB", upstream, berth, round -> round.use().peakMebibytes());
    }

    private static void row(String what, List<Round> upstream, List<Round> berth, ToDoubleFunction<Round> number) {
        double theirs = Round.median(upstream, number);
        double ours = Round.median(berth, number);
        System.out.printf(
                "%-42s %18s %10s %8s%n", what, text(theirs, "%.1f"), text(ours, "%.1f"), text(ours / theirs, "%.2f"));
    }

    private static String text(double number, String format) {
        return Double.isNaN(number) ? "-" : format.formatted(number);
    }

    // ---- one round

    private Round run(String name, int round, Contender contender) throws InterruptedException, IOException {
        try (ControlPlane cluster = ControlPlane.builder()
                .apiServerFlag("--max-requests-inflight=4000")
                .apiServerFlag("--max-mutating-requests-inflight=2000")
                .start()) {
            try {
                prepare(cluster);
                Round result = contender.measure(cluster);
                System.out.printf(
                        "round %d, %-18s %6.1f Services/s (%.1f s until the first, %.1f s until the last)%n",
                        round, name + ":", result.perSecond(), result.firstSeconds(), result.lastSeconds());
                return result;
            } finally {
                // An interrupt has done its work; left set, it would cut the orderly end short.
                Thread.interrupted();
            }
        }
    }

    /** A Node, because the service controller warns of each Service while there is none; and the Services. */
    private void prepare(ControlPlane cluster) throws InterruptedException {
        KubernetesClient client = cluster.adminClient();
        client.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName("node-1")
                        .endMetadata()
                        .withNewStatus()
                        .addNewCondition()
                        .withType("Ready")
                        .withStatus("True")
                        .endCondition()
                        .endStatus()
                        .build())
                .create();
        cluster.kubectl("create", "namespace", NAMESPACE);
        try (ExecutorService creators = Executors.newFixedThreadPool(CREATORS)) {
            List<Future<?>> creations = new ArrayList<>();
            for (int i = 0; i < services; i++) {
                String name = "service-" + i;
                creations.add(creators.submit(() -> create(client, name)));
            }
            try {
                for (Future<?> creation : creations) {
                    creation.get();
                }
            } finally {
                // After a failure or Ctrl-C the rest is not waited for.
                creators.shutdownNow();
            }
        } catch (ExecutionException failure) {
            throw new IllegalStateException("creating a Service: " + failure.getCause(), failure);
        }
    }

    private static void create(KubernetesClient client, String name) {
        client.resource(new ServiceBuilder()
                        .withNewMetadata()
                        .withNamespace(NAMESPACE)
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withType("LoadBalancer")
                        .addToSelector("app", name)
                        .addNewPort()
                        .withPort(80)
                        .endPort()
                        .endSpec()
                        .build())
                .create();
    }

    private Round berth(ControlPlane cluster) throws InterruptedException, IOException {
        InstalledBerth installation = InstalledBerth.into(cluster);
        AddressPool pool = Serialization.unmarshal(POOL, AddressPool.class);
        cluster.adminClient().resource(pool).create();
        ApiWrites before = ApiWrites.of(cluster.adminClient());
        try (Watcher watcher = new Watcher(cluster.adminClient(), NAMESPACE, services)) {
            long start = System.nanoTime();
            try (OperatorProcess operator = installation.startOperator()) {
                awaitAll(watcher, operator::log);
                Round round = round(
                        watcher,
                        start,
                        ProcessUse.of(operator.pid()),
                        ApiWrites.of(cluster.adminClient()).since(before),
                        operator.metric("berth_controller_reconciliations_total", "controller", "service"));
                Files.writeString(METRICS, operator.metrics());
                return round;
            }
        }
    }

    private Round serviceController(ControlPlane cluster) throws InterruptedException {
        List<String> command = List.of(
                KubeBinaries.ofThisMachine().serviceController().toString(),
                "--kubeconfig=" + cluster.adminKubeconfig(),
                "--workers=10");
        Path here = Path.of("").toAbsolutePath();
        ApiWrites before = ApiWrites.of(cluster.adminClient());
        try (Watcher watcher = new Watcher(cluster.adminClient(), NAMESPACE, services)) {
            long start = System.nanoTime();
            try (ChildProcess controller = ChildProcess.start("service-controller", command, here, LOG)) {
                awaitAll(watcher, controller::log);
                return round(
                        watcher,
                        start,
                        ProcessUse.of(controller.pid()),
                        ApiWrites.of(cluster.adminClient()).since(before),
                        Double.NaN);
            }
        }
    }

    private void awaitAll(Watcher watcher, Supplier<String> log) throws InterruptedException {
        if (!watcher.await(PATIENCE)) {
            List<String> lines = log.get().lines().toList();
            throw new IllegalStateException("%d of %d Services have an address after %s; the log ends with:%n%s"
                    .formatted(
                            watcher.served(),
                            services,
                            PATIENCE,
                            String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()))));
        }
    }

    private Round round(Watcher watcher, long start, ProcessUse use, ApiWrites writes, double reconciliations) {
        return new Round(
                services,
                (watcher.first() - start) / 1e9,
                (watcher.last() - start) / 1e9,
                use,
                writes,
                reconciliations);
    }
}
