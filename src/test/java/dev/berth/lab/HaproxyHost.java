package dev.berth.lab;

import dev.berth.testing.ChildProcess;
import dev.berth.testing.PackagedBerth;
import dev.berth.testing.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A machine of the {@link Lab} that runs Berth's provider {@code haproxy} by {@code provider-host}. */
final class HaproxyHost implements AutoCloseable {
    private final Namespace machine;
    private final Path folder;
    private final String name;
    private final String networkInterface;
    private final List<String> listen;
    private @Nullable ChildProcess host;

    /**
     * On the load balancer's host.
     *
     * @param targets NodePorts or Endpoints
     */
    HaproxyHost(Lab lab, String targets) {
        this(lab, lab.loadBalancerHost(), targets, "targets=" + targets + "\n", List.of());
    }

    /** On any machine, with the addresses on its eth0. */
    HaproxyHost(Lab lab, Namespace machine, String name, String settings, List<String> listen) {
        this(lab, machine, name, "eth0", settings, listen);
    }

    /**
     * On any machine.
     *
     * @param name unlike that of any other of this lab
     * @param networkInterface that gets the addresses
     * @param settings beside directory and interface
     * @param listen flags of provider-host; empty: it listens at {@link #socket}
     */
    HaproxyHost(
            Lab lab, Namespace machine, String name, String networkInterface, String settings, List<String> listen) {
        this.machine = machine;
        this.name = name;
        this.networkInterface = networkInterface;
        this.folder = lab.folder().resolve("haproxy-" + name);
        this.listen = listen.isEmpty() ? List.of("--listen=unix://" + socket()) : listen;
        try {
            Files.createDirectories(folder.resolve("plugins"));
            Files.writeString(
                    folder.resolve("plugins/haproxy.properties"),
                    "directory=%s\ninterface=%s\n%s".formatted(folder.resolve("state"), networkInterface, settings));
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
        List<String> arguments = new ArrayList<>(
                List.of("provider-host", "--plugin-dir=" + folder.resolve("plugins"), "--provider=haproxy"));
        arguments.addAll(listen);
        long before = startsIn(host);
        ChildProcess started = machine.start(
                "provider-host-" + name,
                folder,
                PackagedBerth.command(arguments.toArray(String[]::new)).toArray(String[]::new));
        host = started;
        Awaitility.await().atMost(Patience.USUAL).until(() -> {
            started.requireAlive();
            return startsIn(started) > before;
        });
    }

    /** Its log goes on with that of the process before. */
    private static long startsIn(@Nullable ChildProcess process) {
        return process == null
                ? 0
                : process.log()
                        .lines()
                        .filter(line -> line.startsWith("serving provider"))
                        .count();
    }

    /** Kills provider-host; HAProxy goes on. */
    void kill() {
        if (host != null) {
            host.close();
        }
    }

    /** Asks provider-host to end, and waits until it has; HAProxy goes on. */
    void end() {
        if (host != null) {
            host.stop(Patience.USUAL);
        }
    }

    /** Has the process ID of HAProxy's master. */
    Path pidFile() {
        return folder.resolve("state/haproxy.pid");
    }

    Path configurationFile() {
        return folder.resolve("state/haproxy.cfg");
    }

    /** The process ID of HAProxy's master. */
    String haproxy() {
        try {
            return Files.readString(pidFile()).strip();
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
        machine.run("sh", "-c", "kill -" + signal + " " + String.join(" ", processes) + " || true");
    }

    /** What ip says of the addresses of the interface. */
    String addresses() {
        return machine.ip("-o addr show dev " + networkInterface);
    }

    @Override
    public void close() {
        kill();
        signalHaproxy("KILL");
    }
}
