package dev.berth.testing;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A program of the test tree that stops what it has started in its own order, also at Ctrl-C and at SIGTERM. */
public final class Program {
    private static final int PATIENCE_SECONDS = 60;
    private static final int ENDED_BY_SIGNAL = 130;

    private Program() {}

    /**
     * Runs {@code body} on this thread and ends the JVM with the exit code that it returns. A signal interrupts this
     * thread, and the JVM ends once {@code body} has returned, or after a minute.
     *
     * @param body stops what it started before it returns or throws
     */
    public static void run(Callable<Integer> body) throws Exception {
        CompletableFuture<Integer> ended = new CompletableFuture<>();
        Thread runner = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> endInOrder(runner, ended), "end-in-order"));
        int exitCode = 1;
        try {
            exitCode = body.call();
        } finally {
            ended.complete(exitCode);
        }
        System.exit(exitCode);
    }

    private static void endInOrder(Thread runner, CompletableFuture<Integer> ended) {
        if (ended.isDone()) {
            return;
        }
        runner.interrupt();
        int exitCode = ENDED_BY_SIGNAL;
        try {
            exitCode = ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            System.err.println("berth: not everything stopped in order within " + PATIENCE_SECONDS + " s");
        }
        System.out.flush();
        // Ends with the body's exit code rather than with the signal's.
        Runtime.getRuntime().halt(exitCode);
    }
}
