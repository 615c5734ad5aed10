package dev.berth.provider;

import java.util.Optional;

/**
 * How packets reach a node.
 *
 * @see <a href="https://kubernetes.io/docs/concepts/services-networking/service/#load-balancer-ip-mode">ipMode</a>
 */
public enum IpMode {
    /** With the load balancer's address as destination: kube-proxy may answer for it on the node. */
    VIP("VIP"),
    /** Through a proxy or NAT, with another destination: kube-proxy must leave the address alone. */
    PROXY("Proxy");

    private final String text;

    IpMode(String text) {
        this.text = text;
    }

    /** The mode of this name, as in {@code status.loadBalancer.ingress[].ipMode}; absent: there is none. */
    public static Optional<IpMode> of(String text) {
        for (IpMode mode : values()) {
            if (mode.text.equals(text)) {
                return Optional.of(mode);
            }
        }
        return Optional.empty();
    }

    @Override
    public String toString() {
        return text;
    }
}
