package dev.berth.reason;

import java.util.Optional;
import java.util.stream.Stream;

/**
 * Every word that Berth writes as the reason of a condition or an event, as it is written. People, alerts and scripts go by
 * them: none is renamed, and none is given for something else. They stand by the kind of object that has them first, with
 * the page that has them in its tables; {@code DocumentedReasonsTest} holds that page to them. A reason that others write,
 * such as agents of another version, remains text.
 */
public enum Reason {
    // Of all kinds: docs/operations.md
    /** The object, or a part of it, cannot be read: another schema let it in. */
    Unreadable,
    /** What the spec asks for is in effect. */
    Ready,

    // Of Services, whether they have their addresses: docs/operations.md
    /** It has all that it asks for. */
    Assigned,
    /** Its provider is at work on it; of a ClusterIPReservation, its IPAddress is being created. */
    Pending,
    /** It has an address of one family, and waits for the other. */
    PartiallyAssigned,
    /** It has an address, and keeps it until it has the one that it asks for by now. */
    ReplacementPending,
    /** There is no AddressPool. */
    NoPool,
    /** None of the AddressPools that it or its class names exists; of a class, one does not. */
    PoolNotFound,
    /** No AddressPool has addresses of the family. */
    NoPoolForFamily,
    /** No AddressPool that allows it has a free address, or one that is not kept for those that have waited longer. */
    PoolExhausted,
    /** Its namespace has as many addresses as the AddressPool allows. */
    QuotaExceeded,
    /** Each AddressPool refuses it by a rule. */
    NotAllowedByPools,
    /** The very address that it asks for is another's, or in no AddressPool. */
    AddressNotAvailable,
    /** Another Service of its sharing key is claiming the address for both. */
    SharedAddressPending,
    /** It asks for an address, and for AddressPools which do not have it. */
    AddressOfOtherPool,
    /** A person reserved its address for it, and it asks for AddressPools which do not have it. */
    AddressReserved,
    /** It asks for different addresses of one family in two places. */
    AddressesDiffer,
    /** It asks for different AddressPools in two places. */
    PoolsDiffer,
    /** It has different sharing keys in two places. */
    SharingKeysDiffer,
    /** It asks for an address by DHCP, in the words of another controller. */
    DHCPNotSupported,
    /** What it asks for is no address, or are two of one family; of an AddressPool, what it has are none. */
    InvalidAddresses,
    /** It asks for an address of a family that it does not have. */
    AddressOfOtherFamily,
    /** Its annotation about keeping the address is neither true nor false. */
    InvalidRetain,
    /** Its sharing key is too long. */
    InvalidSharingKey,
    /** Its annotation about replacing addresses names none. */
    InvalidReplaceAddress,

    // Of Services, what went wrong: docs/operations.md
    /** The Address object could not be created or changed. */
    ClaimFailed,
    /** Whether the Address object was created or changed is not known. */
    ClaimUncertain,
    /** The provider failed to make the load balancer. */
    EnsureFailed,
    /** The provider will never do what is asked for. */
    EnsureRejected,
    /** The provider has no room for more. */
    ProviderQuotaExceeded,
    /** The provider is not asked, for the class has no certificate that ports of the Service need. */
    CertificateMissing,
    /** The provider answered what the contract forbids. */
    AnswerRefused,
    /** The provider cannot be asked, for an earlier call exceeded its deadline. */
    ProviderStuck,
    /** The provider failed to delete the load balancer. */
    DeleteFailed,
    /** What was made for another that had the name before cannot be deleted. */
    PredecessorNotDeleted,
    /** The status could not be written. */
    PublishFailed,
    /** An Address that it no longer needs could not be released. */
    ReleaseFailed,
    /** Finalizer, status and conditions could not be taken off it. */
    ClearFailed,
    /** Its node ports could not be released. */
    ReleaseNodePortsFailed,

    // Of Services, why they are skipped: docs/operations.md
    /** It names no class, and another controller serves such. */
    DeferredToOther,
    /** Another controller has left its marks on it. */
    ServedByOtherController,
    /** It is ours, and its class is gone, or cannot be served. */
    ClassMissing,
    /** It names a class of ours that cannot be served. */
    ClassNotAccepted,
    /** It names a class that is Berth's by its prefix, and that does not exist. */
    ClassNotFound,
    /** It names no class, and nobody serves such. */
    NoDefaultClass,

    // Of Services, in conditions that are there only while they are true: docs/operations.md
    /** It has an annotation that looks like one of Berth's, and is none. */
    UnknownAnnotation,
    /** It has an annotation of another controller that Berth does not read. */
    AnnotationOfOtherController,
    /** The AddressPool of its address was deleted. */
    PoolDeleted,
    /** An address is no longer in any AddressPool; of Addresses and AddressPools, too. */
    NotInAnyPool,
    /** Another Service has a port of the shared address. */
    PortInUse,
    /** It could share its address only on other terms. */
    TermsDiffer,
    /** Node ports that were released have been allocated again. */
    NodePortsReallocated,
    /** Another controller keeps overwriting its status; also an event, each time. */
    StatusOverwritten,
    /** It releases addresses that it never published. */
    NotNeeded,

    // Of Services, what a provider cannot do: docs/load-balancer-classes.md
    /** It cannot carry the protocol of a port. */
    ProtocolNotSupported,
    /** It cannot carry two protocols by one load balancer. */
    MixedProtocolNotSupported,
    /** It sends to node ports, and a port has none. */
    NodePortMissing,
    /** It cannot carry a family. */
    FamilyNotSupported,
    /** It does not enforce source ranges. */
    SourceRangesNotSupported,
    /** It does not enforce source ranges, and the class wants it to. */
    SourceRangesRefused,
    /** A source range is no CIDR. */
    SourceRangesUnreadable,
    /** It does not have session affinity. */
    SessionAffinityNotSupported,
    /** It sends to nodes without an endpoint, too. */
    LocalTrafficPolicyNotSupported,
    /** Ports are not served, for their protocols are mixed: Kubernetes' own word. */
    LoadBalancerMixedProtocolNotSupported,
    /** Ports are not served, for any other cause. */
    PortsNotServed,

    // Of Services, how many targets pass the health check: docs/load-balancer-classes.md
    /** All do. */
    AllTargetsHealthy,
    /** Some do. */
    SomeTargetsHealthy,
    /** None does. */
    AllTargetsUnhealthy,
    /** There is none. */
    NoTargets,
    /** The provider does not say. */
    ProviderNotResponding,

    // Of Services and Addresses, who announces an address: docs/l2.md
    /** A node does, or several by BGP. */
    Announced,
    /** Several nodes do, of which only one may. */
    MultipleNodes,
    /** A node does, and so does another machine, which is no node whose agent is heard, or a node that has it beside its agent. */
    AddressConflict,
    /** No agent has said anything of it yet. */
    NotReported,
    /** The agent that did has stopped renewing its Lease. */
    AgentNotReporting,
    /** It is an address of a Node. */
    AddressOfNode,
    /** No Service has it. */
    NoService,
    /** Its Services have no ready endpoint. */
    NoEndpoints,
    /** Its Services have no ready endpoint on the node, where traffic is local. */
    NoLocalEndpoints,
    /** There is no Node object. */
    NodeUnknown,
    /** The Node is labelled so that it does not. */
    NodeExcluded,
    /** The Node is being deleted. */
    NodeDeleted,
    /** The Node has the taint out-of-service. */
    NodeOutOfService,
    /** The Node's network is unavailable. */
    NodeNetworkUnavailable,
    /** No agent responds. */
    NoAgent,
    /** The agent begins, or ends. */
    AgentNotReady,
    /** No interface is in a subnet with it. */
    NoInterface,
    /** The node has none of the interfaces that the class names. */
    NoNamedInterface,
    /** It is the first or the last of the node's network. */
    NetworkOrBroadcastAddress,
    /** The node has it, and not from Berth. */
    AddressOnHost,
    /** The kernel of the node rejected it. */
    KernelRejected,
    /** Another node does. */
    AnotherNode,
    /** The Node is about to go, and others announce it. */
    NodeLeaving,
    /** The Node has no address of the family to be the next hop. */
    NoNextHop,
    /** No BGPPeer is for it. */
    NoPeer,
    /** No BGP session is established for its family. */
    NoSession,

    // Of Services, in events: docs/operations.md
    /** It waits for an address. */
    AllocationFailed,
    /** It could no longer share its address if it were created now. */
    SharingConflict,
    /** Its provider is called. */
    EnsuringLoadBalancer,
    /** What its provider made was published. */
    EnsuredLoadBalancer,
    /** Its load balancer has other nodes. */
    UpdatedLoadBalancer,
    /** Its load balancer could not take other targets. */
    UpdateLoadBalancerFailed,
    /** Its provider is called to delete. */
    DeletingLoadBalancer,
    /** Its provider has deleted. */
    DeletedLoadBalancer,
    /** There is no node to send to. */
    UnAvailableLoadBalancer,
    /** Its provider has something else than it answered. */
    LoadBalancerDrifted,
    /** Something else failed. */
    SyncLoadBalancerFailed,
    /** The API server drops ipMode. */
    IPModeDropped,

    // Of Services, in events about node ports: docs/load-balancer-classes.md
    /** Its node ports were released. */
    ReleasedNodePorts,

    // Of LoadBalancerClasses: docs/load-balancer-classes.md
    /** It is served. */
    Accepted,
    /** An older class has the value. */
    ValueTaken,
    /** There is no such provider. */
    UnknownProvider,
    /** Its provider has not said yet what it can do. */
    ProviderUnavailable,
    /** Its provider knows no such parameter, or cannot read its value. */
    InvalidParameters,
    /** Its provider cannot do the ipMode, or not with TLS. */
    UnsupportedIPMode,
    /** Its provider needs node ports, and it releases them. */
    NodePortsRequired,
    /** Its provider does not terminate TLS. */
    TLSNotSupported,
    /** Its Secret has a certificate that clients accept. */
    Usable,
    /** Berth may not read its Secret. */
    SecretForbidden,
    /** Its Secret does not exist. */
    SecretMissing,
    /** Its Secret is not of the type for TLS. */
    SecretTypeMismatch,
    /** Its Secret has not been read yet. */
    SecretUnknown,
    /** Its Secret has no certificate. */
    CertificateUnreadable,
    /** Its Secret has no key that can be used. */
    KeyUnreadable,
    /** The key in its Secret is another certificate's. */
    KeyMismatch,
    /** Its certificate has expired. */
    CertificateExpired,
    /** Its certificate is not valid yet. */
    CertificateNotYetValid,
    /** It serves Services that name no class, unless another controller seems to. */
    Auto,
    /** It serves Services that name no class. */
    Always,
    /** It is not the default. */
    NotTheDefault,
    /** It is not the default, and has served Services that name no class. */
    NoLongerTheDefault,
    /** Calls to its provider exceeded their deadline and have not returned. */
    DeadlineExceeded,

    // Of AddressPools: docs/address-pools.md
    /** All of its addresses can be used. */
    Valid,
    /** It takes its stranded addresses back. */
    Reclaiming,
    /** An edit left addresses in no AddressPool: an event. */
    AddressesStranded,

    // Of Addresses: docs/addresses.md
    /** It is reserved for nobody. */
    NoClaims,
    /** A person reserved it for a Service. */
    ForService,
    /** It is kept for a Service that was deleted. */
    Retained,
    /** Its Service was deleted, and it is not reused yet. */
    Released,

    // Of BGPPeers: docs/bgp.md
    /** All nodes have a session. */
    Established,
    /** No node is configured for it. */
    NoNode,
    /** A node has no session. */
    NotEstablished,
    /** A node has not applied the last edit. */
    NotApplied,
    /** The router does not take a family that it names. */
    FamilyNotNegotiated,
    /** A node cannot use what it says. */
    Unusable,
    /** The agent of a node is not heard of. */
    Unknown,

    // Of the ServiceCIDRPolicy: docs/cluster-addresses-reference.md
    /** The API server has the kinds. */
    Served,
    /** The API server does not have the kinds; of a ClusterIPReservation, too. */
    NotServed,
    /** A watch is down; of a ClusterIPReservation, too. */
    CannotWatch,
    /** A threshold is reached. */
    NearlyFull,
    /** A range gives its static band to any Service; the audit finds it, too. */
    DynamicBandFull,
    /** No address of a family is free. */
    Full,
    /** There are enough addresses. */
    Enough,
    /** A range was created. */
    RangeCreated,
    /** A range that retires has addresses in use. */
    RangeDraining,
    /** A range cannot retire yet. */
    Waiting,
    /** The address of the DNS is kept or in use; of a ClusterIPReservation, its own is kept. */
    Reserved,
    /** The address of the DNS is another's, or cannot be kept. */
    NotKept,
    /** The audit found nothing. */
    NothingFound,

    // Of the ServiceCIDRPolicy, why it does not grow: docs/cluster-addresses-grow.md
    /** A range is needed, and only proposed. */
    DryRun,
    /** The settings make no sense. */
    InvalidSettings,
    /** No ServiceCIDR has a range of the family: the API servers were started without it. */
    NoRangeOfFamily,
    /** Berth has created as many as it may. */
    MaximumReached,
    /** The supernets have no free block of that size. */
    NoSpace,
    /** The API server refuses. */
    Forbidden,
    /** Somebody deleted the range that was just created. */
    RangeDeleted,
    /** Whether the range was created is not known: there was no answer. */
    RangeCreationFailed,

    // Of the ServiceCIDRPolicy, what the audit finds: docs/operations.md
    /** No address of a family is free. */
    FamilyFull,
    /** A Service has a cluster IP that is no address, or of a family that it does not have. */
    ClusterIPNotValid,
    /** A Service has a cluster IP of no range. */
    ClusterIPOutOfRange,
    /** A Service has a cluster IP without an IPAddress. */
    ClusterIPNotAllocated,
    /** A Service has a cluster IP that is another's. */
    ClusterIPAlreadyAllocated,
    /** The API server created an IPAddress for a Service that does not exist, or for something else. */
    IPAddressNotAllocated,
    /** An IPAddress is for a Service that does not have the cluster IP. */
    IPAddressWrongReference,
    /** Somebody else created an IPAddress for nothing, or for a Service that does not exist. */
    IPAddressWithoutParent,
    /** ServiceCIDRs that share addresses are all being deleted. */
    BothTerminating,
    /** An AddressPool has addresses of a ServiceCIDR. */
    PoolInServiceCIDR,
    /** A network of the cluster has addresses of a ServiceCIDR. */
    NetworkInServiceCIDR,
    /** The API server gives no address of a range. */
    RangeNeverAllocates,
    /** A ServiceCIDR has no finalizer: nobody is its controller. */
    FinalizerMissing,
    /** Another ServiceCIDR allocates addresses of a static band to any Service. */
    BandsConflict,

    // Of ClusterIPReservations: docs/cluster-addresses-grow.md
    /** Its IPAddress was deleted, so that its Service can be created with the address. */
    HandingOver,
    /** Its Service has the address. */
    InUse,
    /** Another has the address. */
    Taken,
    /** Its address cannot be kept. */
    Refused,

    // Of ServiceCIDRs that are not gone yet: docs/operations.md
    /** It is being deleted, and addresses of it are in use: Kubernetes' own word. */
    Terminating,

    // Of ServiceCIDRs: docs/cluster-addresses-reference.md
    /** It is being deleted, after another one of the same CIDR. */
    TerminatingAfterAnother,
    /** It is being deleted, and is the last of its CIDR. */
    TerminatingLastOfItsCIDR,
    /** It was deleted, as it asked to retire: an event. */
    Retiring,
    /** It asks to retire, and cannot: an event; of the ServiceCIDRPolicy, too. */
    RetirementRefused,
    /** A step of Kubernetes' own controller, which Berth does in its place, fails: an event. */
    KubernetesServiceCIDRError;

    /** The one that is written so; absent: this version of Berth has none. */
    public static Optional<Reason> find(String word) {
        return Stream.of(values()).filter(reason -> reason.name().equals(word)).findFirst();
    }
}
