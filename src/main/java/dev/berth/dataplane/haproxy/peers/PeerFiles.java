package dev.berth.dataplane.haproxy.peers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * For mutual TLS among the hosts, all in PEM. They are read again for each connection: certificates are renewed.
 *
 * @param authority who signs the certificates of all hosts
 * @param certificate of this host, those that lead to its authority after it
 * @param key of {@code certificate}, in PKCS #8
 */
public record PeerFiles(Path authority, Path certificate, Path key) {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final char[] NO_PASSWORD = new char[0];

    /**
     * Reads them.
     *
     * @throws IOException if one cannot be used; the message names it
     */
    SSLContext context() throws IOException {
        try {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            int number = 0;
            for (Certificate one : certificates(authority)) {
                trusted.setCertificateEntry("ca" + number++, one);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            Certificate[] chain = certificates(certificate).toArray(Certificate[]::new);
            KeyStore own = KeyStore.getInstance(KeyStore.getDefaultType());
            own.load(null, null);
            own.setKeyEntry("own", privateKey(chain[0].getPublicKey().getAlgorithm()), NO_PASSWORD, chain);
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(own, NO_PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException unusable) {
            throw new IOException(
                    "%s, %s and %s cannot be used: %s".formatted(authority, certificate, key, unusable.getMessage()),
                    unusable);
        }
    }

    private static Collection<? extends Certificate> certificates(Path file) throws IOException {
        try (InputStream text = Files.newInputStream(file)) {
            Collection<? extends Certificate> found =
                    CertificateFactory.getInstance("X.509").generateCertificates(text);
            if (found.isEmpty()) {
                throw new IOException("there is no certificate in " + file);
            }
            return found;
        } catch (CertificateException unreadable) {
            throw new IOException(file + " cannot be used: " + unreadable.getMessage(), unreadable);
        }
    }

    private PrivateKey privateKey(String algorithm) throws IOException, GeneralSecurityException {
        Matcher pem = KEY.matcher(Files.readString(key));
        if (!pem.find()) {
            throw new IOException("there is no key in PKCS #8 in " + key);
        }
        try {
            return KeyFactory.getInstance(algorithm)
                    .generatePrivate(
                            new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem.group(1))));
        } catch (IllegalArgumentException noBase64) {
            throw new IOException("the key in " + key + " is not PEM", noBase64);
        }
    }
}
