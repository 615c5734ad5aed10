package dev.berth.lab;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.berth.testing.Build;
import dev.berth.testing.GoBuild;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The program of src/test/lab/peer, as a client in a namespace. */
record Peer(Namespace namespace) {
    private static final ObjectMapper JSON = new ObjectMapper();

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

    /** What came of many requests. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    record Load(
            int requests,
            int failed,
            Map<String, Integer> byName,
            Map<String, Integer> bySource,
            List<String> errors,
            long p50,
            long p99,
            long max) {}

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
        return CompletableFuture.supplyAsync(() -> parse(namespace.run(command.toArray(String[]::new)), Load.class));
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
        return CompletableFuture.supplyAsync(() -> parse(namespace.run(command.toArray(String[]::new)), Moment.class));
    }

    /** Holds one connection for so long, like 10s, and asks on it ten times a second; ends with the first failure. */
    CompletableFuture<List<Reply>> hold(String address, String lasting) {
        return CompletableFuture.supplyAsync(() -> namespace
                .run(program(), "hold", "--for", lasting, address)
                .lines()
                .map(line -> parse(line, Reply.class))
                .toList());
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
