package dev.berth.api.v1alpha1;

/** The names that all kinds, labels, annotations, finalizers and conditions of Berth begin with. */
public final class Berth {
    public static final String GROUP = "berth.dev";
    public static final String VERSION = "v1alpha1";

    /** The {@code controllerName} of a LoadBalancerClass that this installation serves by default. */
    public static final String CONTROLLER_NAME = GROUP + "/controller";

    /** The only finalizer that Berth puts on a Service. */
    public static final String FINALIZER = GROUP + "/load-balancer-cleanup";

    private Berth() {}
}
