package dev.berth.provider;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One way in: an address or a hostname. */
public final class Ingress {
    private final @Nullable String ip;
    private final @Nullable String hostname;
    private final @Nullable IpMode ipMode;

    private Ingress(@Nullable String ip, @Nullable String hostname, @Nullable IpMode ipMode) {
        if ((ip == null) == (hostname == null)) {
            throw new IllegalArgumentException("an ingress has an ip or a hostname");
        }
        this.ip = ip;
        this.hostname = hostname;
        this.ipMode = ipMode;
    }

    /**
     * An address.
     *
     * @param ip canonical text
     * @param ipMode null: not set, which Kubernetes takes for VIP
     */
    public static Ingress ofIp(String ip, @Nullable IpMode ipMode) {
        return new Ingress(ip, null, ipMode);
    }

    /**
     * A hostname.
     *
     * @param hostname lower case
     */
    public static Ingress ofHostname(String hostname) {
        return new Ingress(null, hostname, null);
    }

    /** Its address, canonical text; null: it has a hostname. */
    public @Nullable String ip() {
        return ip;
    }

    /** Its hostname; null: it has an address. */
    public @Nullable String hostname() {
        return hostname;
    }

    /** How packets to its address arrive; null: not set, which Kubernetes takes for VIP. */
    public @Nullable IpMode ipMode() {
        return ipMode;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Ingress that
                && Objects.equals(ip, that.ip)
                && Objects.equals(hostname, that.hostname)
                && ipMode == that.ipMode;
    }

    @Override
    public int hashCode() {
        return Objects.hash(ip, hostname, ipMode);
    }

    @Override
    public String toString() {
        return "Ingress[ip=" + ip + ", hostname=" + hostname + ", ipMode=" + ipMode + "]";
    }
}
