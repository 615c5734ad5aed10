package dev.berth.loadbalancer;

import dev.berth.claim.AddressConstraints;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.reason.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What to do next for a Service that is not served: it leaves the queue, and its conditions say why, or go. Pure: whoever
 * does it asks again with what came of it.
 */
public final class Skipping {
    private Skipping() {}

    /**
     * As what the Service is skipped, by its plan and what came of it.
     *
     * @return absent: it is not; one that is to be taken over may come to it
     */
    public static Optional<ServicePlan.Skip> skipped(ServicePlan plan, Facts facts) {
        return switch (plan) {
            case ServicePlan.Skip skip -> Optional.of(skip);
            case ServicePlan.Adopt adopt -> TakingOver.skipped(adopt, facts);
            case ServicePlan.Serve serve -> Optional.empty();
            case ServicePlan.TearDown down -> Optional.empty();
            case ServicePlan.NotOurs none -> Optional.empty();
        };
    }

    /** Of one that is skipped. */
    public static SkippingEffect next(ServicePlan.Skip skip, ObservedState situation, Facts facts) {
        return next(skip, Optional.of(skip.service()), situation, Optional.empty(), facts);
    }

    /**
     * Of one that is not for Berth.
     *
     * @param service empty: it is gone
     */
    public static SkippingEffect next(
            ServicePlan.NotOurs none, Optional<ServiceState> service, ObservedState situation, Facts facts) {
        return next(none, service, situation, none.again(), facts);
    }

    /**
     * What to do next for a Service that is skipped.
     *
     * @param again when to look again if nothing happens; absent: not at all
     */
    static SkippingEffect next(
            ServicePlan plan,
            Optional<ServiceState> service,
            ObservedState situation,
            Optional<Duration> again,
            Facts facts) {
        if (facts.planAgain().isPresent()) {
            return facts.planAgain().get();
        }
        if (!facts.did(Done.QUEUE_LEFT)) {
            return new SkippingEffect.StopWaiting();
        }
        if (plan instanceof ServicePlan.Skip skip && !facts.did(Done.REPORTED)) {
            return new SkippingEffect.Report(skip);
        }
        if (facts.trouble().isPresent()) {
            return new TerminalEffect.Fail(facts.trouble().get(), false, facts.again());
        }
        return service.filter(state -> !facts.did(Done.STATUS_WRITTEN))
                .flatMap(state -> publish(plan, state, situation))
                .orElseGet(() -> TerminalEffect.after(again));
    }

    private static Optional<SkippingEffect> publish(ServicePlan plan, ServiceState service, ObservedState situation) {
        for (Step step : plan.steps()) {
            if (step instanceof Step.Explain(Reason reason, String message, List<Published> ingress)) {
                return publish(
                        service,
                        ServiceConditions.whyItIsLeft(service, AddressConstraints.NONE, situation, reason, message)
                                .publishing(ingress),
                        "reporting why it is skipped",
                        situation);
            }
        }
        return plan.steps().contains(new Step.RemoveConditions())
                ? publish(service, new Publication(false, null, List.of()), "taking the conditions back", situation)
                : Optional.empty();
    }

    private static Optional<SkippingEffect> publish(
            ServiceState service, Publication wanted, String doing, ObservedState situation) {
        return wanted.differenceFrom(service)
                .map(patch -> situation
                        .waits()
                        .delay(patch::timeless)
                        .<SkippingEffect>map(TerminalEffect.Wait::new)
                        .orElseGet(() -> new SkippingEffect.Publish(service, patch, doing)));
    }
}
