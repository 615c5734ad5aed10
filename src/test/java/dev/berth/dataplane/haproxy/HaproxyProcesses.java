package dev.berth.dataplane.haproxy;

import dev.berth.provider.LoadBalancerProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Providers, and the HAProxies that they leave behind. */
public final class HaproxyProcesses implements AutoCloseable {
    private final List<HaproxyProvider> providers = new ArrayList<>();
    private final List<Path> directories = new ArrayList<>();

    public LoadBalancerProvider provider(Path directory) {
        return provider(directory, Map.of());
    }

    HaproxyProvider provider(Path directory, Map<String, String> settings) {
        Map<String, String> all = new LinkedHashMap<>(settings);
        all.put("directory", directory.toString());
        directories.add(directory);
        HaproxyProvider made = new HaproxyProvider(all);
        providers.add(made);
        return made;
    }

    /** Sends a signal to the master and its workers. */
    public void signal(Path directory, String signal) {
        all(directory).forEach(process -> Command.run(List.of("kill", "-" + signal, Long.toString(process.pid()))));
    }

    private static List<ProcessHandle> all(Path directory) {
        return master(directory)
                .flatMap(master -> Stream.concat(Stream.of(master), master.descendants()))
                .toList();
    }

    private static Stream<ProcessHandle> master(Path directory) {
        Path pid = directory.resolve("haproxy.pid");
        try {
            return Files.exists(pid)
                    ? ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).stream()
                    : Stream.of();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** What HAProxy answers to a command of its runtime API. */
    public String runtime(Path directory, String command) {
        return new Haproxy(directory, "haproxy").runtime(command);
    }

    /** What is in its configuration file. */
    public String configuration(Path directory) {
        return new Haproxy(directory, "haproxy").configuration();
    }

    /**
     * Takes what load balancers that were not deleted have left off {@code lo}, as all else but the kernel's own addresses:
     * for a JVM with network namespaces of its own.
     */
    public void removeAddresses() {
        Command.run(List.of("ip", "address", "flush", "dev", "lo", "scope", "global"));
    }

    @Override
    public void close() {
        providers.forEach(HaproxyProvider::close);
        directories.forEach(HaproxyProcesses::kill);
    }

    /** Waits until they have ended, so that none writes to a directory that is being deleted. */
    private static void kill(Path directory) {
        List<ProcessHandle> all = all(directory);
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(process -> process.onExit().orTimeout(10, TimeUnit.SECONDS).join());
    }
}
