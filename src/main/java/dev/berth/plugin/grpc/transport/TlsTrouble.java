package dev.berth.plugin.grpc.transport;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Why a plug-in and Berth do not trust each other, human-readable. */
public final class TlsTrouble {
    /** The name of an alert, which stands before the reason. */
    private static final Pattern ALERT = Pattern.compile("^\\([a-z_]+\\) ");

    private static final Pattern REFUSAL = Pattern.compile("Received fatal alert: .*(certificate|unknown_ca).*");

    private TlsTrouble() {}

    /** What is wrong, and with which setting; absent: it is no matter of TLS. */
    public static Optional<String> of(@Nullable Throwable failure) {
        List<Throwable> chain = Stream.<@Nullable Throwable>iterate(
                        failure,
                        Objects::nonNull,
                        one -> Objects.requireNonNull(one).getCause())
                .map(Objects::requireNonNull)
                .toList();
        return chain.stream()
                .filter(SSLException.class::isInstance)
                .findFirst()
                .map(tls -> ALERT.matcher(String.valueOf(tls.getMessage())).replaceFirst(""))
                .map(reason -> of(chain, reason));
    }

    private static String of(List<Throwable> chain, String reason) {
        if (chain.stream().anyMatch(TlsTrouble::isOfItsAuthority)) {
            return "its certificate is not signed by ca: " + reason;
        }
        // What the JDK finds of a name, and of nothing else, is of this very class.
        if (chain.getLast().getClass().equals(CertificateException.class)) {
            return "its certificate has another name, see server-name: " + reason;
        }
        if (REFUSAL.matcher(reason).matches()) {
            return "it rejects the certificate of Berth, or its authority: " + reason;
        }
        return "TLS with it fails: " + reason;
    }

    private static boolean isOfItsAuthority(Throwable cause) {
        return cause instanceof CertPathValidatorException || cause instanceof CertPathBuilderException;
    }
}
