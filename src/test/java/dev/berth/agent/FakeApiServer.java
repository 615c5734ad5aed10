package dev.berth.agent;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

/** Answers lists and watches as a test wants. */
final class FakeApiServer implements AutoCloseable {
    private static final String OVER = "";

    private final HttpServer server;
    private final Map<String, List<String>> items = new ConcurrentHashMap<>();
    private final Map<String, BlockingQueue<String>> events = new ConcurrentHashMap<>();

    /** When each list was asked for, in nanoseconds. */
    final List<Long> lists = new CopyOnWriteArrayList<>();

    final List<Long> watches = new CopyOnWriteArrayList<>();
    private final List<String> eachWatch = new CopyOnWriteArrayList<>();
    private volatile boolean isLasting = true;
    private volatile boolean isOpen;

    /** How it answers a PATCH. */
    private volatile int code = 200;

    private volatile int codeOfGets = 200;

    /** What was asked for by PATCH, with its query, and the body. */
    final List<String> patches = new CopyOnWriteArrayList<>();

    FakeApiServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
    }

    ApiServer client(Path folder) throws IOException {
        return ApiServer.ofKubeconfig(Files.writeString(
                folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: u, user: {token: t}}]
                contexts: [{name: x, context: {cluster: c, user: u}}]
                current-context: x
                """.formatted(server.getAddress().getPort())));
    }

    /** What is there, from now on. */
    void put(String path, String... objects) {
        items.put(path, List.of(objects));
    }

    /** Says this to one watch, of those that there are or will be. */
    void send(String path, String type, String object) {
        events(path).add("{\"type\": \"%s\", \"object\": %s}%n".formatted(type, object));
    }

    /** Says this to each watch that begins. */
    void beginEachWatchWith(String type, String object) {
        eachWatch.add("{\"type\": \"%s\", \"object\": %s}%n".formatted(type, object));
    }

    /** Ends each watch as soon as it has begun. */
    void endWatchesAtOnce() {
        isLasting = false;
    }

    /** Begins to answer each PATCH, and does not end. */
    void leavePatchesOpen() {
        isOpen = true;
    }

    /** Ends one answer that was left open, or the next one. */
    void endPatch(String path) {
        events(path).add(OVER);
    }

    void answerGetsWith(int status) {
        codeOfGets = status;
    }

    void answerPatchesWith(int status) {
        code = status;
    }

    private BlockingQueue<String> events(String path) {
        return events.computeIfAbsent(path, _ -> new LinkedBlockingQueue<>());
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            String query = exchange.getRequestURI().getQuery();
            if (exchange.getRequestMethod().equals("PATCH")) {
                patches.add("%s?%s %s"
                        .formatted(
                                path,
                                query,
                                new String(exchange.getRequestBody().readAllBytes(), UTF_8)));
                exchange.sendResponseHeaders(code, 0);
                exchange.getResponseBody().write("{}".getBytes(UTF_8));
                exchange.getResponseBody().flush();
                while (isOpen && !events(path).take().equals(OVER)) {
                    // Until it is closed.
                }
                return;
            }
            boolean isWatch = query != null && query.contains("watch=1");
            (isWatch ? watches : lists).add(System.nanoTime());
            exchange.sendResponseHeaders(codeOfGets, 0);
            OutputStream body = exchange.getResponseBody();
            if (!isWatch) {
                body.write("{\"metadata\": {\"resourceVersion\": \"1\"}, \"items\": [%s]}"
                        .formatted(String.join(", ", items.getOrDefault(path, List.of())))
                        .getBytes(UTF_8));
                return;
            }
            body.write(String.join("", eachWatch).getBytes(UTF_8));
            body.flush();
            while (isLasting) {
                String event = events(path).take();
                if (event.equals(OVER)) {
                    events(path).add(OVER);
                    return;
                }
                body.write(event.getBytes(UTF_8));
                body.flush();
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        events.values().forEach(queue -> queue.add(OVER));
        server.stop(0);
    }
}
