package dev.berth.loadbalancer;

import dev.berth.claim.Claim;
import dev.berth.pool.Refusal;
import dev.berth.reason.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What to do next for a Service that another controller gave its addresses: all that it publishes is held for it and
 * joined, then it is planned again as our own; or nothing is, and it is skipped. Pure: whoever does it asks again with
 * what came of it.
 */
public final class TakingOver {
    /** When one that shares the address of another looks whether that one has claimed it. */
    private static final Duration SHARED_SOON = Duration.ofSeconds(1);

    /** When one that cannot be taken over is looked at again: a quota, or a label of its namespace, comes without event. */
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

    private TakingOver() {}

    /** What to do next for a Service that is taken over. */
    public static TakeOverEffect next(ServicePlan.Adopt adopt, ObservedState situation, Facts facts) {
        if (facts.planAgain().isPresent()) {
            return facts.planAgain().get();
        }
        if (facts.refusals().filter(Adoption::isSharedSoon).isPresent()) {
            return new TerminalEffect.Wait(SHARED_SOON);
        }
        Optional<ServicePlan.Skip> skip = skipped(adopt, facts);
        if (skip.isPresent()) {
            return Skipping.next(skip.get(), Optional.of(adopt.service()), situation, Optional.of(LOOK_AGAIN), facts);
        }
        return facts.held()
                .map(shared -> join(adopt, shared, facts))
                .orElseGet(() -> situation
                        .waits()
                        .delay(() -> new Attempt.TakeOver(adopt.request()))
                        .<TakeOverEffect>map(TerminalEffect.Wait::new)
                        .orElseGet(() -> new TakeOverEffect.Hold(adopt.request())));
    }

    /** As what it is skipped where it cannot be taken over; absent: it can, or that is not known. */
    static Optional<ServicePlan.Skip> skipped(ServicePlan.Adopt adopt, Facts facts) {
        return facts.refusals()
                .filter(refusals -> !Adoption.isSharedSoon(refusals))
                .map(refusals -> skip(adopt, refusals));
    }

    private static ServicePlan.Skip skip(ServicePlan.Adopt adopt, List<Refusal> refusals) {
        return new ServicePlan.Skip(
                adopt.service(),
                Reason.ServedByOtherController,
                adopt.className(),
                Adoption.refused(adopt.request(), refusals).message(),
                adopt.steps());
    }

    private static TakeOverEffect join(ServicePlan.Adopt adopt, List<Claim> shared, Facts facts) {
        if (facts.steps() < shared.size()) {
            Claim next = shared.get(facts.steps());
            return new TakeOverEffect.Join(facts.steps(), next, adopt.request().joining(next), adopt.request());
        }
        return facts.trouble()
                .<TakeOverEffect>map(what -> new TerminalEffect.Fail(what, false, facts.again()))
                .orElseGet(() -> new TerminalEffect.PlanAgain(false));
    }
}
