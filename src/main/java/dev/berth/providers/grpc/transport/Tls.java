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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** TLS by which each side proves who it is. Its files are read again and again: certificates are renewed. */
public final class Tls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);

    private final Files files;
    private final AdvancedTlsX509KeyManager own = new AdvancedTlsX509KeyManager();
    private final AdvancedTlsX509TrustManager others;
    private final Thread reader;

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
     * @param period how often to read them again
     * @throws IllegalArgumentException if they cannot be used; the message says which
     */
    private Tls(Files files, Verification verification, Duration period) {
        this.files = files;
        try {
            others = AdvancedTlsX509TrustManager.newBuilder()
                    .setVerification(verification)
                    .build();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
        read();
        reader = Thread.ofVirtual().name("certificates").start(() -> keepReading(period));
    }

    private void read() {
        try {
            others.updateTrustCredentials(files.authority().toFile());
        } catch (IOException | GeneralSecurityException | RuntimeException unusable) {
            throw new IllegalArgumentException(files.authority() + " cannot be used: " + unusable, unusable);
        }
        try {
            own.updateIdentityCredentials(
                    files.certificate().toFile(), files.key().toFile());
        } catch (IOException | GeneralSecurityException | RuntimeException unusable) {
            throw new IllegalArgumentException(
                    files.certificate() + " with " + files.key() + " cannot be used: " + unusable, unusable);
        }
    }

    private void keepReading(Duration period) {
        try {
            while (true) {
                Thread.sleep(period);
                readAgain();
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    /** What is read half written now is read whole the next time. */
    private void readAgain() {
        try {
            read();
        } catch (IllegalArgumentException unusable) {
            LOG.warn("{}; what was read before stays in use", unusable.getMessage());
        }
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
        reader.interrupt();
    }
}
