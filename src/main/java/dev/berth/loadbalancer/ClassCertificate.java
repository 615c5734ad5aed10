package dev.berth.loadbalancer;

import dev.berth.reason.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The certificate of a class: what its Services are served with, and what is reported to its administrator.
 *
 * @param used the Secret's, or the last that was good; absent: none has been since Berth's start
 * @param usable whether the Secret's own is good now
 * @param message human-readable
 * @param changes when it will be judged otherwise, whoever does nothing; absent: never
 */
public record ClassCertificate(
        Optional<ServerCertificate> used, boolean usable, Reason reason, String message, Optional<Instant> changes) {
    /** Nothing is known of it. */
    public static final ClassCertificate NONE =
            new ClassCertificate(Optional.empty(), false, Reason.SecretUnknown, "no Secret was read", Optional.empty());

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
            case TlsSecret.Unusable(Reason reason, String message) ->
                new ClassCertificate(
                        last,
                        false,
                        reason,
                        message
                                + last.map(used -> usedOn("certificate", used, now))
                                        .orElse(""),
                        last.flatMap(used -> first(now, expiry(used))));
            case TlsSecret.Pair(ServerCertificate certificate) ->
                of("the certificate of Secret \"" + name + "\" ", certificate, last, now);
        };
    }

    private static ClassCertificate of(
            String what, ServerCertificate certificate, Optional<ServerCertificate> last, Instant now) {
        if (now.isBefore(certificate.notBefore())) {
            return fault(
                    certificate,
                    last,
                    Reason.CertificateNotYetValid,
                    what + "is valid from " + certificate.notBefore() + " on",
                    now);
        }
        if (now.isAfter(certificate.notAfter())) {
            return fault(
                    certificate, last, Reason.CertificateExpired, what + "expired at " + certificate.notAfter(), now);
        }
        return new ClassCertificate(
                Optional.of(certificate),
                true,
                Reason.Usable,
                what + "is valid until " + certificate.notAfter(),
                first(now, expiry(certificate)));
    }

    private static ClassCertificate fault(
            ServerCertificate certificate, Optional<ServerCertificate> last, Reason reason, String what, Instant now) {
        ServerCertificate used = last.orElse(certificate);
        return new ClassCertificate(
                Optional.of(used),
                false,
                reason,
                what + (used.equals(certificate) ? "; it is still used: replace it" : usedOn("one", used, now)),
                first(now, certificate.notBefore(), expiry(certificate), expiry(used)));
    }

    private static String usedOn(String what, ServerCertificate last, Instant now) {
        return "; the last good " + what + " is used on"
                + (now.isAfter(last.notAfter()) ? ", though it expired at " + last.notAfter() + ": replace it" : "");
    }

    /** The first moment at which it has expired. */
    private static Instant expiry(ServerCertificate certificate) {
        return certificate.notAfter().plus(Duration.ofSeconds(1));
    }

    private static Optional<Instant> first(Instant now, Instant... moments) {
        return Stream.of(moments).filter(now::isBefore).min(Comparator.naturalOrder());
    }
}
