package dev.berth.loadbalancer;

import java.util.List;

/**
 * The annotations by which a Service asks another controller for what it asks Berth for by its own. Of
 * several names for one thing the first that is there counts: the newest comes first.
 *
 * @param controller its name, as people call it
 * @param addresses which addresses, as a list with commas; empty: it has no such annotation
 * @param pools out of which pool
 * @param sharingKeys with whom it shares its address
 * @param unspecifiedIsDhcp whether 0.0.0.0 and :: mean an address by DHCP
 */
public record ForeignAnnotations(
        String controller,
        List<String> addresses,
        List<String> pools,
        List<String> sharingKeys,
        boolean unspecifiedIsDhcp) {
    /** Of all controllers whose Services Berth can take over. */
    public static final List<ForeignAnnotations> KNOWN = List.of(
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

    public ForeignAnnotations {
        addresses = List.copyOf(addresses);
        pools = List.copyOf(pools);
        sharingKeys = List.copyOf(sharingKeys);
    }
}
