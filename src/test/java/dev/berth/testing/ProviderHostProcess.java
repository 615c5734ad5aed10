package dev.berth.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.awaitility.Awaitility;

/** The packaged {@code provider-host} as a child process that ends with this JVM; its log is in {@code it-logs} of the build directory. */
public final class ProviderHostProcess implements AutoCloseable {
    private static final Path LOGS = Build.file("it-logs");

    private final ChildProcess process;

    private ProviderHostProcess(ChildProcess process) {
        this.process = process;
    }

    /** Serves a provider of the plug-in folder on a Unix socket; returns when it does. */
    public static ProviderHostProcess start(Path plugins, String provider, Path socket) {
        List<String> command = PackagedBerth.command(
                "provider-host", "--plugin-dir=" + plugins, "--provider=" + provider, "--listen=unix://" + socket);
        Path log;
        try {
            Files.createDirectories(LOGS);
            log = Files.createTempFile(LOGS, "provider-host-", ".log");
        } catch (IOException failure) {
            throw new UncheckedIOException("creating a log in " + LOGS, failure);
        }
        ProviderHostProcess host = new ProviderHostProcess(
                ChildProcess.start("provider-host", command, Path.of("").toAbsolutePath(), log));
        Awaitility.await().atMost(Patience.USUAL).until(() -> {
            host.process.requireAlive();
            return host.log().contains("serving provider \"" + provider + "\"");
        });
        return host;
    }

    /** The whole log up to now. */
    public String log() {
        return process.log();
    }

    /** Sends SIGKILL and waits for the end. */
    public void kill() {
        process.close();
    }

    /** Sends SIGTERM and waits for the end. */
    @Override
    public void close() {
        process.stop(Patience.USUAL);
    }
}
