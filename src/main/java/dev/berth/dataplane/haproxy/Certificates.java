package dev.berth.dataplane.haproxy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.berth.provider.LoadBalancerRequest.Tls;
import dev.berth.provider.ProviderException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The certificates and keys of ports with TLS: a file for each load balancer, which its owner alone can read. */
final class Certificates {
    private static final String ENDING = ".pem";

    /** One that is blank would end a command of the runtime API. */
    private static final Pattern LINE = Pattern.compile("[A-Za-z0-9+/=]{1,128}|-----(BEGIN|END) [A-Z0-9 ]{1,40}-----");

    private final Path directory;

    /** @param directory of the provider */
    Certificates(Path directory) {
        this.directory = directory.resolve("certificates");
        try {
            Files.createDirectories(
                    this.directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException failure) {
            throw new ProviderException("creating " + this.directory + ": " + failure, failure);
        }
    }

    /**
     * Certificate and key, as HAProxy wants them.
     *
     * @throws ProviderException if there is something else than PEM in them; tells nothing of it
     */
    static String pem(Tls tls) {
        return (tls.certificate() + "\n" + tls.privateKey())
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .map(Certificates::pemLine)
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private static String pemLine(String line) {
        if (!LINE.matcher(line).matches()) {
            throw new ProviderException("certificate or key has a line that is not PEM");
        }
        return line;
    }

    /** Tells a file apart from all others, and nothing of what is in it. */
    static String digest(String pem) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(pem.getBytes(US_ASCII)));
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }

    /** Where that of a load balancer is. */
    Path file(String name) {
        return directory.resolve(name + ENDING);
    }

    /** Null: there is none. */
    @Nullable String read(String name) {
        String pem = StateFile.read(file(name));
        return pem.isEmpty() ? null : pem;
    }

    /** The load balancer, by what is in its file. */
    LoadBalancer asStored(LoadBalancer one) {
        String pem = read(one.name());
        return one.withCertificate(pem == null ? "" : digest(pem));
    }

    /** Null: it is deleted. */
    void put(String name, @Nullable String pem) {
        if (pem == null) {
            delete(file(name));
        } else {
            StateFile.writeSecret(file(name), pem);
        }
    }

    /** Deletes those of others, which a crash may have left. */
    void retain(Collection<LoadBalancer> all) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                if (all.stream().noneMatch(one -> one.tls() != null && file.equals(file(one.name())))) {
                    delete(file);
                }
            }
        } catch (IOException failure) {
            throw new ProviderException("reading " + directory + ": " + failure, failure);
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException failure) {
            throw new ProviderException("deleting " + file + ": " + failure, failure);
        }
    }
}
