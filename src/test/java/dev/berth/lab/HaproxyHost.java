package dev.berth.lab;

import dev.berth.testing.ChildProcess;
import dev.berth.testing.PackagedBerth;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A machine of the {@link Lab} that runs Berth's provider {@code haproxy} by {@code provider-host}. */
final class HaproxyHost implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Lab lab;
    private final Path folder;
    private final String targets;
    private @Nullable ChildProcess host;

    /** @param targets NodePorts or Endpoints */
    HaproxyHost(Lab lab, String targets) {
        this.lab = lab;
        this.targets = targets;
        this.folder = lab.folder().resolve("haproxy-" + targets);
        try {
            Files.createDirectories(folder.resolve("plugins"));
            Files.writeString(
                    folder.resolve("plugins/haproxy.properties"),
                    "directory=%s\ninterface=eth0\ntargets=%s\n".formatted(folder.resolve("state"), targets));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        start();
    }

    /** Where its plug-in answers. */
    Path socket() {
        return folder.resolve("plugin.sock");
    }

    /** Starts provider-host, and with it HAProxy, unless that runs. */
    void start() {
        ChildProcess started = lab.loadBalancerHost()
                .start(
                        "provider-host-" + targets,
                        folder,
                        PackagedBerth.command(
                                        "provider-host",
                                        "--plugin-dir=" + folder.resolve("plugins"),
                                        "--provider=haproxy",
                                        "--listen=unix://" + socket())
                                .toArray(String[]::new));
        host = started;
        Awaitility.await().atMost(PATIENCE).until(() -> {
            started.requireAlive();
            return started.log().contains("serving provider");
        });
    }

    /** Kills provider-host; HAProxy goes on. */
    void kill() {
        if (host != null) {
            host.close();
        }
    }

    /** The process ID of HAProxy's master. */
    String haproxy() {
        try {
            return Files.readString(folder.resolve("state/haproxy.pid")).strip();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Sends a signal to HAProxy, master and workers. */
    void signalHaproxy(String signal) {
        List<String> processes = ProcessHandle.of(Long.parseLong(haproxy())).stream()
                .flatMap(master -> Stream.concat(Stream.of(master), master.descendants()))
                .map(process -> Long.toString(process.pid()))
                .toList();
        // Workers end with their master, maybe before their turn.
        lab.loadBalancerHost().run("sh", "-c", "kill -" + signal + " " + String.join(" ", processes) + " || true");
    }

    /** What ip says of the addresses of the host. */
    String addresses() {
        return lab.loadBalancerHost().ip("-o addr show dev eth0");
    }

    @Override
    public void close() {
        kill();
        signalHaproxy("KILL");
    }
}
