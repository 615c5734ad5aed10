package dev.berth.kube;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** An API server that answers as a test says, and a client of it that asks once. */
public final class AnsweringServer implements AutoCloseable {
    private final HttpServer server;
    private final KubernetesClient client;

    /** The status code and the JSON of an answer. */
    public record Answer(int status, String body) {}

    /** What it answers. */
    public interface Answers {
        Answer to(HttpExchange request) throws IOException;
    }

    /** @param path below which it answers; elsewhere nothing is found */
    public AnsweringServer(String path, Answers answers) {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        // One request does not wait for another.
        server.setExecutor(request -> Thread.ofVirtual().start(request));
        server.createContext(path, exchange -> {
            Answer answer = answers.to(exchange);
            byte[] body = answer.body().getBytes(UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(answer.status(), body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                .withRequestRetryBackoffLimit(0)
                .build();
        client = new KubernetesClientBuilder().withConfig(config).build();
    }

    /** A client of what listens at a port of the loopback. */
    static KubernetesClient clientOf(int port) {
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:" + port)
                .withRequestTimeout(30_000)
                .withRequestRetryBackoffLimit(0)
                .build();
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    /** The queries of what asks for the collection at a path, and is refused. */
    static List<String> queriesRefused(String path, Consumer<KubernetesClient> asks) {
        List<String> queries = new CopyOnWriteArrayList<>();
        try (AnsweringServer server = new AnsweringServer(path, request -> {
            queries.add(request.getRequestURI().getQuery());
            return new Answer(403, "{}");
        })) {
            assertThatThrownBy(() -> asks.accept(server.client())).isInstanceOf(CompletionException.class);
        }
        return queries;
    }

    public KubernetesClient client() {
        return client;
    }

    @Override
    public void close() {
        client.close();
        server.stop(0);
    }
}
