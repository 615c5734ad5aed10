package dev.berth.agent;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import dev.berth.kube.FieldNames;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All objects of one kind as far as they matter here, by list and watch. What was read stays while the API server is
 * away.
 *
 * @param <T> what is kept of an object
 */
final class Reflector<T> {
    private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);
    private static final ObjectReader JSON = new ObjectMapper(FieldNames.readInFull(
                    // Else it would keep those of all objects.
                    JsonFactory.builder()
                            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                            .build()))
            .reader();
    private static final int PAGE = 500;
    private static final long SHORTEST_PAUSE = 200;
    private static final long LONGEST_PAUSE = 5_000;
    private static final int GONE = 410;

    /** One that ends earlier has not done well. */
    private static final long SHORT_WATCH = 5_000;

    /** Bookmarks come about once a minute: after this the connection is dead. */
    static final long SILENCE = 90_000;

    private final ApiServer server;
    private final WatchedKind kind;
    private final Function<JsonNode, Optional<T>> reading;
    private final Changed<T> changed;
    private final RandomGenerator random;
    private final Map<String, T> objects = new ConcurrentHashMap<>();

    /** Null: list first. */
    private @Nullable String version;

    private long pause = SHORTEST_PAUSE;
    private String trouble = "";
    private volatile boolean isKnown;

    /** Whether it is to be listed before anything else. */
    private volatile boolean isAgain;

    /** Has a permit when the next pause is to end at once. */
    private final Semaphore hurry = new Semaphore(0);

    private final LongSupplier clock;
    private final Answer answer;
    private final Set<String> unreadable = new HashSet<>();

    /**
     * Notified of what came, went or is otherwise. Be quick.
     *
     * @param <T> what is kept of an object
     */
    interface Changed<T> {
        /**
         * Of one object; of none, when all have been read once.
         *
         * @param before null: there was none
         * @param now null: there is none
         */
        void from(@Nullable T before, @Nullable T now);
    }

    /** What is just being read. */
    private static final class Answer {
        private final LongSupplier clock;
        private volatile boolean closed;
        private volatile long heard;
        private volatile @Nullable InputStream open;

        Answer(LongSupplier clock) {
            this.clock = clock;
        }

        /** The same, to be read until this is interrupted or closed. */
        InputStream opened(InputStream body) throws IOException {
            heard = clock.getAsLong();
            open = body;
            if (closed) {
                body.close();
            }
            return body;
        }

        void hear() {
            heard = clock.getAsLong();
        }

        void interruptIfSilent(long millis) {
            if (clock.getAsLong() - heard >= millis) {
                interrupt();
            }
        }

        void interrupt() {
            InputStream reading = open;
            if (reading != null) {
                try {
                    reading.close();
                } catch (IOException gone) {
                    LOG.debug("{}", gone.toString());
                }
            }
        }

        void close() {
            closed = true;
            interrupt();
        }
    }

    /**
     * Not watched before {@link #start}.
     *
     * @param reading what is kept; absent: nothing
     * @param clock in milliseconds, from any moment on
     */
    Reflector(
            ApiServer server,
            WatchedKind kind,
            Function<JsonNode, Optional<T>> reading,
            Changed<T> changed,
            RandomGenerator random,
            LongSupplier clock) {
        this.server = server;
        this.kind = kind;
        this.reading = reading;
        this.changed = changed;
        this.random = random;
        this.clock = clock;
        this.answer = new Answer(clock);
    }

    void start() {
        Thread.ofPlatform()
                .daemon()
                .name("watch" + kind.path().replaceAll("[?].*", "").replaceAll(".*/", "-"))
                .start(this::run);
    }

    /** Whether all have been read once. */
    boolean isKnown() {
        return isKnown;
    }

    /** Which of these the API server has not told, human-readable; absent: none. */
    static Optional<String> unread(Stream<Reflector<?>> all) {
        return all.filter(one -> !one.isKnown())
                .map(one -> one.kind.path())
                .reduce((some, more) -> some + ", " + more)
                .map("not read from the API server yet: %s"::formatted);
    }

    /** By {@code namespace/name}, or {@code /name}. */
    Map<String, T> byKey() {
        return objects;
    }

    Collection<T> all() {
        return objects.values();
    }

    /** Starts again if nothing was read for this long: the API server does not answer, so the connection may be dead. */
    void interruptIfSilent(long millis) {
        answer.interruptIfSilent(millis);
    }

    /** Starts again if nothing was read for {@link #SILENCE}, bookmarks included: a dead connection may not end. */
    void interruptIfSilent() {
        answer.interruptIfSilent(SILENCE);
    }

    /** Ends the pause after a failure, if there is one: the API server answers again. */
    void retry() {
        hurry.release();
    }

    /** Lists all once more: what is kept of an object is otherwise than before. */
    void again() {
        isAgain = true;
        answer.interrupt();
    }

    void close() {
        answer.close();
    }

    private void run() {
        while (!answer.closed) {
            try {
                if (isAgain || version == null) {
                    isAgain = false;
                    list();
                }
                watch();
            } catch (IOException | RuntimeException failure) {
                if (!isAgain) {
                    fail(failure);
                }
            } catch (InterruptedException stopping) {
                return;
            }
        }
    }

    private void fail(Exception failure) {
        if (answer.closed) {
            return;
        }
        if (failure instanceof ApiServer.Refused refused && refused.code() == GONE) {
            version = null;
        }
        String message = ApiServer.message(failure);
        if (!message.equals(trouble)) {
            trouble = message;
            LOG.warn("reading {}: {}", kind.path(), message);
        }
        try {
            boolean isHurried = hurry.tryAcquire(pause + random.nextLong(pause), TimeUnit.MILLISECONDS);
            hurry.drainPermits();
            pause = isHurried ? SHORTEST_PAUSE : Math.min(LONGEST_PAUSE, 2 * pause);
        } catch (InterruptedException stopping) {
            answer.closed = true;
        }
    }

    private void list() throws IOException, InterruptedException {
        Set<String> there = new HashSet<>();
        String next = "";
        String read = "";
        do {
            String query = "limit=" + PAGE + (next.isEmpty() ? "" : "&continue=" + next);
            try (InputStream body = opened(query);
                    JsonParser parser = JSON.createParser(body)) {
                next = "";
                parser.nextToken();
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    String field = parser.currentName();
                    JsonToken value = parser.nextToken();
                    if (field.equals("metadata")) {
                        JsonNode metadata = parser.readValueAsTree();
                        next = metadata.path("continue").asText("");
                        read = metadata.path("resourceVersion").asText("");
                    } else if (field.equals("items") && value == JsonToken.START_ARRAY) {
                        while (parser.nextToken() == JsonToken.START_OBJECT) {
                            JsonNode object = kind.fields().read(parser);
                            answer.hear();
                            there.add(key(object));
                            put(object);
                        }
                    } else {
                        parser.skipChildren();
                    }
                }
            }
        } while (!next.isEmpty());
        unreadable.retainAll(there);
        objects.keySet().stream().filter(key -> !there.contains(key)).toList().forEach(this::remove);
        if (!isKnown) {
            isKnown = true;
            changed.from(null, null);
        }
        version = read;
    }

    private InputStream opened(String query) throws IOException, InterruptedException {
        String path = kind.path();
        InputStream body = answer.opened(server.get(path + (path.indexOf('?') < 0 ? "?" : "&") + query));
        if (isAgain) {
            body.close();
        }
        return body;
    }

    private void watch() throws IOException, InterruptedException {
        String query = "watch=1&allowWatchBookmarks=true&timeoutSeconds=" + random.nextInt(300, 600)
                + "&resourceVersion=" + version;
        long began = clock.getAsLong();
        Fields events = kind.event();
        try (InputStream body = opened(query);
                JsonParser parser = JSON.createParser(body)) {
            while (parser.nextToken() == JsonToken.START_OBJECT) {
                JsonNode event = events.read(parser);
                answer.hear();
                JsonNode object = event.path("object");
                switch (event.path("type").asText("")) {
                    case "ADDED", "MODIFIED" -> put(object);
                    case "DELETED" -> remove(key(object));
                    case "ERROR" -> {
                        // Mostly: too old.
                        version = null;
                        throw new IOException(object.path("message").asText("the watch failed"));
                    }
                    default -> {}
                }
                version = object.path("metadata").path("resourceVersion").asText(version);
            }
        } finally {
            if (clock.getAsLong() - began >= SHORT_WATCH) {
                pause = SHORTEST_PAUSE;
                trouble = "";
            }
        }
        if (clock.getAsLong() - began < SHORT_WATCH) {
            throw new IOException("the watch ended at once");
        }
    }

    private static String key(JsonNode object) {
        JsonNode metadata = object.path("metadata");
        return metadata.path("namespace").asText("") + "/"
                + metadata.path("name").asText("");
    }

    private void put(JsonNode object) {
        String key = key(object);
        Optional<T> kept;
        try {
            kept = reading.apply(object);
            unreadable.remove(key);
        } catch (RuntimeException odd) {
            // What was read of it before is better than nothing.
            if (unreadable.add(key)) {
                LOG.warn("{} {} cannot be read: {}", kind.path(), key, ApiServer.message(odd));
            }
            return;
        }
        if (kept.isEmpty()) {
            remove(key);
            return;
        }
        T before = objects.put(key, kept.get());
        if (!kept.get().equals(before)) {
            changed.from(before, kept.get());
        }
    }

    private void remove(String key) {
        unreadable.remove(key);
        T before = objects.remove(key);
        if (before != null) {
            changed.from(before, null);
        }
    }
}
