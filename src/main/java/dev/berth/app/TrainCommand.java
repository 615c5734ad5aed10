package dev.berth.app;

import io.quarkus.runtime.Quarkus;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/**
 * {@code berth train}: goes through what a start goes through, without a cluster, and ends. A JVM that records an
 * AOT cache (-XX:AOTCacheOutput) sees by it which classes the operator needs.
 */
@Command(name = "train", hidden = true, description = "Starts without a cluster and ends, for the JVM's AOT cache.")
final class TrainCommand implements Callable<Integer> {
    /** Nobody listens there. */
    private static final String NOWHERE = "https://127.0.0.1:1";

    @Override
    public Integer call() {
        System.setProperty("kubernetes.auth.tryKubeConfig", "false");
        System.setProperty("kubernetes.auth.tryServiceAccount", "false");
        System.setProperty("kubernetes.master", NOWHERE);
        OperatorOptions options = new OperatorOptions();
        options.logFormat = OperatorOptions.LogFormat.json;
        OperatorCommand.configure(options);
        Optional<String> unfit = Preflight.check(null);
        if (unfit.isEmpty()) {
            throw new IllegalStateException("a cluster answered at " + NOWHERE);
        }
        Wiring.options(options, new LinkedHashMap<>());
        AtomicReference<@Nullable Throwable> broken = new AtomicReference<>();
        Quarkus.run(Training.class, (code, failure) -> broken.set(failure));
        Throwable failure = broken.get();
        if (failure != null) {
            System.err.println("berth: the training could not start: " + Preflight.innermost(failure));
            return 1;
        }
        return 0;
    }
}
