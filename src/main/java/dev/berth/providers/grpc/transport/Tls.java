package dev.berth.providers.grpc.transport;

import io.grpc.ChannelCredentials;
import io.grpc.ServerCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** TLS by which each side proves who it is. Its files are read anew when they change: certificates are renewed. */
public final class Tls implements AutoCloseable {
    private final AdvancedTlsX509KeyManager own = new AdvancedTlsX509KeyManager();
    private final AdvancedTlsX509TrustManager others;
    private final ScheduledExecutorService reader =
            Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().factory());

    /**
     * Where its parts are, all in PEM.
     *
     * @param authority who signs the certificates of the other side
     * @param certificate of this side, those that lead to its authority after it
     * @param key of {@code certificate}, in PKCS #8
     */
    public record Files(Path authority, Path certificate, Path key) {}

    /**
     * Reads the files.
     *
     * @param period how often to look for changes
     * @throws IllegalArgumentException if they cannot be used; the message says which
     */
    private Tls(Files files, Verification verification, Duration period) {
        try {
            others = AdvancedTlsX509TrustManager.newBuilder()
                    .setVerification(verification)
                    .build();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
        try {
            others.updateTrustCredentials(files.authority().toFile(), period.toMillis(), TimeUnit.MILLISECONDS, reader);
        } catch (IOException | GeneralSecurityException | RuntimeException unusable) {
            throw unusable(files.authority().toString(), unusable);
        }
        try {
            own.updateIdentityCredentials(
                    files.certificate().toFile(),
                    files.key().toFile(),
                    period.toMillis(),
                    TimeUnit.MILLISECONDS,
                    reader);
        } catch (IOException | GeneralSecurityException | RuntimeException unusable) {
            throw unusable(files.certificate() + " with " + files.key(), unusable);
        }
    }

    private IllegalArgumentException unusable(String what, Exception why) {
        close();
        return new IllegalArgumentException(what + " cannot be used: " + why, why);
    }

    /** For who calls: the name in the certificate of the other side must be the one that was called. */
    public static Tls ofClient(Files files, Duration period) {
        return new Tls(files, Verification.CERTIFICATE_AND_HOST_NAME_VERIFICATION, period);
    }

    /** For who is called: whoever has a certificate of the authority may call. */
    public static Tls ofServer(Files files, Duration period) {
        return new Tls(files, Verification.CERTIFICATE_ONLY_VERIFICATION, period);
    }

    ChannelCredentials channel() {
        return TlsChannelCredentials.newBuilder()
                .keyManager(own)
                .trustManager(others)
                .build();
    }

    ServerCredentials server() {
        return TlsServerCredentials.newBuilder()
                .keyManager(own)
                .trustManager(others)
                .clientAuth(TlsServerCredentials.ClientAuth.REQUIRE)
                .build();
    }

    @Override
    public void close() {
        reader.shutdownNow();
    }
}
