package dev.berth.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * An ordinary process that cannot outlive this JVM, whatever ends the JVM.
 *
 * <p>Between the JVM and the process stands a shell that reads a pipe only the JVM can write to: each line is the
 * name of a signal for the process, and the end of the pipe, which the kernel brings about even when the JVM is
 * killed, is SIGKILL. Signals go to the one process started here, never to its children.
 *
 * <p>Output and errors are appended to one log file.
 */
public final class ChildProcess implements AutoCloseable {
    /**
     * File descriptor 3 is the pipe: a background job of a shell has no standard input. The traps come after the
     * start, because a process inherits ignored signals; with them Ctrl-C in a terminal does not end the
     * supervision before the JVM has stopped things in its order.
     */
    private static final String SUPERVISOR = """
            log=$1; shift
            exec 3<&0 </dev/null
            "$@" 3<&- >>"$log" 2>&1 &
            child=$!
            trap '' INT HUP TERM
            echo "$child"
            { while read -r signal; do kill -s "$signal" "$child"; done; kill -s KILL "$child"; } <&3 >/dev/null 2>&1 &
            watcher=$!
            exec 3<&- >/dev/null 2>&1
            wait "$child"
            code=$?
            kill -s KILL "$watcher"
            exit "$code"
            """;

    private static final Duration KILLED = Duration.ofSeconds(10);

    private final String name;
    private final Path log;
    private final Process supervisor;
    private final OutputStream signals;
    private final long pid;
    private final long started = System.nanoTime();

    private ChildProcess(String name, Path log, Process supervisor, long pid) {
        this.name = name;
        this.log = log;
        this.supervisor = supervisor;
        this.signals = supervisor.getOutputStream();
        this.pid = pid;
    }

    /**
     * Starts {@code command}. A command that does not exist shows as exit code 127.
     *
     * @param name for messages
     * @param directory the process's working directory
     * @param log appended to; its folder must exist
     * @throws UncheckedIOException if there is no {@code sh}
     */
    public static ChildProcess start(String name, List<String> command, Path directory, Path log) {
        List<String> supervised = Stream.concat(
                        Stream.of(
                                "sh",
                                "-c",
                                SUPERVISOR,
                                "berth-" + name,
                                log.toAbsolutePath().toString()),
                        command.stream())
                .toList();
        try {
            // Who reads the log at once finds it, empty.
            Files.newOutputStream(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)
                    .close();
            Process supervisor = new ProcessBuilder(supervised)
                    .directory(directory.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            BufferedReader firstLine = supervisor.inputReader(StandardCharsets.UTF_8);
            return new ChildProcess(name, log, supervisor, Long.parseLong(firstLine.readLine()));
        } catch (IOException e) {
            throw new UncheckedIOException("starting " + name, e);
        }
    }

    /** The process itself, not its supervisor. */
    public long pid() {
        return pid;
    }

    /** Just after it began, by {@link System#nanoTime()}. */
    public long started() {
        return started;
    }

    public boolean isAlive() {
        return supervisor.isAlive();
    }

    /**
     * Sends a signal; nothing happens when the process has ended.
     *
     * @param signal without SIG: TERM, KILL, STOP, CONT
     */
    public void signal(String signal) {
        try {
            signals.write((signal + "\n").getBytes(StandardCharsets.US_ASCII));
            signals.flush();
        } catch (IOException e) {
            // The supervisor went with its process: there is nobody left to signal.
        }
    }

    /** Sends SIGTERM, and SIGKILL when the process is still there after {@code grace}. */
    public void stop(Duration grace) {
        signal("TERM");
        if (!ended(grace)) {
            close();
        }
    }

    /** Sends SIGKILL and waits for the end. */
    @Override
    public void close() {
        signal("KILL");
        if (!ended(KILLED)) {
            throw new IllegalStateException("%s (process %d) survives SIGKILL".formatted(name, pid));
        }
    }

    /**
     * The exit code, 128 + n for a process that signal n ended.
     *
     * @throws IllegalStateException if the process has not ended within {@code timeout}; with the tail of its log
     */
    public int exitCode(Duration timeout) {
        if (!ended(timeout)) {
            throw new IllegalStateException("%s (process %d) still runs after %s; its log ends with:%n%s"
                    .formatted(name, pid, timeout, logTail(30)));
        }
        return supervisor.exitValue();
    }

    /**
     * Does nothing while the process runs.
     *
     * @throws IllegalStateException if it has ended; with its exit code and the tail of its log
     */
    public void requireAlive() {
        if (!isAlive()) {
            throw new IllegalStateException("%s exited with code %d; its log ends with:%n%s"
                    .formatted(name, supervisor.exitValue(), logTail(30)));
        }
    }

    /** The whole log up to now. */
    public String log() {
        try {
            return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("reading the log of " + name, e);
        }
    }

    public String logTail(int lines) {
        List<String> all = log().lines().toList();
        return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
    }

    private boolean ended(Duration timeout) {
        try {
            return supervisor.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            signal("KILL");
            throw new IllegalStateException("interrupted while waiting for the end of " + name, e);
        }
    }
}
