package dev.berth.loadbalancer;

import dev.berth.reason.Reason;

/**
 * What an event on a Service says.
 *
 * @param message human-readable
 */
public record ServiceEvent(Type type, Reason reason, String message) {
    /** Whether somebody has to look. */
    public enum Type {
        NORMAL,
        WARNING
    }

    /** Something went wrong, and the Service is tried again; in the words of a cloud's own controller. */
    public static ServiceEvent notSynced(String what) {
        return warning(Reason.SyncLoadBalancerFailed, "Error syncing load balancer: " + what);
    }

    static ServiceEvent normal(Reason reason, String message) {
        return new ServiceEvent(Type.NORMAL, reason, message);
    }

    static ServiceEvent warning(Reason reason, String message) {
        return new ServiceEvent(Type.WARNING, reason, message);
    }
}
