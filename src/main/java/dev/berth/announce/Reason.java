package dev.berth.announce;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Why a node does not announce an address. */
public enum Reason {
    ADDRESS_OF_NODE("it is an address of a Node; remove it from the pool"),
    NO_SERVICE("no Service holds it"),
    NO_ENDPOINTS("its Services have no ready endpoint"),
    NO_LOCAL_ENDPOINTS("externalTrafficPolicy is Local, and the node has no ready endpoint"),
    NODE_UNKNOWN("there is no Node object of this name"),
    NODE_EXCLUDED("the Node is labelled node.kubernetes.io/exclude-from-external-load-balancers, as kubeadm labels"
            + " control-plane nodes; remove the label to let it announce addresses"),
    NODE_DELETED("the Node is being deleted"),
    NODE_OUT_OF_SERVICE("the Node is tainted node.kubernetes.io/out-of-service"),
    NODE_NETWORK_UNAVAILABLE("the Node's condition NetworkUnavailable is True"),
    NO_AGENT("no agent responds on the node"),
    AGENT_NOT_READY("the agent has just started or is shutting down"),
    NO_INTERFACE("the address is not in the subnet of any interface of the node; change the pool, or name interfaces"
            + " in the parameters of the LoadBalancerClass"),
    NO_NAMED_INTERFACE(
            "none of the interfaces that the LoadBalancerClass names exists on the node and is up; correct the"
                    + " parameter interfaces"),
    NETWORK_OR_BROADCAST_ADDRESS(
            "it is the first or the broadcast address of the node's network, which cannot be assigned to a host; add"
                    + " it to spec.excluded of the pool and recreate the Service"),
    ADDRESS_ON_HOST("the address is already configured on the node, but not by Berth; remove it from the node or from"
            + " the pool"),
    KERNEL_REJECTED("the kernel of the node rejected the address; see the log of the node's agent"),
    ANOTHER_NODE("another node announces it"),
    NODE_LEAVING("the Node is cordoned, or about to be removed, and other nodes announce it to the same routers"),
    NO_NEXT_HOP("the Node has no InternalIP of this address family"),
    NO_PEER("no usable BGPPeer that the class allows is configured for the node and this address family"),
    NO_SESSION("the node has no established BGP session for this address family; see kubectl get bgppeers");

    private final String sentence;

    Reason(String sentence) {
        this.sentence = sentence;
    }

    /** Human-readable, without an end. */
    public String sentence() {
        return sentence;
    }

    /** The name as conditions and reports have it. */
    public String camelCase() {
        return Stream.of(name().split("_"))
                .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.joining());
    }

    /** The sentence of one by its {@link #camelCase} name; of one that this version does not know, the name. */
    static String sentence(String camelCase) {
        return Stream.of(values())
                .filter(reason -> reason.camelCase().equals(camelCase))
                .map(Reason::sentence)
                .findFirst()
                .orElse(camelCase);
    }
}
