package dev.berth.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A command of the packaged Berth that people call by hand, run to its end. */
public record BerthCommand(int exitCode, String out, String err) {
    private static final int PATIENCE_SECONDS = 120;

    /**
     * Runs it.
     *
     * @throws IllegalStateException if it has not ended after two minutes
     */
    public static BerthCommand run(String... arguments) {
        return runWith("", arguments);
    }

    /** Like {@link #run}, with this on its standard input. */
    public static BerthCommand runWith(String input, String... arguments) {
        List<String> command = PackagedBerth.command(arguments);
        try {
            Path in = Files.writeString(Files.createTempFile("berth-", ".in"), input);
            Path out = Files.createTempFile("berth-", ".out");
            Path err = Files.createTempFile("berth-", ".err");
            try {
                Process process = new ProcessBuilder(command)
                        .redirectInput(in.toFile())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
                if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    throw new IllegalStateException(
                            "%s still runs after %d s".formatted(String.join(" ", arguments), PATIENCE_SECONDS));
                }
                return new BerthCommand(
                        process.exitValue(),
                        Files.readString(out, StandardCharsets.UTF_8),
                        Files.readString(err, StandardCharsets.UTF_8));
            } finally {
                for (Path file : List.of(in, out, err)) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("running berth " + String.join(" ", arguments), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while berth ran", e);
        }
    }
}
