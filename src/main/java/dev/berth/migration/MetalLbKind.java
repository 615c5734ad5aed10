package dev.berth.migration;

/** The kinds of MetalLB that say how addresses are announced, and those that they name. */
public enum MetalLbKind {
    BGP_PEER("v1beta2", "BGPPeer", "bgppeers"),
    BGP_ADVERTISEMENT("v1beta1", "BGPAdvertisement", "bgpadvertisements"),
    L2_ADVERTISEMENT("v1beta1", "L2Advertisement", "l2advertisements"),
    BFD_PROFILE("v1beta1", "BFDProfile", "bfdprofiles"),
    COMMUNITY("v1beta1", "Community", "communities"),
    IP_ADDRESS_POOL("v1beta1", "IPAddressPool", "ipaddresspools");

    public static final String GROUP = "metallb.io";

    private final String version;
    private final String kind;
    private final String plural;

    MetalLbKind(String version, String kind, String plural) {
        this.version = version;
        this.kind = kind;
        this.plural = plural;
    }

    /** The one that is read here. */
    public String version() {
        return version;
    }

    public String kind() {
        return kind;
    }

    public String plural() {
        return plural;
    }
}
