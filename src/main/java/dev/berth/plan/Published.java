package dev.berth.plan;

import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import org.jspecify.annotations.Nullable;

/**
 * One entry of {@code status.loadBalancer.ingress}, as it is or as it shall be.
 *
 * @param ipMode null: not told, which Kubernetes takes for VIP
 */
public record Published(
        @Nullable String ip,
        @Nullable String hostname,
        @Nullable IpMode ipMode) {
    /** What to publish of a provider's ingress; {@code withIpMode} false leaves the mode out. */
    static Published of(Ingress ingress, boolean withIpMode) {
        return new Published(ingress.ip(), ingress.hostname(), withIpMode ? ingress.ipMode() : null);
    }

    /** Without the mode: what an API server keeps that does not know it. */
    public Published withoutIpMode() {
        return new Published(ip, hostname, null);
    }

    /** As Kubernetes reads it: an IP without a mode is VIP. */
    Published read() {
        return ip != null && ipMode == null ? new Published(ip, hostname, IpMode.VIP) : this;
    }

    @Override
    public String toString() {
        String at = ip != null ? ip : String.valueOf(hostname);
        return ipMode == null ? at : at + " (" + ipMode + ")";
    }
}
