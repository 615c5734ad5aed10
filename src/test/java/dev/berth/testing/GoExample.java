package dev.berth.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/** A program of src/examples, built by its go.mod, as a child process that ends with this JVM. */
public final class GoExample implements AutoCloseable {
    private static final Path MODULE = Path.of("src/examples");
    private static final Pattern SERVING = Pattern.compile(": serving on (\\S+)\n");
    private static final Pattern PAGE = Pattern.compile(" on (http://\\S+)");
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final ChildProcess process;

    private GoExample(ChildProcess process) {
        this.process = process;
    }

    /**
     * Starts it, and returns once it serves.
     *
     * @param name of its folder in src/examples
     * @param folder for its log
     */
    public static GoExample start(String name, Path folder, String... flags) {
        List<String> command = new ArrayList<>(List.of(Built.INTO.resolve(name).toString()));
        command.addAll(List.of(flags));
        try {
            GoExample example = new GoExample(
                    ChildProcess.start(name, command, MODULE, Files.createTempFile(folder, name, ".log")));
            example.awaitLog(SERVING);
            return example;
        } catch (IOException failure) {
            throw new UncheckedIOException("creating a log in " + folder, failure);
        }
    }

    /** The port of the network that it serves on. */
    public int port() {
        String address = awaitLog(SERVING).group(1);
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    /** Built once for this JVM. */
    private static final class Built {
        private static final Path INTO = Build.file("examples").toAbsolutePath();

        static {
            GoBuild.build(MODULE, INTO, "./...");
        }
    }

    /** What it answers on the page that its log names, in JSON. */
    public JsonNode page() {
        return send("GET", "");
    }

    /**
     * Sends a request to the page that its log names.
     *
     * @param path after the last slash
     */
    public JsonNode send(String method, String path) {
        URI uri = URI.create(awaitLog(PAGE).group(1) + path);
        try {
            HttpResponse<byte[]> answer = HTTP.send(
                    HttpRequest.newBuilder(uri)
                            .method(method, HttpRequest.BodyPublishers.noBody())
                            .timeout(Patience.USUAL)
                            .build(),
                    HttpResponse.BodyHandlers.ofByteArray());
            if (answer.statusCode() != 200) {
                throw new IllegalStateException(method + " " + uri + ": " + answer.statusCode());
            }
            return new ObjectMapper().readTree(answer.body());
        } catch (IOException failure) {
            throw new UncheckedIOException(method + " " + uri, failure);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopping);
        }
    }

    private MatchResult awaitLog(Pattern line) {
        return Awaitility.await()
                .atMost(Patience.USUAL)
                .pollInterval(Duration.ofMillis(5))
                .until(
                        () -> {
                            process.requireAlive();
                            return line.matcher(process.log()).results().findFirst();
                        },
                        Optional::isPresent)
                .orElseThrow();
    }

    /** Ends it by SIGTERM; returns its exit code. */
    public int stop() {
        process.signal("TERM");
        return process.exitCode(Patience.USUAL);
    }

    /** Ends it by SIGKILL. */
    @Override
    public void close() {
        process.close();
    }
}
