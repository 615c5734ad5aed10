package dev.berth.loadbalancer;

/** The next thing to do for a Service that is not served, complete. */
public sealed interface SkippingEffect extends TakeOverEffect
        permits SkippingEffect.StopWaiting, SkippingEffect.Report, SkippingEffect.Publish, TerminalEffect {
    /** It waits for no address: it leaves the queue. */
    record StopWaiting() implements SkippingEffect {}

    /** Say in an event why it is skipped. */
    record Report(ServicePlan.Skip why) implements SkippingEffect {}

    /**
     * Write what the conditions have to say.
     *
     * @param doing what this is for, human-readable
     */
    record Publish(ServiceState service, Publication.Difference patch, String doing) implements SkippingEffect {}
}
