package dev.berth.loadbalancer;

import dev.berth.claim.AddressConstraints;
import dev.berth.loadbalancer.Facts.Done;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What to do next for a Service that is not served: it leaves the queue, and its conditions say why, or go. Pure: whoever
 * does it asks again with what came of it.
 */
public final class Refraining {
    private Refraining() {}

    /** Of one that is left alone. */
    public static RefrainingEffect next(ServicePlan.Skip skip, Situation situation, Facts facts) {
        return next(skip, Optional.of(skip.service()), situation, Optional.empty(), facts);
    }

    /**
     * Of one that is none of our business.
     *
     * @param service empty: it is gone
     */
    public static RefrainingEffect next(
            ServicePlan.NotOurs none, Optional<ServiceState> service, Situation situation, Facts facts) {
        return next(none, service, situation, none.again(), facts);
    }

    /**
     * Decides.
     *
     * @param again when to look again if nothing happens; absent: not at all
     */
    static RefrainingEffect next(
            ServicePlan plan,
            Optional<ServiceState> service,
            Situation situation,
            Optional<Duration> again,
            Facts facts) {
        if (facts.planAgain().isPresent()) {
            return facts.planAgain().get();
        }
        if (!facts.did(Done.QUEUE_LEFT)) {
            return new RefrainingEffect.StopWaiting();
        }
        if (plan instanceof ServicePlan.Skip skip && !facts.did(Done.REPORTED)) {
            return new RefrainingEffect.Report(skip);
        }
        if (facts.trouble().isPresent()) {
            return new Ending.Fail(facts.trouble().get(), false, facts.again());
        }
        return service.filter(state -> !facts.did(Done.STATUS_WRITTEN))
                .flatMap(state -> publish(plan, state, situation))
                .orElseGet(() -> Ending.after(again));
    }

    private static Optional<RefrainingEffect> publish(ServicePlan plan, ServiceState service, Situation situation) {
        for (Step step : plan.steps()) {
            if (step instanceof Step.Explain(String reason, String message)) {
                return publish(
                        service,
                        ServiceConditions.whyItIsLeft(service, AddressConstraints.NONE, situation, reason, message),
                        "reporting why it is skipped",
                        situation);
            }
        }
        return plan.steps().contains(new Step.RemoveConditions())
                ? publish(service, new Publication(false, null, List.of()), "taking the conditions back", situation)
                : Optional.empty();
    }

    private static Optional<RefrainingEffect> publish(
            ServiceState service, Publication wanted, String doing, Situation situation) {
        return wanted.differenceFrom(service)
                .map(patch -> situation
                        .waits()
                        .delay(patch.timeless())
                        .<RefrainingEffect>map(Ending.Wait::new)
                        .orElseGet(() -> new RefrainingEffect.Publish(service, wanted, doing)));
    }
}
