package dev.berth.api.v1alpha1;

/** The names that all kinds of Berth share. */
public final class Berth {
    public static final String GROUP = "berth.dev";
    public static final String VERSION = "v1alpha1";

    /** The {@code controllerName} of a LoadBalancerClass that this installation serves by default. */
    public static final String CONTROLLER_NAME = GROUP + "/controller";

    private Berth() {}
}
