package dev.berth.loadbalancer;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One entry of {@code status.loadBalancer.ingress}, as it is or as it should be.
 *
 * @param ipMode null: not set, which Kubernetes takes for VIP
 * @param ports empty: nothing is said of them, and all are served
 */
public record Published(
        @Nullable String ip,
        @Nullable String hostname,
        @Nullable IpMode ipMode,
        List<PortStatus> ports) {
    public Published {
        ports = List.copyOf(ports);
    }

    /** Of which all ports are served. */
    public Published(@Nullable String ip, @Nullable String hostname, @Nullable IpMode ipMode) {
        this(ip, hostname, ipMode, List.of());
    }

    /**
     * What is said of one port.
     *
     * @param protocol as it stands there: anyone who may write a status may write anything
     * @param error null: it is served
     */
    public record PortStatus(
            int port, String protocol, @Nullable String error) {}

    /** The IP addresses of a status, in order; no matter who wrote them. */
    static List<Ip> addresses(List<Published> ingress) {
        List<Ip> ips = new ArrayList<>(ingress.size());
        for (Published entry : ingress) {
            if (entry.ip() != null) {
                Ip.find(entry.ip()).ifPresent(ips::add);
            }
        }
        return Collections.unmodifiableList(ips);
    }

    /** The addresses of the first family first, and what is of none of these families last. */
    static List<Published> inOrderOf(List<IpFamily> families, List<Published> ingress) {
        return ingress.stream()
                .sorted(Comparator.comparingInt(entry -> addresses(List.of(entry)).stream()
                        .map(ip -> families.indexOf(ip.family()))
                        .filter(place -> place >= 0)
                        .findFirst()
                        .orElse(families.size())))
                .toList();
    }

    /** What to publish of a provider's ingress; {@code withIpMode} false leaves the mode out. */
    static Published of(Ingress ingress, boolean withIpMode, List<PortStatus> ports) {
        return new Published(ingress.ip(), ingress.hostname(), withIpMode ? ingress.ipMode() : null, ports);
    }

    /** Without the mode: what an API server keeps that does not know it. */
    public Published withoutIpMode() {
        return new Published(ip, hostname, null, ports);
    }

    /** As Kubernetes reads it: an IP without a mode is VIP. */
    Published read() {
        return ip != null && ipMode == null ? new Published(ip, hostname, IpMode.VIP, ports) : this;
    }

    @Override
    public String toString() {
        String at = ip != null ? ip : String.valueOf(hostname);
        return ipMode == null ? at : at + " (" + ipMode + ")";
    }
}
