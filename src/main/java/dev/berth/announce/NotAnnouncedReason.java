package dev.berth.announce;

import dev.berth.reason.Reason;
import java.util.stream.Stream;

/** Why a node does not announce an address: what its agent reports, and, where no node announces it, what conditions say. */
public enum NotAnnouncedReason {
    ADDRESS_OF_NODE(Reason.AddressOfNode, "it is an address of a Node; remove it from the pool"),
    NO_SERVICE(Reason.NoService, "no Service holds it"),
    NO_ENDPOINTS(Reason.NoEndpoints, "its Services have no ready endpoint"),
    NO_LOCAL_ENDPOINTS(Reason.NoLocalEndpoints, "externalTrafficPolicy is Local, and the node has no ready endpoint"),
    NODE_UNKNOWN(Reason.NodeUnknown, "there is no Node object of this name"),
    NODE_EXCLUDED(
            Reason.NodeExcluded,
            "the Node is labelled node.kubernetes.io/exclude-from-external-load-balancers, as kubeadm labels"
                    + " control-plane nodes; remove the label to let it announce addresses"),
    NODE_DELETED(Reason.NodeDeleted, "the Node is being deleted"),
    NODE_OUT_OF_SERVICE(Reason.NodeOutOfService, "the Node is tainted node.kubernetes.io/out-of-service"),
    NODE_NETWORK_UNAVAILABLE(Reason.NodeNetworkUnavailable, "the Node's condition NetworkUnavailable is True"),
    NO_AGENT(Reason.NoAgent, "no agent responds on the node"),
    AGENT_NOT_READY(Reason.AgentNotReady, "the agent has just started or is shutting down"),
    NO_INTERFACE(
            Reason.NoInterface,
            "the address is not in the subnet of any interface of the node; change the pool, or name interfaces"
                    + " in the parameters of the LoadBalancerClass"),
    NO_NAMED_INTERFACE(
            Reason.NoNamedInterface,
            "none of the interfaces that the LoadBalancerClass names exists on the node, is up and has an address; correct the"
                    + " parameter interfaces"),
    NETWORK_OR_BROADCAST_ADDRESS(
            Reason.NetworkOrBroadcastAddress,
            "it is the first or the broadcast address of the node's network, which cannot be assigned to a host; add"
                    + " it to spec.excluded of the pool and recreate the Service"),
    ADDRESS_ON_HOST(
            Reason.AddressOnHost,
            "the address is already configured on the node, but not by Berth; remove it from the node or from"
                    + " the pool"),
    KERNEL_REJECTED(
            Reason.KernelRejected, "the kernel of the node rejected the address; see the log of the node's agent"),
    ANOTHER_NODE(Reason.AnotherNode, "another node announces it"),
    NODE_LEAVING(
            Reason.NodeLeaving,
            "the Node is cordoned, or about to be removed, and other nodes announce it to the same routers"),
    NO_NEXT_HOP(Reason.NoNextHop, "the Node has no InternalIP of this address family"),
    NO_PEER(
            Reason.NoPeer,
            "no usable BGPPeer that the class allows is configured for the node and this address family"),
    NO_SESSION(
            Reason.NoSession,
            "the node has no established BGP session for this address family; see kubectl get bgppeers");

    private final Reason reason;
    private final String sentence;

    NotAnnouncedReason(Reason reason, String sentence) {
        this.reason = reason;
        this.sentence = sentence;
    }

    /** As conditions and reports name it. */
    public Reason reason() {
        return reason;
    }

    /** Human-readable, without an end. */
    public String sentence() {
        return sentence;
    }

    /** The sentence of one by its {@link #reason}; of a word that this version does not know, the word. */
    static String sentence(String word) {
        return Stream.of(values())
                .filter(one -> one.reason.name().equals(word))
                .map(NotAnnouncedReason::sentence)
                .findFirst()
                .orElse(word);
    }
}
