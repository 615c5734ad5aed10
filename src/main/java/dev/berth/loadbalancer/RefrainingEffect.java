package dev.berth.loadbalancer;

/** The next thing to do for a Service that is not served, complete. */
public sealed interface RefrainingEffect extends TakeOverEffect
        permits RefrainingEffect.StopWaiting, RefrainingEffect.Report, RefrainingEffect.Publish, Ending {
    /** It waits for no address: it leaves the queue. */
    record StopWaiting() implements RefrainingEffect {}

    /** Say in an event why it is left alone. */
    record Report(ServicePlan.Skip why) implements RefrainingEffect {}

    /**
     * Write what the conditions have to say.
     *
     * @param doing what this is for, human-readable
     */
    record Publish(ServiceState service, Publication wanted, String doing) implements RefrainingEffect {}
}
