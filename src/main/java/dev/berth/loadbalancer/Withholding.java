package dev.berth.loadbalancer;

import java.util.Optional;

/** What of that which a Service publishes is given to nobody else, by its plan. Pure. */
public enum Withholding {
    /** All of it: the Service may lose it, and goes on publishing it. */
    ALL,
    /** What it does not hold: whoever wrote it, it stays published. */
    FOREIGN,
    /** What was withheld before, as long as it is published. */
    AS_BEFORE;

    /**
     * From when it is seen, before a plan is made.
     *
     * @param isOurs whether the Service has our marks, an address is claimed for it, or its provider was asked
     */
    public static Withholding onSight(boolean isOurs) {
        return isOurs ? AS_BEFORE : ALL;
    }

    /**
     * From when the plan is made.
     *
     * @param service empty: it is gone
     */
    public static Withholding before(ServicePlan plan, Optional<ServiceState> service) {
        return plan instanceof ServicePlan.TearDown
                        && service.filter(state -> !state.isMarkedOurs()).isPresent()
                ? ALL
                : AS_BEFORE;
    }

    /**
     * From when the plan is carried out.
     *
     * @param skipped as what the Service is skipped; empty: it is not
     */
    public static Withholding after(Optional<ServicePlan.Skip> skipped) {
        return skipped.isPresent() ? FOREIGN : AS_BEFORE;
    }
}
