package dev.berth.app;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.berth.plugin.grpc.transport.Endpoint;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.exporter.common.TextFormat;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** Serves {@code /metrics} where there is no Quarkus. */
final class MetricsServer implements AutoCloseable {
    private final CollectorRegistry registry;
    private final HttpServer server;

    private MetricsServer(CollectorRegistry registry, HttpServer server) {
        this.registry = registry;
        this.server = server;
    }

    /**
     * Begins to serve.
     *
     * @param option that {@code listen} was given by, as messages name it
     * @param listen HOST:PORT; port 0: any that is free
     * @throws IllegalArgumentException if {@code listen} is something else
     * @throws IOException if it cannot be listened on
     */
    static MetricsServer start(String option, String listen, CollectorRegistry registry) throws IOException {
        HttpServer http = HttpServer.create(address(option, listen), 0);
        MetricsServer server = new MetricsServer(registry, http);
        http.createContext("/", server::answer);
        http.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        http.start();
        return server;
    }

    private static InetSocketAddress address(String option, String listen) {
        if (Endpoint.parse(listen) instanceof Endpoint.Network(String host, int port)) {
            return new InetSocketAddress(host, port);
        }
        throw new IllegalArgumentException(option + " is \"" + listen + "\"; it must be HOST:PORT");
    }

    /** Serves a page of text, too. */
    void page(String path, Supplier<String> text) {
        serve(path, () -> new Page(200, text.get()));
    }

    /** Serves a page that says ok, or, with status 503, what is missing; absent: nothing is. */
    void health(String path, Supplier<Optional<String>> missing) {
        serve(path, () -> missing.get().map(what -> new Page(503, what + "\n")).orElseGet(() -> new Page(200, "ok\n")));
    }

    private record Page(int status, String text) {}

    private void serve(String path, Supplier<Page> pages) {
        server.createContext(path, exchange -> {
            try (exchange) {
                Page page = pages.get();
                byte[] body = page.text().getBytes(UTF_8);
                exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
                exchange.sendResponseHeaders(page.status(), body.length == 0 ? -1 : body.length);
                exchange.getResponseBody().write(body);
            }
        });
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!exchange.getRequestURI().getPath().equals("/metrics")) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            StringWriter text = new StringWriter();
            TextFormat.write004(text, registry.metricFamilySamples());
            byte[] body = text.toString().getBytes(UTF_8);
            exchange.getResponseHeaders().set("Content-Type", TextFormat.CONTENT_TYPE_004);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
