package dev.berth.kube;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.berth.loadbalancer.TlsSecret;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.net.HttpURLConnection;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Secrets in Berth's own namespace, each watched by its name from the moment on that a class names it, so that the
 * permission to read them may be limited to their names. None as long as no class does.
 */
public final class TlsSecrets implements AutoCloseable {
    /** For the first answer; Services that need it look again. */
    private static final long SECONDS = 5;

    private final KubernetesClient client;
    private final String namespace;
    private final Consumer<String> changed;
    private final Map<String, Watched> watched = new LinkedHashMap<>();
    private boolean closed;

    /**
     * None is watched yet.
     *
     * @param changed notified of the Secret that may have other content. Called by informer threads: be quick
     */
    public TlsSecrets(KubernetesClient client, String namespace, Consumer<String> changed) {
        this.client = client;
        this.namespace = namespace;
        this.changed = changed;
    }

    /** The full name of the Secret of this name: NAMESPACE/NAME. */
    public String fullName(String name) {
        return namespace + "/" + name;
    }

    /** What is in the Secret of this name; the first time it is waited for an answer. */
    public TlsSecret read(String name) {
        Watched one;
        synchronized (this) {
            if (closed) {
                return TlsSecret.unknown(fullName(name), "Berth ends");
            }
            one = watched.get(name);
            if (one == null || one.isToBeginAgain()) {
                one = new Watched(name);
                watched.put(name, one);
            }
        }
        return one.read();
    }

    /** Watches those no longer that no class names any more. */
    public void retain(Collection<String> names) {
        synchronized (this) {
            watched.entrySet().removeIf(entry -> {
                boolean isOver = !names.contains(entry.getKey());
                if (isOver) {
                    entry.getValue().stop();
                }
                return isOver;
            });
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        watched.values().forEach(one -> one.stop());
    }

    /** What was found in a Secret. */
    private record Content(String resourceVersion, TlsSecret read) {}

    private final class Watched {
        private final String name;
        private final SharedIndexInformer<Secret> informer;
        private final CompletableFuture<Void> begun;

        /** The last failure of a watch that had begun. */
        private volatile @Nullable Throwable failure;

        private volatile long failedAt;
        private volatile boolean stopped;
        private volatile @Nullable Content last;

        Watched(String name) {
            this.name = name;
            informer = client.secrets()
                    .inNamespace(namespace)
                    .withName(name)
                    .runnableInformer(0)
                    .addEventHandler(new ChangeHandler<>() {
                        @Override
                        void changed(@Nullable Secret old, @Nullable Secret now) {
                            changed.accept(name);
                        }
                    })
                    .exceptionHandler((started, what) -> {
                        failure = what;
                        failedAt = System.nanoTime();
                        return started;
                    });
            begun = CompletableFuture.runAsync(this::requirePermission, Thread::startVirtualThread)
                    .thenCompose(permitted -> informer.start())
                    .thenRun(() -> {
                        if (stopped) {
                            informer.stop();
                        }
                    });
        }

        void stop() {
            stopped = true;
            informer.stop();
        }

        /** An informer that is refused its first list logs so with a stack trace, each time it is tried. */
        private void requirePermission() {
            try {
                client.secrets()
                        .inNamespace(namespace)
                        .withField("metadata.name", name)
                        .list();
            } catch (KubernetesClientException refused) {
                failedAt = System.nanoTime();
                throw refused;
            }
        }

        /** Whoever asks again after a while does so for all others. */
        boolean isToBeginAgain() {
            return begun.isCompletedExceptionally() && System.nanoTime() - failedAt > TimeUnit.SECONDS.toNanos(SECONDS);
        }

        TlsSecret read() {
            try {
                begun.get(SECONDS, TimeUnit.SECONDS);
            } catch (ExecutionException refused) {
                return unread(refused);
            } catch (TimeoutException notYet) {
                return TlsSecret.unknown(fullName(name), "no answer within " + SECONDS + " s");
            } catch (InterruptedException stopping) {
                Thread.currentThread().interrupt();
                return TlsSecret.unknown(fullName(name), "Berth ends");
            }
            Throwable why = failure;
            if (why != null && isForbidden(why) && !informer.isWatching()) {
                return unread(why);
            }
            // While the API server is away, it is as it was last seen.
            Secret secret = informer.getStore().getByKey(fullName(name));
            return secret == null ? TlsSecret.missing(fullName(name)) : content(secret);
        }

        private TlsSecret unread(Throwable why) {
            return isForbidden(why)
                    ? TlsSecret.forbidden(fullName(name))
                    : TlsSecret.unknown(fullName(name), String.valueOf(why.getMessage()));
        }

        /** Each Service of its classes asks for it, and it takes a signature to find out. */
        private TlsSecret content(Secret secret) {
            String version = NullSafe.text(secret.getMetadata().getResourceVersion());
            Content known = last;
            if (known == null || !known.resourceVersion().equals(version)) {
                Map<String, String> data = NullSafe.map(secret.getData());
                known = new Content(
                        version,
                        TlsSecret.read(
                                fullName(name),
                                NullSafe.text(secret.getType()),
                                text(data.get("tls.crt")),
                                text(data.get("tls.key"))));
                last = known;
            }
            return known.read();
        }
    }

    private static boolean isForbidden(Throwable failure) {
        for (Throwable one = failure; one != null; one = one.getCause()) {
            if (one instanceof KubernetesClientException refused
                    && refused.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
                return true;
            }
        }
        return false;
    }

    /** PEM is ASCII; what is not is found not to be PEM. */
    private static String text(@Nullable String base64) {
        try {
            return base64 == null ? "" : new String(Base64.getDecoder().decode(base64), ISO_8859_1);
        } catch (IllegalArgumentException unreadable) {
            return "";
        }
    }
}
