package dev.berth.testing;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Writes down how many seconds of a processor each class of integration tests takes, with all processes that it starts:
 * {@code make test} prints which takes most. A line is appended to the file {@code processor-seconds} of the build directory
 * for each class: seconds and name. Only where the JVM has a PID namespace of its own, as src/test/lab/bin/java makes it.
 */
public final class ProcessorTime implements BeforeAllCallback, AfterAllCallback {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(ProcessorTime.class);
    private static final boolean IS_KNOWN = System.getenv("BERTH_LAB") != null;

    /** Of /proc/pid/stat; the same on every Linux that Kubernetes runs on. */
    private static final double TICKS_PER_SECOND = 100;

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        if (isCounted(context)) {
            context.getStore(NAMESPACE).put("begin", seconds());
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        if (isCounted(context)) {
            double begin = Objects.requireNonNull(context.getStore(NAMESPACE).get("begin", Double.class));
            Files.writeString(
                    Build.file("processor-seconds"),
                    "%.1f %s%n"
                            .formatted(
                                    seconds() - begin,
                                    context.getRequiredTestClass().getName()),
                    CREATE,
                    APPEND);
        }
    }

    private static boolean isCounted(ExtensionContext context) {
        Class<?> test = context.getRequiredTestClass();
        return IS_KNOWN
                && test.getEnclosingClass() == null
                && test.getSimpleName().endsWith("IT");
    }

    /** Of all processes of this PID namespace, and of those that ended in it. */
    private static double seconds() throws IOException {
        List<Path> processes;
        try (Stream<Path> all = Files.list(Path.of("/proc"))) {
            processes = all.filter(path -> path.getFileName().toString().matches("\\d+"))
                    .toList();
        }
        double ticks = 0;
        for (Path process : processes) {
            ticks += ticks(process);
        }
        return ticks / TICKS_PER_SECOND;
    }

    private static long ticks(Path process) {
        try {
            String stat = Files.readString(process.resolve("stat"));
            // Fields 14 to 17; the second one, in parentheses, may have blanks.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return Stream.of(fields)
                    .skip(11)
                    .limit(4)
                    .mapToLong(Long::parseLong)
                    .sum();
        } catch (IOException ended) {
            return 0;
        }
    }
}
