package dev.berth.servicecidr;

/** Why a range that Kubernetes accepts, and marks as Ready, is of no use. */
enum UnusableRange {
    /** IPv6, and larger than a /64: the API server makes no allocator for it. It gives no address. */
    PREFIX_TOO_SHORT("is larger than a /64, the largest that the API server allocates from"),

    /** An IPv4 /31 or /32, or an IPv6 /128: without the addresses that stand for the network, none is left. */
    NO_ADDRESS("has no address that can be allocated"),

    /** An IPv6 /127: without the address that stands for the network, one is left. */
    ONE_ADDRESS("has one address only");

    private final String text;

    UnusableRange(String text) {
        this.text = text;
    }

    /** As the end of a sentence that starts with the range. */
    @Override
    public String toString() {
        return text;
    }
}
