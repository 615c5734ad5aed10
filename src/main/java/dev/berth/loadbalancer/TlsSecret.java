package dev.berth.loadbalancer;

import dev.berth.reason.Reason;

/** What the Secret holds that a class names for TLS, as it was last read. */
public sealed interface TlsSecret {
    /** The type of Secrets that {@code kubectl create secret tls} and cert-manager make. */
    String TYPE = "kubernetes.io/tls";

    /** It has a certificate and its key; clients may not accept it yet, or no longer. */
    record Pair(ServerCertificate certificate) implements TlsSecret {}

    /**
     * It has none.
     *
     * @param message what is wrong and what to do, human-readable; nothing of its content
     */
    record Unusable(Reason reason, String message) implements TlsSecret {}

    /**
     * What is in it.
     *
     * @param name NAMESPACE/NAME
     * @param type {@code type} of the Secret
     * @param certificate {@code tls.crt}; empty: absent
     * @param key {@code tls.key}; empty: absent
     */
    static TlsSecret read(String name, String type, String certificate, String key) {
        if (!type.equals(TYPE)) {
            return new Unusable(
                    Reason.SecretTypeMismatch,
                    secret(name) + " is of type " + OneLine.of(type) + "; make one of type " + TYPE
                            + ", with kubectl create secret tls");
        }
        try {
            return new Pair(ServerCertificate.read(certificate, key));
        } catch (ServerCertificate.Unusable fault) {
            return new Unusable(fault.reason(), secret(name) + ": " + fault.getMessage());
        }
    }

    /** There is no such Secret; {@code name} is NAMESPACE/NAME. */
    static Unusable missing(String name) {
        return new Unusable(
                Reason.SecretMissing,
                secret(name) + " is missing; make it with kubectl create secret tls, in that namespace");
    }

    /** Berth may not read it; {@code name} is NAMESPACE/NAME. */
    static Unusable forbidden(String name) {
        return new Unusable(
                Reason.SecretForbidden,
                "Berth may not read " + secret(name) + "; apply src/main/kubernetes/components/tls/rbac.yaml");
    }

    /** The API server has not shown it yet; {@code name} is NAMESPACE/NAME. */
    static Unusable unknown(String name, String why) {
        return new Unusable(Reason.SecretUnknown, secret(name) + " could not be read yet: " + OneLine.of(why));
    }

    private static String secret(String name) {
        return "Secret \"" + name + "\"";
    }
}
