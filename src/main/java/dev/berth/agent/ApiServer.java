package dev.berth.agent;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Where the API server is, and how it is asked: by the JDK's client alone, for the Kubernetes client would take half of the
 * memory that an agent may.
 */
public final class ApiServer {
    private static final Duration CONNECT = Duration.ofSeconds(3);
    static final Duration ANSWER = Duration.ofSeconds(10);

    private static final int THREADS = 2;

    private final URI base;
    private final HttpClient http;
    private final Supplier<Optional<String>> token;

    /** Anything else than 200. */
    static final class Refused extends IOException {
        private static final long serialVersionUID = 1;
        private final int code;

        Refused(int code, String message) {
            super(message);
            this.code = code;
        }

        int code() {
            return code;
        }
    }

    private ApiServer(URI base, SSLContext tls, Supplier<Optional<String>> token) {
        this.base = base;
        this.token = token;
        // A connection for each watch: one that is dead takes no other along.
        http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(CONNECT)
                .executor(Executors.newFixedThreadPool(
                        THREADS, Thread.ofPlatform().daemon().name("api-", 0).factory()))
                .sslContext(tls)
                .build();
    }

    /**
     * By a Pod's ServiceAccount.
     *
     * @param folder with {@code token} and {@code ca.crt}
     * @throws IOException if a file cannot be used
     */
    public static ApiServer ofPod(String host, String port, Path folder) throws IOException {
        Path token = folder.resolve("token");
        String literal = host.contains(":") ? "[" + host + "]" : host;
        return new ApiServer(
                URI.create("https://" + literal + ":" + port), trusting(folder.resolve("ca.crt")), () -> read(token));
    }

    /** Read each time: Kubernetes replaces it every hour. */
    private static Optional<String> read(Path token) {
        try {
            return Optional.of(Files.readString(token).strip());
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    private static SSLContext trusting(Path authority) throws IOException {
        try (InputStream pem = Files.newInputStream(authority)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
                store.setCertificateEntry("ca" + number++, one);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException unusable) {
            throw new IOException(authority + " cannot be used: " + unusable.getMessage(), unusable);
        }
    }

    /**
     * By a kubeconfig.
     *
     * @throws IOException if it cannot be used
     */
    public static ApiServer ofKubeconfig(Path file) throws IOException {
        if (!Files.isReadable(file)) {
            throw new IOException("kubeconfig " + file + " cannot be read: it does not exist, or you have no"
                    + " permission to read it");
        }
        try {
            Config config = Config.fromKubeconfig(file.toFile());
            return new ApiServer(
                    URI.create(config.getMasterUrl()),
                    SSLUtils.sslContext(config),
                    () -> Optional.ofNullable(config.getAutoOAuthToken())
                            .or(() -> Optional.ofNullable(config.getOauthToken())));
        } catch (GeneralSecurityException | RuntimeException unusable) {
            throw new IOException("kubeconfig " + file + " cannot be used: " + unusable.getMessage(), unusable);
        }
    }

    /**
     * What it answers to a GET; to be closed. Whoever closes it ends also a read of another thread.
     *
     * @param path with its query
     * @throws Refused if it answers with anything else than 200
     */
    InputStream get(String path) throws IOException, InterruptedException {
        return get(path, ANSWER);
    }

    /**
     * The same.
     *
     * @param patience until it begins to answer, or has said whole why it refuses
     */
    InputStream get(String path, Duration patience) throws IOException, InterruptedException {
        HttpResponse<InputStream> response = whole(request(path), ApiServer::reading, "GET " + path, patience);
        if (response.statusCode() != 200) {
            try (InputStream body = response.body()) {
                throw new Refused(
                        response.statusCode(),
                        "GET %s: %d %s"
                                .formatted(path, response.statusCode(), new String(body.readNBytes(500), UTF_8)));
            }
        }
        return response.body();
    }

    /** What is asked for is read as it comes. Why it is refused is read whole: nobody could end a read that hangs. */
    private static HttpResponse.BodySubscriber<InputStream> reading(HttpResponse.ResponseInfo answer) {
        return answer.statusCode() == 200
                ? HttpResponse.BodySubscribers.ofInputStream()
                : HttpResponse.BodySubscribers.mapping(
                        HttpResponse.BodySubscribers.ofByteArray(), ByteArrayInputStream::new);
    }

    /**
     * Whether it answers a GET, whole, within this time.
     *
     * @throws Refused if it answers with anything else than 200
     * @throws IOException if it does not
     */
    void ask(String path, Duration patience) throws IOException, InterruptedException {
        int status = whole(request(path), HttpResponse.BodyHandlers.discarding(), "GET " + path, patience)
                .statusCode();
        if (status != 200) {
            throw new Refused(status, "GET %s: %d".formatted(path, status));
        }
    }

    private <T> HttpResponse<T> whole(
            HttpRequest request, HttpResponse.BodyHandler<T> reading, String what, Duration patience)
            throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<T>> answer = http.sendAsync(request, reading);
        try {
            return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failure) {
            throw new IOException(what + ": " + message(failure.getCause()), failure);
        } catch (TimeoutException late) {
            throw new IOException(what + ": no answer in " + patience.toSeconds() + " s", late);
        } finally {
            answer.cancel(true);
        }
    }

    /**
     * Applies an object, or a part of it, by server-side apply, and takes fields over that others own.
     *
     * @param manager whose fields it has: what it has applied before and does not any more goes
     * @throws Refused if it answers with anything else than 200 or 201
     * @throws IOException if it does not answer, whole, in time
     */
    void apply(String path, String manager, String object, Duration patience) throws IOException, InterruptedException {
        HttpRequest request = builder(path + "?force=true&fieldManager=" + URLEncoder.encode(manager, UTF_8))
                .header("Content-Type", "application/apply-patch+yaml")
                .method("PATCH", HttpRequest.BodyPublishers.ofString(object))
                .build();
        HttpResponse<String> response = whole(request, HttpResponse.BodyHandlers.ofString(), "PATCH " + path, patience);
        if (response.statusCode() != 200 && response.statusCode() != HttpURLConnection.HTTP_CREATED) {
            String body = response.body();
            throw new Refused(
                    response.statusCode(),
                    "PATCH %s: %d %s"
                            .formatted(path, response.statusCode(), body.substring(0, Math.min(500, body.length()))));
        }
    }

    private HttpRequest request(String path) {
        return builder(path).build();
    }

    private HttpRequest.Builder builder(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(base.resolve(path)).timeout(ANSWER).header("Accept", "application/json");
        token.get().ifPresent(value -> request.header("Authorization", "Bearer " + value));
        return request;
    }

    @Override
    public String toString() {
        return base.toString();
    }

    /** What is wrong, in one line. */
    static String message(@Nullable Throwable failure) {
        String message = failure == null ? null : failure.getMessage();
        return message == null
                ? String.valueOf(failure)
                : message.lines().findFirst().orElse("");
    }
}
