package dev.berth.migration;

import dev.berth.loadbalancer.ForeignAnnotations;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The controllers that Berth takes Services over from.
 *
 * @param dialects how Services speak to them
 */
public record MigrationSources(List<ForeignAnnotations> dialects) {
    /** By default: what others allocated is theirs. */
    public static final MigrationSources NONE = new MigrationSources(List.of());

    private static final List<ForeignAnnotations> ALL = List.of(
            new ForeignAnnotations(
                    "metallb",
                    List.of("metallb.io/loadBalancerIPs", "metallb.universe.tf/loadBalancerIPs"),
                    List.of("metallb.io/address-pool", "metallb.universe.tf/address-pool"),
                    List.of("metallb.io/allow-shared-ip", "metallb.universe.tf/allow-shared-ip"),
                    false),
            new ForeignAnnotations(
                    "cilium",
                    List.of("lbipam.cilium.io/ips", "io.cilium/lb-ipam-ips"),
                    List.of(),
                    List.of("lbipam.cilium.io/sharing-key", "io.cilium/lb-ipam-sharing-key"),
                    false),
            new ForeignAnnotations("kube-vip", List.of("kube-vip.io/loadbalancerIPs"), List.of(), List.of(), true),
            new ForeignAnnotations(
                    "purelb",
                    List.of("purelb.io/addresses"),
                    List.of("purelb.io/service-group"),
                    List.of("purelb.io/allow-shared-ip"),
                    false));

    public MigrationSources {
        dialects = List.copyOf(dialects);
    }

    /**
     * The controllers that {@code text} names, with commas between them.
     *
     * @throws IllegalArgumentException if it names one that is not known; the message lists those that are
     */
    public static MigrationSources parse(String text) {
        List<ForeignAnnotations> named = new ArrayList<>();
        for (String name : text.split(",", -1)) {
            if (!name.isBlank()) {
                ForeignAnnotations dialect = named(name.trim())
                        .orElseThrow(() -> new IllegalArgumentException("\"" + name.trim() + "\" is none of "
                                + ALL.stream()
                                        .map(ForeignAnnotations::controller)
                                        .collect(Collectors.joining(", "))));
                if (!named.contains(dialect)) {
                    named.add(dialect);
                }
            }
        }
        return new MigrationSources(named);
    }

    private static Optional<ForeignAnnotations> named(String name) {
        return ALL.stream().filter(dialect -> dialect.controller().equals(name)).findFirst();
    }
}
