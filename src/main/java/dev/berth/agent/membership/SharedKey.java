package dev.berth.agent.membership;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * What the agents of a cluster know and nobody else: their messages are encrypted and authenticated by it
 * (ChaCha20-Poly1305, for it is fast without the processor's help). To change it without a gap, a second line of the file
 * may hold one more key that is understood, too.
 */
public final class SharedKey {
    private static final int NONCE = 12;
    private static final int SHORTEST = 16;
    private static final String CIPHER = "ChaCha20-Poly1305";

    private final List<SecretKeySpec> keys;
    private final SecureRandom random = new SecureRandom();

    private SharedKey(List<SecretKeySpec> keys) {
        this.keys = keys;
    }

    /**
     * Reads a file: in each line a key, the first for what is sent.
     *
     * @throws IOException if it cannot be read, has no key, or one of less than 16 bytes
     */
    public static SharedKey read(Path file) throws IOException {
        if (Files.notExists(file)) {
            throw new IOException("there is no file " + file + "; it must have the key that the agents share");
        }
        List<String> lines = Files.readAllLines(file).stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .toList();
        if (lines.isEmpty()) {
            throw new IOException("there is no key in " + file);
        }
        if (lines.stream().anyMatch(line -> line.length() < SHORTEST)) {
            throw new IOException(
                    "a key in " + file + " is shorter than " + SHORTEST + " characters; take 32 at random");
        }
        return of(lines);
    }

    static SharedKey of(List<String> secrets) {
        return new SharedKey(secrets.stream().map(SharedKey::key).toList());
    }

    private static SecretKeySpec key(String secret) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update("berth agents 1\n".getBytes(UTF_8));
            return new SecretKeySpec(digest.digest(secret.getBytes(UTF_8)), "ChaCha20");
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    byte[] sealed(byte[] message) {
        byte[] nonce = new byte[NONCE];
        random.nextBytes(nonce);
        try {
            Cipher cipher = Cipher.getInstance(CIPHER);
            cipher.init(Cipher.ENCRYPT_MODE, keys.getFirst(), new IvParameterSpec(nonce));
            byte[] sealed = cipher.doFinal(message);
            return ByteBuffer.allocate(NONCE + sealed.length)
                    .put(nonce)
                    .put(sealed)
                    .array();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Absent: it was not made by this key. */
    Optional<byte[]> opened(byte[] sealed) {
        if (sealed.length <= NONCE) {
            return Optional.empty();
        }
        for (SecretKeySpec key : keys) {
            try {
                Cipher cipher = Cipher.getInstance(CIPHER);
                cipher.init(Cipher.DECRYPT_MODE, key, new IvParameterSpec(Arrays.copyOf(sealed, NONCE)));
                return Optional.of(cipher.doFinal(sealed, NONCE, sealed.length - NONCE));
            } catch (AEADBadTagException another) {
                // Made by another key, or by none.
            } catch (GeneralSecurityException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
        return Optional.empty();
    }
}
