package dev.berth.loadbalancer;

import java.util.List;
import java.util.Locale;

/** What controllers leave on a Service, and how to tell ours from others'. */
public final class WellKnownNames {
    /** The only finalizer that Berth puts on a Service. */
    public static final String FINALIZER = "berth.dev/load-balancer-cleanup";

    /**
     * Whether the Service has the addresses that it asks for. With our finalizer beside it, it says that
     * Berth has served the Service, whatever became of the Address.
     */
    public static final String ADDRESS_ASSIGNED = "berth.dev/AddressAssigned";

    /** Whether the provider made the addresses carry traffic; absent where there is nothing to say. */
    public static final String PROGRAMMED = "berth.dev/Programmed";

    /**
     * Whether a node announces its addresses, by ARP, NDP or BGP; absent where its provider has none announced by Berth's agents.
     */
    public static final String ANNOUNCED = "berth.dev/Announced";

    /** True while somebody else keeps writing this Service's load balancer status; else absent. */
    public static final String STATUS_CONFLICT = "berth.dev/StatusConflict";

    /** True while it cannot share its address as it asks to; else absent. */
    public static final String SHARING_CONFLICT = "berth.dev/SharingConflict";

    /** True while it asks for something that the provider of its class cannot do; else absent. */
    public static final String UNSUPPORTED = "berth.dev/Unsupported";

    /**
     * Whether at least one target of its load balancer passes the health check; absent where its provider does not say.
     */
    public static final String TARGETS_HEALTHY = "berth.dev/TargetsHealthy";

    /** True while node ports that were given back are there again; else absent. */
    public static final String NODE_PORTS_CONFLICT = "berth.dev/NodePortsConflict";

    /** True while it has annotations that look as if they asked Berth for something, and are not read; else absent. */
    public static final String ANNOTATIONS_IGNORED = "berth.dev/AnnotationsIgnored";

    /** True while it has an address that no pool has any more; else absent. */
    public static final String ADDRESS_STRANDED = "berth.dev/AddressStranded";

    /**
     * True while addresses that it never published are given back; else absent. Its writing is what counts: an
     * operator that is about to publish one of them looks again.
     */
    public static final String RELEASING = "berth.dev/Releasing";

    /**
     * Kubernetes' own condition: true while a port is not served. Not among {@link #CONDITIONS}, for it does not
     * tell whose the Service is.
     *
     * @see <a href="https://pkg.go.dev/k8s.io/api/core/v1#LoadBalancerPortsError">LoadBalancerPortsError</a>
     */
    public static final String PORTS_ERROR = "LoadBalancerPortsError";

    /** On a Service: the addresses that it wants, and no others. */
    public static final String ADDRESSES = "berth.dev/addresses";

    /** On a Service: the AddressPools that it wants an address of. */
    public static final String ADDRESS_POOL = "berth.dev/address-pool";

    /** On an Address, a label: the pool that it came from, or lies in. */
    public static final String POOL_LABEL = "berth.dev/pool";

    /** On an Address, a label: the namespace of the Services that it is for. */
    public static final String NAMESPACE_LABEL = "berth.dev/namespace";

    /** On an Address, a label: the class that it was claimed for, with {@code _} for the slash. */
    public static final String CLASS_LABEL = "berth.dev/class";

    /** On a Service: it shares its address with those of its namespace that say the same. */
    public static final String SHARING_KEY = "berth.dev/sharing-key";

    /** On a Service: whether its address is kept for its return. */
    public static final String RETAIN = "berth.dev/retain";

    /** On a Service: the addresses that it gives up for others of the pools that it asks for. */
    public static final String REPLACE_ADDRESS = "berth.dev/replace-address";

    /** On an AddressPool: with its generation, addresses that it lost by edits are taken back, once. */
    public static final String RELEASE_STRANDED = "berth.dev/release-stranded";

    /**
     * On a Service, beside our finalizer: the class value by which it is served, where no Address says so, or where
     * a provider has to be told when that is over. {@code spec.loadBalancerClass} goes when the type changes, and the
     * class itself may be gone.
     */
    public static final String SERVED_BY_CLASS = "berth.dev/served-by-class";

    /** On a Service: the ports whose node ports were given back, as {@link NodePortRules#ports} says them. */
    public static final String NODE_PORTS_RELEASED = "berth.dev/node-ports-released";

    /** What a message ends with that is about annotations. */
    static final String ANNOTATIONS_PAGE = " (see docs/annotations.md)";

    /** The conditions on Services that are Berth's to write and to remove. */
    public static final List<String> CONDITIONS = List.of(
            ADDRESS_ASSIGNED,
            PROGRAMMED,
            ANNOUNCED,
            TARGETS_HEALTHY,
            STATUS_CONFLICT,
            SHARING_CONFLICT,
            UNSUPPORTED,
            NODE_PORTS_CONFLICT,
            ANNOTATIONS_IGNORED,
            ADDRESS_STRANDED,
            RELEASING);

    private static final List<String> OTHER_CONTROLLERS = List.of("service.k8s.aws/resources");

    private WellKnownNames() {}

    /**
     * Whether a finalizer says that another controller serves the Service as a load balancer. Finalizers
     * of garbage collection, of GitOps tools and the like do not.
     */
    static boolean isForeignLoadBalancer(String finalizer) {
        String text = finalizer.toLowerCase(Locale.ROOT);
        return !finalizer.equals(FINALIZER)
                && (text.contains("load-balancer")
                        || text.contains("loadbalancer")
                        || OTHER_CONTROLLERS.contains(finalizer));
    }
}
