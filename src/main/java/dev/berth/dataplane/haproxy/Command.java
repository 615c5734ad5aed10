package dev.berth.dataplane.haproxy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.berth.provider.ProviderException;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A program of this host that ends soon. */
final class Command {
    private static final Logger LOG = LoggerFactory.getLogger(Command.class);
    private static final Duration LIMIT = Duration.ofSeconds(5);

    /**
     * What came of it.
     *
     * @param output standard output and errors
     */
    record Outcome(int code, String output) {}

    private Command() {}

    /**
     * Runs it.
     *
     * @throws ProviderException if it cannot be run, or does not end
     */
    static Outcome run(List<String> words) {
        return run(words, "");
    }

    /** The same, with something on its standard input. */
    static Outcome run(List<String> words, String input) {
        return run(words, input, LIMIT);
    }

    /** The same, for one that may take longer than others. */
    static Outcome run(List<String> words, Duration limit) {
        return run(words, "", limit);
    }

    private static Outcome run(List<String> words, String input, Duration limit) {
        try {
            ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
            if (input.isEmpty()) {
                builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
            }
            Process process = builder.start();
            CompletableFuture<Process> deadline = new CompletableFuture<Process>()
                    .completeOnTimeout(process, limit.toMillis(), TimeUnit.MILLISECONDS);
            CompletableFuture<Void> _ = deadline.thenAccept(Process::destroyForcibly);
            try {
                if (!input.isEmpty()) {
                    try (OutputStream in = process.getOutputStream()) {
                        in.write(input.getBytes(UTF_8));
                    } catch (IOException endedEarly) {
                        // Its exit code says more.
                        LOG.debug("writing to \"{}\": {}", words.getFirst(), endedEarly.toString());
                    }
                }
                String output = new String(process.getInputStream().readAllBytes(), UTF_8);
                int code = process.waitFor();
                if (deadline.isDone()) {
                    throw new ProviderException(
                            "\"%s\" has not ended within %d s".formatted(String.join(" ", words), limit.toSeconds()));
                }
                return new Outcome(code, output);
            } finally {
                deadline.cancel(false);
            }
        } catch (IOException failure) {
            throw new ProviderException("running \"" + words.getFirst() + "\": " + failure.getMessage(), failure);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new ProviderException("interrupted", stopping);
        }
    }
}
