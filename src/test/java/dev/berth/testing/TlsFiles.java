package dev.berth.testing;

import dev.berth.plugin.grpc.transport.Tls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;

/** The files of a server on this machine, and of its client, in one folder; each signed by one authority. */
public final class TlsFiles {
    /** How often they are looked at: tests do not wait for a minute. */
    public static final Duration PERIOD = Duration.ofMillis(100);

    private final Path folder;

    /** Writes all of them. */
    public TlsFiles(Path folder) {
        this.folder = folder;
        renew(Set.of("127.0.0.1"));
    }

    /** Writes all of them again, by its own authority. */
    public void renew(Set<String> hosts) {
        CertificateAuthority authority = new CertificateAuthority(Clock.systemUTC());
        write("ca.pem", authority.pem());
        write("server", authority.server(hosts));
        write("client", authority.client("berth", "operators"));
        write("host", authority.host(hosts));
    }

    private void write(String name, CertificateAuthority.Credential credential) {
        write(name + ".pem", credential.certificate());
        write(name + "-key.pem", credential.privateKey());
    }

    private void write(String name, String text) {
        try {
            Files.writeString(folder.resolve(name), text);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    public Tls.Files server() {
        return of("server");
    }

    public Tls.Files client() {
        return of("client");
    }

    /** Of a host that is called, and calls others of its kind. */
    public Tls.Files host() {
        return of("host");
    }

    private Tls.Files of(String name) {
        return new Tls.Files(
                folder.resolve("ca.pem"), folder.resolve(name + ".pem"), folder.resolve(name + "-key.pem"));
    }
}
