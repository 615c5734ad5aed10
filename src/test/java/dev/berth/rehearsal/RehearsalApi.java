package dev.berth.rehearsal;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.KeyStoreOptions;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * As much of the Kubernetes API as the operator needs to serve Services, in memory and without any check: lists,
 * watches, creates, updates, merging patches, deletes. Nothing is proved with it; it makes work.
 */
final class RehearsalApi implements AutoCloseable {
    private static final Pattern PATH =
            Pattern.compile("(/api/v1|/apis/[^/]+/[^/]+)(?:/namespaces/([^/]+))?/([^/]+)(?:/([^/]+))?(?:/status)?");

    private static final String NETWORKING = "/apis/networking.k8s.io/v1";

    /** As an API server has it since Kubernetes 1.33. */
    private static final JsonObject NETWORKING_KINDS = new JsonObject("""
            {"apiVersion": "v1", "kind": "APIResourceList", "groupVersion": "networking.k8s.io/v1", "resources": [
             {"name": "servicecidrs", "kind": "ServiceCIDR", "namespaced": false, "verbs": ["*"]},
             {"name": "ipaddresses", "kind": "IPAddress", "namespaced": false, "verbs": ["*"]}]}
            """);

    private static final JsonObject EVERYTHING_IS_ALLOWED = new JsonObject("""
            {"status": {"incomplete": false, "nonResourceRules": [],
             "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]}}
            """);

    /** What a request is about: objects of one kind, or the one of a name. */
    private record Target(
            String group,
            @Nullable String namespace,
            String kinds,
            @Nullable String name) {
        /** Where the objects of its kind are, of all namespaces. */
        String collection() {
            return group + "/" + kinds;
        }

        Target named(String other) {
            return new Target(group, namespace, kinds, other);
        }
    }

    private final Vertx vertx;
    private final HttpServer server;
    private final Map<String, Map<Target, JsonObject>> objects = new HashMap<>();
    private final Map<String, List<ServerWebSocket>> watches = new HashMap<>();
    private long revision;

    /**
     * Listens on a free port of the loopback interface.
     *
     * @param keys a PKCS12 key store with the server's key
     */
    RehearsalApi(KeyStoreOptions keys) {
        vertx = Vertx.vertx();
        // One server is one event loop: nothing here needs a lock.
        server = vertx.createHttpServer(new HttpServerOptions()
                        .setSsl(true)
                        .setKeyCertOptions(keys)
                        .setHost("127.0.0.1"))
                .requestHandler(this::handle)
                .listen(0)
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    int port() {
        return server.actualPort();
    }

    /** Puts an object there as a person would. */
    void create(String collection, JsonObject object) {
        onEventLoop(() -> put(
                target(collection)
                        .orElseThrow()
                        .named(object.getJsonObject("metadata").getString("name")),
                object));
    }

    /** How many objects of a kind there are that have this text. */
    long count(String collection, String text) {
        CompletableFuture<Long> count = new CompletableFuture<>();
        onEventLoop(() -> count.complete(objectsOf(collection).values().stream()
                .filter(object -> object.encode().contains(text))
                .count()));
        return count.join();
    }

    /** Deletes all Services. */
    void deleteServices() {
        onEventLoop(() -> List.copyOf(objectsOf("/api/v1/services").keySet()).forEach(this::delete));
    }

    private void onEventLoop(Runnable work) {
        vertx.runOnContext(none -> work.run());
    }

    /** Empty: a path that is about no objects. */
    private static Optional<Target> target(String path) {
        Matcher parts = PATH.matcher(path);
        return parts.matches()
                ? Optional.of(new Target(parts.group(1), parts.group(2), parts.group(3), parts.group(4)))
                : Optional.empty();
    }

    private Map<Target, JsonObject> objectsOf(String collection) {
        return objects.computeIfAbsent(collection, none -> new LinkedHashMap<>());
    }

    private void handle(HttpServerRequest request) {
        if (NETWORKING.equals(request.path())) {
            answer(request, HttpURLConnection.HTTP_OK, NETWORKING_KINDS);
            return;
        }
        Optional<Target> found = target(Objects.requireNonNull(request.path()));
        if (found.isEmpty()) {
            notFound(request);
            return;
        }
        Target target = found.get();
        if (request.getParam("watch") != null) {
            request.toWebSocket().onSuccess(socket -> watch(target, socket));
        } else {
            request.bodyHandler(body -> answer(request, target, body));
        }
    }

    private void watch(Target target, ServerWebSocket socket) {
        List<ServerWebSocket> all = watches.computeIfAbsent(target.collection(), none -> new ArrayList<>());
        all.add(socket);
        socket.closeHandler(none -> all.remove(socket));
        // What came since the list.
        objectsOf(target.collection()).values().forEach(object -> tell(socket, "MODIFIED", object));
    }

    private void answer(HttpServerRequest request, Target target, Buffer body) {
        Map<Target, JsonObject> all = objectsOf(target.collection());
        JsonObject known = all.get(target);
        if (target.kinds().equals("selfsubjectrulesreviews")) {
            answer(request, HttpURLConnection.HTTP_CREATED, body.toJsonObject().mergeIn(EVERYTHING_IS_ALLOWED));
        } else if (request.method().equals(HttpMethod.POST)) {
            JsonObject object = body.toJsonObject();
            Target created = target.named(object.getJsonObject("metadata").getString("name"));
            answer(request, HttpURLConnection.HTTP_CREATED, put(created, object));
        } else if (target.name() == null) {
            answer(
                    request,
                    HttpURLConnection.HTTP_OK,
                    new JsonObject()
                            .put("apiVersion", "v1")
                            .put("kind", "List")
                            .put("metadata", new JsonObject().put("resourceVersion", Long.toString(revision)))
                            .put("items", new JsonArray(List.copyOf(all.values()))));
        } else if (known == null) {
            notFound(request);
        } else {
            answer(request, HttpURLConnection.HTTP_OK, changed(request.method(), target, known, body));
        }
    }

    private JsonObject changed(HttpMethod method, Target target, JsonObject known, Buffer body) {
        return switch (method.name()) {
            case "PUT" -> put(target, body.toJsonObject());
            case "PATCH" ->
                put(target, body.toJson() instanceof JsonArray patches ? patched(known, patches) : merged(known, body));
            case "DELETE" -> delete(target);
            default -> known;
        };
    }

    private static JsonObject merged(JsonObject known, Buffer body) {
        return known.copy().mergeIn(body.toJsonObject(), true);
    }

    /** A JSON Patch, of values alone. */
    private static JsonObject patched(JsonObject known, JsonArray patches) {
        JsonObject result = known.copy();
        IntStream.range(0, patches.size()).mapToObj(patches::getJsonObject).forEach(patch -> {
            List<String> path = List.of(patch.getString("path").substring(1).split("/"));
            JsonObject parent = result;
            for (String part : path.subList(0, path.size() - 1)) {
                parent = parent.getJsonObject(part);
            }
            parent.put(path.getLast(), patch.getValue("value"));
        });
        return result;
    }

    private JsonObject put(Target target, JsonObject object) {
        revision++;
        JsonObject metadata = object.getJsonObject("metadata");
        metadata.put("resourceVersion", Long.toString(revision));
        if (metadata.getString("uid") == null) {
            metadata.put("uid", "uid-" + revision).put("creationTimestamp", "2026-01-01T00:00:00Z");
        }
        tell(target, objectsOf(target.collection()).put(target, object) == null ? "ADDED" : "MODIFIED", object);
        return object;
    }

    private JsonObject delete(Target target) {
        JsonObject gone = Objects.requireNonNull(objectsOf(target.collection()).remove(target));
        revision++;
        gone.getJsonObject("metadata").put("resourceVersion", Long.toString(revision));
        tell(target, "DELETED", gone);
        return gone;
    }

    private void tell(Target target, String type, JsonObject object) {
        watches.getOrDefault(target.collection(), List.of()).forEach(socket -> tell(socket, type, object));
    }

    private static void tell(ServerWebSocket socket, String type, JsonObject object) {
        socket.writeTextMessage(
                new JsonObject().put("type", type).put("object", object).encode());
    }

    private static void notFound(HttpServerRequest request) {
        answer(
                request,
                HttpURLConnection.HTTP_NOT_FOUND,
                new JsonObject()
                        .put("apiVersion", "v1")
                        .put("kind", "Status")
                        .put("code", HttpURLConnection.HTTP_NOT_FOUND)
                        .put("message", "not found"));
    }

    private static void answer(HttpServerRequest request, int code, JsonObject object) {
        request.response()
                .setStatusCode(code)
                .putHeader("Content-Type", "application/json")
                .end(object.toBuffer());
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
