package dev.berth.testing;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certificate that its own key has signed, as a Secret has it. */
public record SampleCertificate(X509Certificate certificate, KeyPair keys) {
    /** With an elliptic key. */
    public static SampleCertificate of(String commonName, Instant notBefore, Instant notAfter) {
        return of("EC", 256, commonName, notBefore, notAfter);
    }

    /**
     * With a key of this kind.
     *
     * @param algorithm EC, RSA or Ed25519, for which {@code bits} is 255
     */
    public static SampleCertificate of(
            String algorithm, int bits, String commonName, Instant notBefore, Instant notAfter) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
            generator.initialize(bits);
            return signed(generator.generateKeyPair(), algorithm, commonName, notBefore, notAfter, List.of());
        } catch (GeneralSecurityException failure) {
            throw new IllegalStateException(commonName, failure);
        }
    }

    /** Another one of the same key and the same time, for these DNS names. */
    public SampleCertificate withNames(List<String> names) {
        return signed(
                keys,
                keys.getPrivate().getAlgorithm(),
                names.getFirst(),
                certificate.getNotBefore().toInstant(),
                certificate.getNotAfter().toInstant(),
                names);
    }

    private static SampleCertificate signed(
            KeyPair keys,
            String algorithm,
            String commonName,
            Instant notBefore,
            Instant notAfter,
            List<String> alternativeNames) {
        X500Name name = new X500Name("CN=" + commonName);
        String signature = switch (algorithm) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            default -> algorithm;
        };
        try {
            X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                    name, BigInteger.ONE, Date.from(notBefore), Date.from(notAfter), name, keys.getPublic());
            if (!alternativeNames.isEmpty()) {
                builder.addExtension(
                        Extension.subjectAlternativeName,
                        false,
                        new GeneralNames(alternativeNames.stream()
                                .map(host -> new GeneralName(GeneralName.dNSName, host))
                                .toArray(GeneralName[]::new)));
            }
            return new SampleCertificate(
                    new JcaX509CertificateConverter()
                            .getCertificate(
                                    builder.build(new JcaContentSignerBuilder(signature).build(keys.getPrivate()))),
                    keys);
        } catch (GeneralSecurityException | OperatorCreationException | IOException failure) {
            throw new IllegalStateException(commonName, failure);
        }
    }

    /** PEM. */
    public String pem() {
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (GeneralSecurityException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** PEM, PKCS #8. */
    public String key() {
        return pem("PRIVATE KEY", keys.getPrivate().getEncoded());
    }

    /** PEM, PKCS #1 or SEC 1. */
    public String traditionalKey() {
        try {
            return pem(
                    keys.getPrivate().getAlgorithm() + " PRIVATE KEY",
                    PrivateKeyInfo.getInstance(keys.getPrivate().getEncoded())
                            .parsePrivateKey()
                            .toASN1Primitive()
                            .getEncoded());
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** A Secret for it. */
    public Secret secret(String namespace, String name) {
        return new SecretBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .withType("kubernetes.io/tls")
                .withStringData(Map.of("tls.crt", pem(), "tls.key", key()))
                .build();
    }

    /** Connects to a server as a client that trusts everybody. */
    public static SSLSocket connect(String address, int port) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new TrustsEverybody()}, null);
            SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket();
            socket.connect(new InetSocketAddress(address, port), 2_000);
            socket.setSoTimeout(5_000);
            socket.startHandshake();
            return socket;
        } catch (GeneralSecurityException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** The certificate that a server shows. */
    public static Certificate shownAt(String address, int port) throws IOException {
        try (SSLSocket socket = connect(address, port)) {
            return socket.getSession().getPeerCertificates()[0];
        }
    }

    private static final class TrustsEverybody extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    private static String pem(String type, byte[] der) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n";
    }
}
