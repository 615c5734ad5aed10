package dev.berth.lab;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.berth.testing.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A network namespace of the lab: a machine, as far as its packets know.
 *
 * @param name of {@code ip netns}; empty for the namespace that this JVM is in
 */
record Namespace(String name) {
    private static final long SECONDS = 60;

    /** The namespace that this JVM is in. */
    static final Namespace HERE = new Namespace("");

    /** A new one, with its loopback interface up. Packets are forwarded, and IPv6 addresses work at once. */
    static Namespace create(String name) {
        HERE.run("ip", "netns", "add", name);
        Namespace created = new Namespace(name);
        created.prepare();
        return created;
    }

    void prepare() {
        run(
                "sysctl",
                "-q",
                "-w",
                "net.ipv4.ip_forward=1",
                "net.ipv4.conf.all.rp_filter=0",
                "net.ipv4.conf.default.rp_filter=0",
                // NAT takes a port again while a pod is in TIME_WAIT; by default the pod then drops SYNs that
                // look older than the connection before.
                "net.ipv4.tcp_timestamps=2",
                "net.ipv6.conf.all.forwarding=1",
                "net.ipv6.conf.all.accept_dad=0",
                "net.ipv6.conf.default.accept_dad=0");
        ip("link set lo up");
    }

    /** The hardware address of its interface eth0. */
    String hardware() {
        return ip("-o link show dev eth0").replaceAll("(?s).*link/ether (\\S+).*", "$1");
    }

    /** A command of {@code ip}, its words separated by blanks. It enters the namespace itself, which costs half. */
    String ip(String command) {
        List<String> words = new ArrayList<>(name.isEmpty() ? List.of("ip") : List.of("ip", "-n", name));
        words.addAll(List.of(command.split(" ")));
        return HERE.run(words.toArray(String[]::new));
    }

    /**
     * Runs a command in it.
     *
     * @return its standard output
     * @throws IllegalStateException if it fails, with its errors, or if it runs for more than a minute
     */
    String run(String... command) {
        try {
            Process process = new ProcessBuilder(command(List.of(command)))
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            // What writes more than a pipe holds would wait for a reader.
            byte[] output = process.getInputStream().readAllBytes();
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException(this + " still runs after a minute: " + String.join(" ", command));
            }
            String text = new String(output, UTF_8);
            if (process.exitValue() != 0) {
                throw new IllegalStateException("%s: %s: exit code %d: %s"
                        .formatted(this, String.join(" ", command), process.exitValue(), text.strip()));
            }
            return text;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopping);
        }
    }

    /** Its TCP sockets in this state, as ss has it: each by its two ends. */
    List<String> tcpSockets(String state) {
        return run("ss", "--no-header", "--tcp", "--numeric", "state", state)
                .lines()
                .map(line -> line.strip().split("\\s+", 3)[2])
                .toList();
    }

    /** Starts a command in it whose standard input and output are the caller's; the input ends with this JVM. */
    Process open(String... command) {
        try {
            return new ProcessBuilder(command(List.of(command)))
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Starts a process in it that ends with this JVM, with its log in {@code folder}. */
    ChildProcess start(String process, Path folder, String... command) {
        return ChildProcess.start(
                process, command(List.of(command)), folder, folder.resolve(process + "-" + name + ".log"));
    }

    /** Removes it with its interfaces; what still runs in it goes on without them. */
    void delete() {
        HERE.run("ip", "netns", "del", name);
    }

    private List<String> command(List<String> command) {
        if (name.isEmpty()) {
            return command;
        }
        List<String> inside = new ArrayList<>(List.of("ip", "netns", "exec", name));
        inside.addAll(command);
        return inside;
    }

    @Override
    public String toString() {
        return name.isEmpty() ? "the lab" : name;
    }
}
