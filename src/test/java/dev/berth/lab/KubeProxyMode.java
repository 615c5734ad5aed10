package dev.berth.lab;

/** How kube-proxy programs the kernel. */
enum KubeProxyMode {
    NFTABLES("nftables"),
    /** By the iptables of today, which write into nftables. */
    IPTABLES("iptables"),
    /** By those that came before, with tables of their own. */
    LEGACY_IPTABLES("iptables");

    private final String flag;

    KubeProxyMode(String flag) {
        this.flag = flag;
    }

    /** As its flag has it. */
    String flag() {
        return flag;
    }
}
