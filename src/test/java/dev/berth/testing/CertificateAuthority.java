package dev.berth.testing;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.Set;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.IPAddress;

/** A certificate authority for one control plane, with the certificates that it needs; valid for 30 days. */
final class CertificateAuthority {
    private static final Duration VALID = Duration.ofDays(30);

    /** Clocks of one machine agree; the hour covers a clock that is set back. */
    private static final Duration SKEW = Duration.ofHours(1);

    private final Instant now;
    private final KeyPair keys = elliptic();
    private final X509Certificate certificate;
    private long serial = 1;

    CertificateAuthority(Clock clock) {
        now = clock.instant();
        certificate = sign(new X500Name("CN=berth-test-ca"), keys, Extensions.authority());
    }

    /** A certificate and its key (PKCS #8), both in PEM. */
    record Credential(String certificate, String privateKey) {}

    /** Both in PEM; the private key in PKCS #8. */
    record SigningKey(String publicKey, String privateKey) {}

    String pem() {
        return pem(certificate);
    }

    /** @param hosts DNS names and IP addresses that clients reach the server by */
    Credential server(Set<String> hosts) {
        KeyPair pair = elliptic();
        return credential(sign(new X500Name("CN=kube-apiserver"), pair, Extensions.server(hosts)), pair);
    }

    /** For a host that is called, and calls others of its kind. */
    Credential host(Set<String> hosts) {
        KeyPair pair = elliptic();
        return credential(sign(new X500Name("CN=host"), pair, Extensions.host(hosts)), pair);
    }

    /**
     * A client certificate. Its key is RSA: fabric8's client reads others only with BouncyCastle at hand, which the
     * packaged operator does not have. All clients have the same one, and it is short: without the second compiler, one of
     * 2048 bits takes seconds to generate, and each connection a twentieth of one to sign.
     */
    Credential client(String user, String group) {
        KeyPair pair = ClientKey.RSA;
        return credential(sign(new X500Name("O=" + group + ",CN=" + user), pair, Extensions.client()), pair);
    }

    /** Of this JVM, once it is needed. */
    private static final class ClientKey {
        static final KeyPair RSA = keyPair("RSA", 1024);
    }

    /** A key pair for signing ServiceAccount tokens; no certificate belongs to it. */
    static SigningKey signingKey() {
        KeyPair pair = elliptic();
        return new SigningKey(
                pem("PUBLIC KEY", pair.getPublic().getEncoded()),
                pem("PRIVATE KEY", pair.getPrivate().getEncoded()));
    }

    private interface Extensions {
        void addTo(X509v3CertificateBuilder builder) throws IOException;

        static Extensions authority() {
            return builder -> {
                builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
                builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign));
            };
        }

        static Extensions client() {
            return builder -> builder.addExtension(
                    Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_clientAuth));
        }

        static Extensions server(Set<String> hosts) {
            return named(hosts, KeyPurposeId.id_kp_serverAuth);
        }

        static Extensions host(Set<String> hosts) {
            return named(hosts, KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth);
        }

        private static Extensions named(Set<String> hosts, KeyPurposeId... purposes) {
            GeneralNames names = new GeneralNames(hosts.stream()
                    .map(host -> new GeneralName(
                            IPAddress.isValid(host) ? GeneralName.iPAddress : GeneralName.dNSName, host))
                    .toArray(GeneralName[]::new));
            return builder -> {
                builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purposes));
                builder.addExtension(Extension.subjectAlternativeName, false, names);
            };
        }
    }

    private X509Certificate sign(X500Name subject, KeyPair pair, Extensions extensions) {
        try {
            X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                    new X500Name("CN=berth-test-ca"),
                    BigInteger.valueOf(serial++),
                    Date.from(now.minus(SKEW)),
                    Date.from(now.plus(VALID)),
                    subject,
                    pair.getPublic());
            extensions.addTo(builder);
            return new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
        } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
            throw new IllegalStateException("signing the certificate of " + subject, e);
        }
    }

    private static Credential credential(X509Certificate certificate, KeyPair pair) {
        return new Credential(
                pem(certificate), pem("PRIVATE KEY", pair.getPrivate().getEncoded()));
    }

    private static KeyPair elliptic() {
        return keyPair("EC", 256);
    }

    private static KeyPair keyPair(String algorithm, int bits) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
            generator.initialize(bits);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("generating a key", e);
        }
    }

    private static String pem(X509Certificate certificate) {
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("encoding a certificate", e);
        }
    }

    private static String pem(String type, byte[] der) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n";
    }
}
