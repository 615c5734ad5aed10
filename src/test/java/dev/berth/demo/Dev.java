package dev.berth.demo;

import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An API server that stays up, and an operator that is built and started again after each edit of {@code src/main}.
 * Services, pools and Addresses stay, too. Ctrl-C ends both.
 */
public final class Dev {
    private static final List<String> SOURCES = List.of("src/main", "crds");
    private static final int POLL_MILLISECONDS = 300;

    private final List<String> build;
    private final Installation berth;
    private @Nullable OperatorProcess operator;

    private Dev(List<String> build, Installation berth) {
        this.build = build;
        this.berth = berth;
    }

    /** The arguments are the command that builds the operator. */
    public static void main(String... build) throws Exception {
        Program.run(() -> {
            try (ControlPlane cluster = ControlPlane.builder().start();
                    Installation berth = new Installation(cluster)) {
                say("export KUBECONFIG=" + cluster.adminKubeconfig());
                new Dev(List.of(build), berth).run();
            } catch (InterruptedException end) {
                say("Everything is stopped.");
            }
            return 0;
        });
    }

    private void run() throws InterruptedException {
        start();
        SequencedMap<Path, FileTime> built = sources();
        while (true) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLISECONDS);
            SequencedMap<Path, FileTime> now = sources();
            if (!now.equals(built)) {
                built = now;
                if (isBuilt()) {
                    start();
                }
            }
        }
    }

    private void start() {
        long start = System.nanoTime();
        if (operator != null) {
            operator.close();
        }
        // By the kustomization: nobody has run make manifests after an edit.
        Installation.applyManifests(berth.controlPlane(), Installation.MANIFESTS);
        OperatorProcess started = OperatorProcess.start(berth.kubeconfig());
        operator = started;
        try {
            started.awaitLog("ready after");
            say("The operator runs, after %d s; its log: %s; edit src/main, or end with Ctrl-C"
                    .formatted(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start), started.logFile()));
        } catch (IllegalStateException failure) {
            say(String.valueOf(failure.getMessage()));
        }
    }

    private boolean isBuilt() throws InterruptedException {
        say("Building ...");
        try {
            Process process = new ProcessBuilder(build).inheritIO().start();
            try {
                return process.waitFor() == 0;
            } finally {
                process.destroy();
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("running " + String.join(" ", build), failure);
        }
    }

    /** When each was changed last. */
    private static SequencedMap<Path, FileTime> sources() {
        SequencedMap<Path, FileTime> times = new TreeMap<>();
        for (String folder : SOURCES) {
            try (Stream<Path> files = Files.walk(Path.of(folder))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    times.put(file, Files.getLastModifiedTime(file));
                }
            } catch (NoSuchFileException | UncheckedIOException moved) {
                // An editor replaces a file; the next look sees the new one.
            } catch (IOException failure) {
                throw new UncheckedIOException("looking at " + folder, failure);
            }
        }
        return times;
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
