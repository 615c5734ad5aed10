package dev.berth.lab;

import dev.berth.testing.ChildProcess;
import dev.berth.testing.JavaToolOptions;
import dev.berth.testing.PackagedBerth;
import dev.berth.testing.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/** Berth's agent on a node of the {@link Lab}, with the rights of its manifests. */
final class LabAgent implements AutoCloseable {
    /** Until what runs ten times a second is compiled, which takes its thousandth call: then an agent is at rest. */
    static final Duration SETTLE = Duration.ofMinutes(3);

    /** For so long, and a bit less, the others are preferred to one that has just begun. */
    private static final Duration NEW = Duration.ofSeconds(6);

    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();

    private final LabNode node;
    private final List<String> command;
    private @Nullable ChildProcess process;
    private int starts;

    /** When it was first found ready since its start; null: not yet. */
    private @Nullable Instant ready;

    /**
     * Not yet started.
     *
     * @param key the same for all
     * @param more flags
     */
    LabAgent(LabNode node, Path key, String... more) {
        this.node = node;
        URI server = URI.create(node.lab().controlPlane().url());
        this.command = new ArrayList<>(List.of(
                "env",
                "KUBERNETES_SERVICE_HOST=" + server.getHost(),
                "KUBERNETES_SERVICE_PORT=" + server.getPort(),
                "MALLOC_ARENA_MAX=1",
                "JAVA_TOOL_OPTIONS=" + String.join(" ", JavaToolOptions.ofAgents())));
        List<String> flags = new ArrayList<>(
                List.of("agent", "--node-name=" + node.name(), "--key-file=" + key, "--http=" + node.ipv4() + ":7947"));
        flags.addAll(List.of(more));
        // As in the DaemonSet: without the AOT cache.
        command.addAll(PackagedBerth.commandWith(List.of(), flags.toArray(String[]::new)));
    }

    /** Lets agents in, gives them what the Pods of their ServiceAccount have, and makes their key. */
    static Path prepare(Lab lab) {
        for (String file : List.of("agent/namespace", "agent/rbac", "bgp/rbac")) {
            lab.controlPlane().kubectl("apply", "-f", "src/main/kubernetes/components/" + file + ".yaml");
        }
        try {
            // The lab's JVM has a /run of its own.
            Path pod = Files.createDirectories(Path.of("/run/secrets/kubernetes.io/serviceaccount"));
            Files.writeString(pod.resolve("ca.crt"), lab.controlPlane().caPem());
            Files.writeString(
                    pod.resolve("token"),
                    lab.controlPlane()
                            .kubectl("create", "token", "berth-agent", "-n", "berth-agents", "--duration=24h"));
            return Files.writeString(lab.folder().resolve("agents.key"), "a key of the lab, and nobody else's\n");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    LabAgent start() {
        ready = null;
        process = node.namespace().start("agent" + ++starts, node.lab().folder(), command.toArray(String[]::new));
        return this;
    }

    /**
     * Returns once it has read everything.
     *
     * @throws IllegalStateException with the tail of its log, if it does not
     */
    LabAgent awaitReady() {
        try {
            Awaitility.await()
                    .atMost(Patience.LONG)
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> {
                        running().requireAlive();
                        return health().startsWith("ok");
                    });
        } catch (ConditionTimeoutException late) {
            throw new IllegalStateException(
                    "the agent of %s is not ready after %s; its log ends with:%n%s"
                            .formatted(this, Patience.LONG, running().logTail(30)),
                    late);
        }
        ready = ready == null ? Instant.now() : ready;
        return this;
    }

    /** Returns once it is ready and not new any more: until then other agents are preferred to it. */
    void awaitSteady() {
        awaitReady();
        Instant steady = Objects.requireNonNull(ready).plus(NEW);
        Awaitility.await().until(() -> Instant.now().isAfter(steady));
    }

    /** The one that was started last. */
    ChildProcess process() {
        return running();
    }

    private ChildProcess running() {
        if (process == null) {
            throw new IllegalStateException("not started");
        }
        return process;
    }

    /** Absent: no answer within 2 s. */
    private Optional<String> get(String path) {
        try {
            return Optional.of(HTTP.send(
                            HttpRequest.newBuilder(URI.create("http://" + node.ipv4() + ":7947" + path))
                                    .timeout(Duration.ofSeconds(2))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body());
        } catch (IOException unreachable) {
            return Optional.empty();
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopping);
        }
    }

    /** {@code ok}, or what is missing; empty: it does not answer. */
    String health() {
        return get("/healthz").orElse("");
    }

    /** Of one that runs: it is asked until it answers. */
    private String answer(String path) {
        return Awaitility.await().until(() -> get(path), Optional::isPresent).orElseThrow();
    }

    /** A line for each address. */
    String announcements() {
        return answer("/announcements");
    }

    String metrics() {
        return answer("/metrics");
    }

    LabNode node() {
        return node;
    }

    /** Addresses that it has put on its node. */
    List<String> addresses() {
        return node.namespace()
                .ip("-o address show")
                .lines()
                .filter(line -> line.contains(" metric 25189 "))
                .map(line -> line.trim().split("\\s+", -1)[3])
                .map(cidr -> cidr.substring(0, cidr.indexOf('/')))
                .toList();
    }

    boolean has(String address) {
        return addresses().contains(address);
    }

    String log() {
        return running().log();
    }

    /** In KiB. */
    long residentMemory() {
        return residentMemory(running());
    }

    static long residentMemory(ChildProcess process) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + process.pid() + "/status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .map(line -> line.replaceAll("\\D", ""))
                    .mapToLong(Long::parseLong)
                    .findFirst()
                    .orElseThrow();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    Duration processorTime() {
        return processorTime(running());
    }

    static Duration processorTime(ChildProcess process) {
        return ProcessHandle.of(process.pid())
                .flatMap(handle -> handle.info().totalCpuDuration())
                .orElse(Duration.ZERO);
    }

    boolean isRunning() {
        return running().isAlive();
    }

    /** SIGKILL. */
    void kill() {
        running().close();
    }

    /** SIGTERM, and waits for the end. */
    void end() {
        running().stop(Patience.USUAL);
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }

    @Override
    public String toString() {
        return node.name();
    }
}
