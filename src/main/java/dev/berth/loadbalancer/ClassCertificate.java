package dev.berth.loadbalancer;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The certificate of a class: what its Services are served with, and what its administrator is told.
 *
 * @param used the Secret's, or the last that was good; absent: none has been since Berth's start
 * @param usable whether the Secret's own is good now
 * @param reason one PascalCase word
 * @param message human-readable
 * @param changes when it will be judged otherwise, whoever does nothing; absent: never
 */
public record ClassCertificate(
        Optional<ServerCertificate> used, boolean usable, String reason, String message, Optional<Instant> changes) {
    /** Nothing is known of it. */
    public static final ClassCertificate NONE =
            new ClassCertificate(Optional.empty(), false, "SecretUnknown", "no Secret was read", Optional.empty());

    /**
     * Judges it. What is wrong with a Secret takes nothing away: the last good certificate is used on, and one that clients
     * may refuse is better than a closed port.
     *
     * @param name of the Secret, NAMESPACE/NAME
     * @param secret as it is now
     * @param last the one that was used before
     */
    public static ClassCertificate of(String name, TlsSecret secret, Optional<ServerCertificate> last, Instant now) {
        return switch (secret) {
            case TlsSecret.Unusable(String reason, String message) ->
                new ClassCertificate(
                        last,
                        false,
                        reason,
                        message + (last.isPresent() ? "; the last good certificate is used on" : ""),
                        Optional.empty());
            case TlsSecret.Pair(ServerCertificate certificate) ->
                of("the certificate of Secret \"" + name + "\" ", certificate, last, now);
        };
    }

    private static ClassCertificate of(
            String what, ServerCertificate certificate, Optional<ServerCertificate> last, Instant now) {
        Optional<Instant> changes = Stream.of(
                        certificate.notBefore(), certificate.notAfter().plus(Duration.ofSeconds(1)))
                .filter(now::isBefore)
                .findFirst();
        if (now.isBefore(certificate.notBefore())) {
            return fault(
                    certificate,
                    last,
                    "CertificateNotYetValid",
                    what + "is valid from " + certificate.notBefore() + " on",
                    changes);
        }
        if (now.isAfter(certificate.notAfter())) {
            return fault(
                    certificate, last, "CertificateExpired", what + "expired at " + certificate.notAfter(), changes);
        }
        return new ClassCertificate(
                Optional.of(certificate), true, "Usable", what + "is valid until " + certificate.notAfter(), changes);
    }

    private static ClassCertificate fault(
            ServerCertificate certificate,
            Optional<ServerCertificate> last,
            String reason,
            String what,
            Optional<Instant> changes) {
        boolean isInUse = last.isEmpty() || last.get().equals(certificate);
        return new ClassCertificate(
                Optional.of(last.orElse(certificate)),
                false,
                reason,
                what + (isInUse ? "; it is used all the same: replace it" : "; the last good one is used on"),
                changes);
    }
}
