package dev.berth.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A person's shell: bash in a folder that looks like the project's, with kubectl, helm and their kubeconfig. */
public final class TypingShell {
    private final Path folder;
    private final Path kubeconfig;
    private final Duration patience;

    private TypingShell(Path folder, Path kubeconfig, Duration patience) {
        this.folder = folder;
        this.kubeconfig = kubeconfig;
        this.patience = patience;
    }

    /**
     * Puts the project's folders into the folder, by links: what is typed writes into {@code folder} alone.
     *
     * @param folder empty
     * @param patience for one command
     */
    public static TypingShell in(Path folder, Path kubeconfig, Duration patience) {
        try {
            for (String name : new String[] {"src", "docs", "crds"}) {
                Files.createSymbolicLink(folder.resolve(name), Path.of(name).toAbsolutePath());
            }
            Files.createSymbolicLink(folder.resolve("target"), Build.file("").toAbsolutePath());
            Path programs = Files.createDirectory(folder.resolve("bin"));
            Files.createSymbolicLink(
                    programs.resolve("kubectl"), KubeBinaries.ofThisMachine().kubectl());
            Files.createSymbolicLink(
                    programs.resolve("helm"), KubeBinaries.ofThisMachine().helm());
            Files.createSymbolicLink(programs.resolve("java"), Path.of(System.getProperty("java.home"), "bin", "java"));
            return new TypingShell(folder, kubeconfig, patience);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /**
     * What it prints, without the blanks around.
     *
     * @throws AssertionError if it fails, or has not ended in time; with what it printed
     */
    public String type(String typed) {
        try {
            Path output = Files.createTempFile(folder, "typed-", ".out");
            ProcessBuilder shell = new ProcessBuilder("bash", "-e", "-o", "pipefail", "-c", typed)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            shell.environment().put("KUBECONFIG", kubeconfig.toString());
            shell.environment().merge("PATH", folder.resolve("bin").toString(), (path, own) -> own + ":" + path);
            Process process = shell.start();
            boolean hasEnded = process.waitFor(patience.toSeconds(), TimeUnit.SECONDS);
            process.destroyForcibly();
            String printed = Files.readString(output).strip();
            if (!hasEnded || process.exitValue() != 0) {
                throw new AssertionError("%s%n%s%n%s"
                        .formatted(
                                typed,
                                printed,
                                hasEnded ? "exit code " + process.exitValue() : "still runs after " + patience));
            }
            return printed;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopping);
        }
    }
}
