package dev.berth.lab;

import dev.berth.testing.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** GoBGP's daemon on a node of the {@link Lab}, as the manifests start it. */
final class LabSpeaker implements AutoCloseable {
    private final LabNode node;
    private @Nullable ChildProcess process;
    private int starts;

    /** Not yet started. */
    LabSpeaker(LabNode node) {
        this.node = node;
    }

    private Path socket() {
        return node.lab().folder().resolve("gobgp-" + node.name() + ".sock");
    }

    /** The flag by which an agent finds it. */
    String flag() {
        return "--gobgp=unix://" + socket();
    }

    LabSpeaker start() {
        try {
            Files.deleteIfExists(socket());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        process = node.namespace()
                .start(
                        "gobgpd" + ++starts,
                        node.lab().folder(),
                        "gobgpd",
                        "--api-hosts=unix://" + socket(),
                        "--pprof-disable",
                        "--metrics-path=",
                        "--log-plain");
        return this;
    }

    private ChildProcess running() {
        return Objects.requireNonNull(process, "not started");
    }

    /** In KiB. */
    long residentMemory() {
        return LabAgent.residentMemory(running());
    }

    Duration processorTime() {
        return LabAgent.processorTime(running());
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
        running().stop(Duration.ofSeconds(30));
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }
}
