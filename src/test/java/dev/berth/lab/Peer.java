package dev.berth.lab;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.berth.testing.Build;
import dev.berth.testing.GoBuild;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** The program of src/test/lab/peer, as a client in a namespace. */
record Peer(Namespace namespace) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** On a machine of two cores, the common pool runs one after another. */
    private static final Executor ON_THREADS_OF_THEIR_OWN =
            task -> Thread.ofPlatform().daemon().start(task);

    /**
     * What came of one request.
     *
     * @param name of the server that answered; null without an answer
     * @param source the address that the server saw packets from
     * @param proxied the client's address in the PROXY header; null without one
     * @param error null if the request was answered
     * @param millis how long it took
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    record Reply(
            @Nullable String name,
            @Nullable String source,
            @Nullable String proxied,
            @Nullable String error,
            long millis) {
        boolean ok() {
            return error == null;
        }
    }

    /**
     * What came of many requests.
     *
     * @param byName how many each server answered
     * @param bySource how many came from each address, as the server saw it
     * @param lastByName when the last answer of each came, in nanoseconds of Unix time
     * @param errors the first few, each once
     * @param p50 milliseconds of those that were answered
     * @param gap the longest time without an answer, in milliseconds
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    record Load(
            int requests,
            int failed,
            Map<String, Integer> byName,
            Map<String, Integer> bySource,
            Map<String, Long> lastByName,
            List<String> errors,
            long p50,
            long p99,
            long max,
            long gap) {
        /** How long after this moment, in nanoseconds of Unix time, the last answer of that server came; zero: before. */
        Duration lastOf(String name, long since) {
            return Duration.ofNanos(Math.max(0, lastByName.getOrDefault(name, 0L) - since));
        }
    }

    /** One request on a connection of its own. */
    Reply get(String url) {
        return get(url, 1).getFirst();
    }

    /** The same, given up after {@code timeout}, like 400ms. */
    Reply get(String url, String timeout) {
        return parse(namespace.run(program(), "get", "--timeout", timeout, "--count", "1", url), Reply.class);
    }

    /** Requests one after another, each on a connection of its own. */
    List<Reply> get(String url, int count) {
        return namespace
                .run(program(), "get", "--count", "" + count, url)
                .lines()
                .map(line -> parse(line, Reply.class))
                .toList();
    }

    /** One datagram, sent up to three times. */
    Reply udp(String address) {
        return parse(namespace.run(program(), "udp", address), Reply.class);
    }

    /** Starts so many requests; each worker waits for {@code pause}, like 5ms, after each of its own. */
    CompletableFuture<Load> load(String url, int requests, int workers, String pause) {
        List<String> command = new ArrayList<>(
                List.of(program(), "load", "--requests", "" + requests, "--workers", "" + workers, "--pause", pause));
        command.add(url);
        return CompletableFuture.supplyAsync(
                () -> parse(namespace.run(command.toArray(String[]::new)), Load.class), ON_THREADS_OF_THEIR_OWN);
    }

    /**
     * When something came about.
     *
     * @param started when waiting began, in nanoseconds of Unix time
     * @param at when it was there
     */
    record Moment(long started, long at) {}

    /** Asks all the time until a request is answered, or until one is not. */
    CompletableFuture<Moment> until(boolean answered, String url) {
        List<String> command = new ArrayList<>(List.of(program(), "until", "--timeout", "250ms"));
        if (!answered) {
            command.add("--down");
        }
        command.add(url);
        return CompletableFuture.supplyAsync(
                () -> parse(namespace.run(command.toArray(String[]::new)), Moment.class), ON_THREADS_OF_THEIR_OWN);
    }

    /** Starts requests that go on until they are ended, 72,000 at most: for six minutes. */
    Until<Load> loadUntilEnd(String url) {
        return loadUntilEnd(url, "2s");
    }

    /** The same, each given up after {@code timeout}, like 250ms: a packet that is lost is sent again after a second only. */
    Until<Load> loadUntilEnd(String url, String timeout) {
        return new Until<>(
                namespace.open(
                        program(),
                        "load",
                        "--until-eof",
                        "--requests",
                        "72000",
                        "--workers",
                        "4",
                        "--pause",
                        "20ms",
                        "--timeout",
                        timeout,
                        url),
                lines -> parse(lines.getLast(), Load.class));
    }

    /** Holds one connection until it is ended, for six minutes at most, and asks on it ten times a second; ends with the first failure. */
    Until<List<Reply>> holdUntilEnd(String address) {
        return new Until<>(
                namespace.open(program(), "hold", "--until-eof", "--for", "6m", address),
                lines -> lines.stream().map(line -> parse(line, Reply.class)).toList());
    }

    /** What a client does until the test ends it. */
    static final class Until<T> implements AutoCloseable {
        private final Process process;
        private final List<String> lines = new CopyOnWriteArrayList<>();
        private final Function<List<String>, T> parse;
        private final CompletableFuture<Void> output;

        private Until(Process process, Function<List<String>, T> parse) {
            this.process = process;
            this.parse = parse;
            output = CompletableFuture.runAsync(
                    () -> process.inputReader(UTF_8).lines().forEach(lines::add), ON_THREADS_OF_THEIR_OWN);
        }

        /** Waits for the first thing that comes of it, and returns what there is by then. */
        T awaitBegun() {
            Awaitility.await().until(() -> !lines.isEmpty());
            return parse.apply(lines);
        }

        /**
         * Ends it.
         *
         * @throws IllegalStateException if it has ended by itself
         */
        T end() {
            if (!process.isAlive()) {
                throw new IllegalStateException("it had ended before: " + lines);
            }
            close();
            output.join();
            return parse.apply(lines);
        }

        /** The same, whatever came of it. */
        @Override
        public void close() {
            try {
                process.getOutputStream().close();
            } catch (IOException ended) {
                // There is nobody who could read it.
            }
        }
    }

    static String program() {
        return Built.INTO.resolve("peer").toString();
    }

    private static <T> T parse(String json, Class<T> type) {
        try {
            return JSON.readValue(json, type);
        } catch (JsonProcessingException failure) {
            throw new IllegalStateException(json, failure);
        }
    }

    /** Built once for this JVM. */
    private static final class Built {
        private static final Path INTO = Build.file("lab").toAbsolutePath();

        static {
            GoBuild.build(Path.of("src/test/lab/peer"), INTO, ".");
        }
    }
}
