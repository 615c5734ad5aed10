package dev.berth.announce;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Why a node does not announce an address. */
public enum Reason {
    ADDRESS_OF_NODE("it is an address of a Node; take it out of the pool"),
    NO_SERVICE("no Service holds it"),
    NO_ENDPOINTS("its Services have no ready endpoint"),
    NO_LOCAL_ENDPOINTS("externalTrafficPolicy is Local, and the node has no ready endpoint"),
    NODE_UNKNOWN("there is no Node object of this name"),
    NODE_EXCLUDED("the Node is labelled node.kubernetes.io/exclude-from-external-load-balancers, as kubeadm labels"
            + " control-plane nodes; take the label off if it is to announce"),
    NODE_DELETED("the Node is being deleted"),
    NODE_OUT_OF_SERVICE("the Node is tainted node.kubernetes.io/out-of-service"),
    NODE_NETWORK_UNAVAILABLE("the Node's condition NetworkUnavailable is True"),
    NO_AGENT("no agent answers on the node"),
    AGENT_NOT_READY("the agent has just started, or is about to end"),
    NO_INTERFACE("no interface of the node has a network with the address; change the pool, or name interfaces in the"
            + " parameters of the LoadBalancerClass"),
    NO_NAMED_INTERFACE(
            "the node has no interface, or none that is up, of those that the LoadBalancerClass names; correct the"
                    + " parameter interfaces"),
    END_OF_NETWORK(
            "it is the first or the broadcast address of the node's network, which no host is to have; take it out of"
                    + " the pool by spec.excluded, and recreate the Service"),
    ADDRESS_ON_HOST("somebody else has put the address on the node; take it off the node, or out of the pool"),
    KERNEL_REFUSES("the kernel of the node refuses the address; the log of the node's agent says why"),
    ANOTHER_NODE("another node announces it"),
    NODE_LEAVING("the Node is cordoned, or about to be removed, and other nodes announce it to the same routers"),
    NO_NEXT_HOP("the Node has no InternalIP of the address' family"),
    NO_PEER(
            "no BGPPeer that the class allows, and that can be used, has a session with the node for the address' family"),
    NO_SESSION(
            "no router of its BGPPeers has a session with the node for the address' family; kubectl get bgppeers says why");

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
    public static String sentence(String camelCase) {
        return Stream.of(values())
                .filter(reason -> reason.camelCase().equals(camelCase))
                .map(Reason::sentence)
                .findFirst()
                .orElse(camelCase);
    }
}
