package dev.berth.lab;

import java.util.Locale;

/** How kube-proxy programs the kernel. */
enum KubeProxyMode {
    NFTABLES,
    IPTABLES;

    /** As its flag has it. */
    String flag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
