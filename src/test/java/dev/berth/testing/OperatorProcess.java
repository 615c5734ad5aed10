package dev.berth.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The packaged operator as a child process that ends with this JVM.
 *
 * <p>Its log goes to a file in {@code it-logs} of the build directory, named by the test that starts it, and stays there.
 */
public final class OperatorProcess implements AutoCloseable {
    private static final Path LOGS = Build.file("it-logs");
    private static final Duration GRACE = Duration.ofSeconds(30);
    private static final Pattern LISTENING = Pattern.compile("Listening on: (http://[^\\s\"]*:\\d+)");

    private final ChildProcess process;
    private final Path logFile;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Patience.USUAL).build();

    private volatile @Nullable String address;

    /** @param name of the log file, without its ending */
    OperatorProcess(String name, List<String> command) {
        try {
            Files.createDirectories(LOGS);
            // Not by the ID of this process, which others in PID namespaces of their own have, too.
            this.logFile = Files.createTempFile(LOGS, name + "-", ".log");
            this.process = ChildProcess.start("operator", command, Path.of("").toAbsolutePath(), logFile);
        } catch (IOException e) {
            throw new UncheckedIOException("creating " + LOGS, e);
        }
    }

    /**
     * Starts the operator by the JVM options of its image and its Deployment, so in the heap that is shipped, and returns
     * at once: {@link #awaitLog} or {@link #get} wait for it.
     *
     * @param flags of its operator command
     * @throws IllegalStateException if it is not packaged
     */
    public static OperatorProcess start(Path kubeconfig, String... flags) {
        return startWith(AotCache.option(), kubeconfig, flags);
    }

    /** Like {@link #start}, with more options for its JVM, like {@code -Xmx128m}, but without an AOT cache. */
    public static OperatorProcess startWith(List<String> jvmOptions, Path kubeconfig, String... flags) {
        return startBy(
                List.of(),
                jvmOptions,
                Stream.concat(Stream.of("--kubeconfig=" + kubeconfig), Stream.of(flags))
                        .toArray(String[]::new));
    }

    /**
     * The same, by a command that becomes the operator.
     *
     * @param command before that of the operator, like {@code env}; empty: there is none
     * @param flags all of them, but for a free port where none is named
     */
    public static OperatorProcess startBy(List<String> command, List<String> jvmOptions, String... flags) {
        List<String> options = Stream.concat(JavaToolOptions.ofOperator().stream(), jvmOptions.stream())
                .toList();
        List<String> whole = new ArrayList<>(command);
        whole.addAll(PackagedBerth.commandWith(options, "operator"));
        if (Stream.of(flags).noneMatch(flag -> flag.startsWith("--http-port"))) {
            whole.add("--http-port=0");
        }
        whole.addAll(List.of(flags));
        return new OperatorProcess(nameOfTheTest(), whole);
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Sends GET to the operator's own HTTP server, waiting up to {@link Patience#LONG} for its start.
     *
     * @param path like {@code /q/health/ready}
     * @throws IllegalStateException if the operator ends or does not listen in time
     * @throws UncheckedIOException if there is no answer within {@link Patience#USUAL}
     */
    public HttpResponse<String> get(String path) {
        if (address == null) {
            address = awaitLog(LISTENING).group(1);
        }
        URI uri = URI.create(address + path);
        try {
            return http.send(
                    HttpRequest.newBuilder(uri).timeout(Patience.USUAL).build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException("asking the operator for " + uri, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while asking the operator for " + uri, e);
        }
    }

    /** All metrics in Prometheus' text format. */
    public String metrics() {
        HttpResponse<String> answer = get("/metrics");
        if (answer.statusCode() != 200) {
            throw new IllegalStateException("GET /metrics: status " + answer.statusCode() + ": " + answer.body());
        }
        return answer.body();
    }

    /**
     * The sum of all series of a metric that have these tags, among others.
     *
     * @param name as Prometheus sees it, with its suffix: {@code berth_writes_total}
     * @param tags keys and values in turn
     * @return NaN if there is no such series
     * @throws IllegalArgumentException if a key is without a value
     */
    public double metric(String name, String... tags) {
        return Metrics.sum(metrics(), name, tags);
    }

    /** Where the log is; it stays there after the end. */
    public Path logFile() {
        return logFile;
    }

    /** The whole log up to now, of output and errors. */
    public String log() {
        return process.log();
    }

    /**
     * Waits up to {@link Patience#LONG} until the log contains a match, also when that is there already.
     *
     * @throws IllegalStateException with the tail of the log, if none comes or if the operator ends before
     */
    public Matcher awaitLog(String regex) {
        return awaitLog(Pattern.compile(regex));
    }

    private Matcher awaitLog(Pattern pattern) {
        try {
            return Awaitility.await()
                    .atMost(Patience.LONG)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(50))
                    .until(
                            () -> {
                                boolean alive = process.isAlive();
                                Matcher matcher = pattern.matcher(process.log());
                                if (!matcher.find() && !alive) {
                                    process.requireAlive();
                                }
                                return matcher;
                            },
                            Matcher::hasMatch);
        } catch (ConditionTimeoutException e) {
            throw new IllegalStateException(
                    "no \"%s\" in the operator's log after %s; it ends with:%n%s"
                            .formatted(pattern, Patience.LONG, process.logTail(30)),
                    e);
        }
    }

    /** Sends SIGTERM and waits up to 30 seconds; SIGKILL comes after. */
    public void stop() {
        process.stop(GRACE);
    }

    public ChildProcess process() {
        return process;
    }

    /** Sends SIGKILL and waits for the end. */
    public void kill() {
        process.close();
    }

    /**
     * The exit code: 143 after SIGTERM, unless the operator chooses another, and 137 after SIGKILL.
     *
     * @throws IllegalStateException if it still runs after {@code timeout}
     */
    public int exitCode(Duration timeout) {
        return process.exitCode(timeout);
    }

    @Override
    public void close() {
        stop();
        http.close();
    }

    /** The outermost method of a test class on this thread's stack: the test, or its setup. */
    private static String nameOfTheTest() {
        return StackWalker.getInstance()
                .walk(frames -> frames.filter(frame -> frame.getClassName().matches(".*(IT|Test)"))
                        .map(frame -> frame.getClassName().replaceFirst(".*[.$]", "") + "." + frame.getMethodName())
                        .reduce((inner, outer) -> outer))
                .orElse("operator");
    }

    /** Prometheus' text format, of which a line is {@code name{key="value",…} number}. */
    static final class Metrics {
        private Metrics() {}

        static double sum(String text, String name, String... tags) {
            if (tags.length % 2 != 0) {
                throw new IllegalArgumentException("tag \"" + tags[tags.length - 1] + "\" has no value");
            }
            List<Double> values = text.lines()
                    .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
                    .filter(line ->
                            pairs(tags).allMatch(pair -> line.matches(".*[{,]" + Pattern.quote(pair) + "[,}].*")))
                    .map(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .toList();
            return values.isEmpty()
                    ? Double.NaN
                    : values.stream().mapToDouble(Double::doubleValue).sum();
        }

        private static Stream<String> pairs(String... tags) {
            return Stream.iterate(0, i -> i < tags.length, i -> i + 2).map(i -> tags[i] + "=\"" + tags[i + 1] + "\"");
        }
    }
}
