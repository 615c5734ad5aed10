package dev.berth.loadbalancer;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.berth.reason.Reason;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAPrivateKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A certificate that a server can show, and the key that belongs to it.
 *
 * @param chain PEM: the server's certificate, and after it those of the authorities that vouch for it
 * @param privateKey PEM, PKCS #8
 * @param notBefore from when on clients accept it
 * @param notAfter until when
 */
public record ServerCertificate(String chain, String privateKey, Instant notBefore, Instant notAfter) {
    private static final Pattern BLOCK = Pattern.compile("-----BEGIN ([A-Z0-9 ]{1,40})-----([^-]*)-----END \\1-----");

    /** The version number, with which PKCS #8 begins. */
    private static final byte[] VERSION_0 = {2, 1, 0};

    /** Signed with the one key and verified with the other. */
    private static final byte[] PROBE = "berth".getBytes(US_ASCII);

    /** Why it is none. */
    static final class Unusable extends Exception {
        private static final long serialVersionUID = 1;

        private final Reason reason;

        Unusable(Reason reason, String message) {
            super(message);
            this.reason = reason;
        }

        Reason reason() {
            return reason;
        }
    }

    /**
     * Reads a pair, whatever of PKCS #1, SEC 1 and PKCS #8 the key is in.
     *
     * @param certificates PEM
     * @param key PEM
     * @throws Unusable if either cannot be read, or they do not belong together; says nothing of what is in the key
     */
    static ServerCertificate read(String certificates, String key) throws Unusable {
        List<X509Certificate> chain = chain(certificates);
        X509Certificate own = chain.getFirst();
        byte[] privateKey = privateKey(key, own.getPublicKey());
        return new ServerCertificate(
                pem(chain),
                pem("PRIVATE KEY", privateKey),
                own.getNotBefore().toInstant(),
                own.getNotAfter().toInstant());
    }

    private static List<X509Certificate> chain(String text) throws Unusable {
        List<X509Certificate> chain = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(text);
        while (blocks.find()) {
            if (blocks.group(1).equals("CERTIFICATE")) {
                try {
                    chain.add((X509Certificate) CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(bytes(blocks.group(2)))));
                } catch (CertificateException | IllegalArgumentException unreadable) {
                    throw new Unusable(
                            Reason.CertificateUnreadable, "certificate " + (chain.size() + 1) + " in tls.crt is none");
                }
            }
        }
        if (chain.isEmpty()) {
            throw new Unusable(Reason.CertificateUnreadable, "tls.crt has no certificate in PEM");
        }
        return chain;
    }

    /** In PKCS #8. */
    private static byte[] privateKey(String text, PublicKey own) throws Unusable {
        if (text.contains("ENCRYPTED")) {
            throw new Unusable(Reason.KeyUnreadable, "the key in tls.key is encrypted; store it without a passphrase");
        }
        Matcher blocks = BLOCK.matcher(text);
        while (blocks.find()) {
            String type = blocks.group(1);
            if (type.endsWith("PRIVATE KEY")) {
                PrivateKey key;
                try {
                    byte[] encoded = bytes(blocks.group(2));
                    key = KeyFactory.getInstance(own.getAlgorithm())
                            .generatePrivate(new PKCS8EncodedKeySpec(
                                    type.equals("PRIVATE KEY") ? encoded : wrapped(encoded, own)));
                } catch (GeneralSecurityException | IllegalArgumentException unreadable) {
                    throw new Unusable(
                            Reason.KeyUnreadable,
                            "tls.key has no key of the kind that the certificate has, which is " + own.getAlgorithm());
                }
                requirePair(key, own);
                return key.getEncoded();
            }
        }
        throw new Unusable(Reason.KeyUnreadable, "tls.key has no private key in PEM");
    }

    /**
     * PKCS #1 and SEC 1 do not say, or not everywhere, what kind of key it is: the certificate does.
     *
     * <p>By hand, for nothing on the class path reads both by a public API: of Quarkus' libraries, SmallRye's parser reads
     * PKCS #1 alone, those of Vert.x and fabric8 are internal, and fabric8's needs Bouncy Castle for SEC 1. The JDK's own
     * PEMDecoder is a preview in 25.
     */
    private static byte[] wrapped(byte[] key, PublicKey own) {
        ByteBuffer publicKey = ByteBuffer.wrap(own.getEncoded());
        derLength(publicKey);
        int begin = publicKey.position();
        int length = derLength(publicKey);
        byte[] algorithm = new byte[publicKey.position() - begin + length];
        publicKey.position(begin).get(algorithm);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(VERSION_0);
        all.writeBytes(algorithm);
        all.writeBytes(der(4, key));
        return der(0x30, all.toByteArray());
    }

    /** Reads a tag and the length after it. */
    private static int derLength(ByteBuffer from) {
        from.get();
        int first = from.get() & 0xff;
        int length = first;
        if (first > 127) {
            length = 0;
            for (int i = 0; i < first - 128; i++) {
                length = (length << 8) | (from.get() & 0xff);
            }
        }
        return length;
    }

    private static byte[] der(int tag, byte[] content) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(tag);
        if (content.length < 128) {
            all.write(content.length);
        } else {
            byte[] length = BigInteger.valueOf(content.length).toByteArray();
            int zeros = length[0] == 0 ? 1 : 0;
            all.write(128 + length.length - zeros);
            all.write(length, zeros, length.length - zeros);
        }
        all.writeBytes(content);
        return all.toByteArray();
    }

    private static void requirePair(PrivateKey key, PublicKey own) throws Unusable {
        boolean isPair;
        try {
            isPair = (key instanceof RSAPrivateKey rsa && own instanceof RSAPublicKey ownRsa)
                    ? rsa.getModulus().equals(ownRsa.getModulus())
                    : verifies(key, own);
        } catch (GeneralSecurityException different) {
            isPair = false;
        }
        if (!isPair) {
            throw new Unusable(Reason.KeyMismatch, "the key in tls.key is not that of the certificate in tls.crt");
        }
    }

    private static boolean verifies(PrivateKey key, PublicKey own) throws GeneralSecurityException {
        Signature signature =
                Signature.getInstance(own.getAlgorithm().equals("EC") ? "SHA256withECDSA" : own.getAlgorithm());
        signature.initSign(key);
        signature.update(PROBE);
        byte[] signed = signature.sign();
        signature.initVerify(own);
        signature.update(PROBE);
        return signature.verify(signed);
    }

    private static byte[] bytes(String base64) {
        return Base64.getMimeDecoder().decode(base64.strip());
    }

    private static String pem(List<X509Certificate> chain) throws Unusable {
        StringBuilder all = new StringBuilder();
        for (X509Certificate one : chain) {
            try {
                all.append(pem("CERTIFICATE", one.getEncoded()));
            } catch (CertificateException unreadable) {
                throw new Unusable(Reason.CertificateUnreadable, "tls.crt: " + unreadable.getMessage());
            }
        }
        return all.toString();
    }

    private static String pem(String type, byte[] der) {
        return Base64.getMimeEncoder(64, new byte[] {'\n'})
                .encodeToString(der)
                .lines()
                .collect(Collectors.joining("\n", "-----BEGIN " + type + "-----\n", "\n-----END " + type + "-----\n"));
    }

    /** Without the key. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "ServerCertificate[%s - %s]", notBefore, notAfter);
    }
}
