package dev.berth.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Prints what was done on a {@link PodCluster}, and how long each took; and after a failure the state of the cluster. */
final class PodStory implements BeforeTestExecutionCallback, AfterTestExecutionCallback, AfterAllCallback {
    private static final List<String> DONE = new ArrayList<>();

    private static @Nullable PodCluster cluster;

    private long began;

    static void of(PodCluster started) {
        cluster = started;
    }

    static <T> T timed(String what, Supplier<T> body) {
        long began = System.nanoTime();
        T result = body.get();
        note(what, began);
        return result;
    }

    /** Prints a figure, too. */
    static void figure(String what) {
        DONE.add("pods:           " + what);
    }

    private static void note(String what, long began) {
        DONE.add("pods: %6.1f s  %s"
                .formatted(Duration.ofNanos(System.nanoTime() - began).toMillis() / 1000.0, what));
    }

    @Override
    public void beforeTestExecution(ExtensionContext context) {
        began = System.nanoTime();
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        note(words(context.getRequiredTestMethod().getName()), began);
        if (context.getExecutionException().isPresent() && cluster != null) {
            System.err.println("pods: " + cluster.state());
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        System.err.println(String.join(System.lineSeparator(), DONE));
        DONE.clear();
        cluster = null;
    }

    /** Of a method's name. */
    private static String words(String name) {
        return name.replace("_", ", ").replaceAll("(?<=[a-z])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
    }
}
