package dev.berth.plugin.grpc.transport;

import io.grpc.ChannelCredentials;
import io.grpc.ServerCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;
import io.grpc.util.CertificateUtils;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
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
            others.updateTrustCredentials(certificates(files.authority()));
        } catch (IOException | GeneralSecurityException | RuntimeException unusable) {
            throw new IllegalArgumentException(files.authority() + " cannot be used: " + unusable, unusable);
        }
        try {
            X509Certificate[] chain = certificates(files.certificate());
            PrivateKey key = key(files.key());
            requirePair(chain[0], key);
            own.updateIdentityCredentials(chain, key);
        } catch (IOException | GeneralSecurityException | RuntimeException unusable) {
            throw new IllegalArgumentException(
                    files.certificate() + " with " + files.key() + " cannot be used: " + unusable, unusable);
        }
    }

    private static X509Certificate[] certificates(Path file) throws IOException, CertificateException {
        try (InputStream text = java.nio.file.Files.newInputStream(file)) {
            X509Certificate[] found = CertificateUtils.getX509Certificates(text);
            if (found.length == 0) {
                throw new CertificateException("there is no certificate in " + file);
            }
            return found;
        }
    }

    private static PrivateKey key(Path file) throws IOException, GeneralSecurityException {
        try (InputStream text = java.nio.file.Files.newInputStream(file)) {
            return CertificateUtils.getPrivateKey(text);
        }
    }

    /** Of two files that are replaced one after the other, those of two pairs may be read. */
    private static void requirePair(X509Certificate certificate, PrivateKey key) throws GeneralSecurityException {
        String algorithm = key.getAlgorithm();
        if (!algorithm.equals(certificate.getPublicKey().getAlgorithm())) {
            throw new KeyException("the certificate does not match the key");
        }
        Signature signature = Signature.getInstance("SHA256with" + (algorithm.equals("EC") ? "ECDSA" : algorithm));
        signature.initSign(key);
        byte[] signed = signature.sign();
        signature.initVerify(certificate);
        if (!signature.verify(signed)) {
            throw new KeyException("the certificate does not match the key");
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

    /** For who is called: anyone who has a certificate of the authority may call. */
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
