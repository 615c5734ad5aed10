package dev.berth.provider;

import java.util.regex.Pattern;

/**
 * A port that a load balancer does not serve, though it serves others.
 *
 * @param error why, in one CamelCase word: {@code MixedProtocolNotSupported}, or with a domain in front of it,
 *     {@code example.com/NoListenerLeft}
 * @see <a href="https://kubernetes.io/docs/reference/kubernetes-api/service-resources/service-v1/#ServiceStatus">ingress.ports.error</a>
 */
public record PortError(int port, Protocol protocol, String error) {
    private static final Pattern ERROR = Pattern.compile("([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z][A-Za-z0-9_]*");

    public PortError {
        if (!ERROR.matcher(error).matches()) {
            throw new IllegalArgumentException("the error of a port is one CamelCase word: \"" + error + "\"");
        }
    }
}
