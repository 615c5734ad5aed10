package dev.berth.provider;

import org.jspecify.annotations.Nullable;

/**
 * One way in. Exactly one of {@code ip} and {@code hostname} is there.
 *
 * @param ip canonical text
 * @param ipMode with an {@code ip} only; null: not told, which Kubernetes takes for VIP
 */
public record Ingress(
        @Nullable String ip,
        @Nullable String hostname,
        @Nullable IpMode ipMode) {
    public Ingress {
        if ((ip == null) == (hostname == null)) {
            throw new IllegalArgumentException("an ingress has an ip or a hostname");
        }
        if (ipMode != null && ip == null) {
            throw new IllegalArgumentException("ipMode goes with an ip only");
        }
    }

    public static Ingress ofIp(String ip, @Nullable IpMode ipMode) {
        return new Ingress(ip, null, ipMode);
    }
}
