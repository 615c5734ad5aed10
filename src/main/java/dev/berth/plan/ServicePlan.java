package dev.berth.plan;

import java.util.List;

/** What is to be done for a Service. */
public sealed interface ServicePlan {
    /** The steps, in order; empty: nothing. */
    List<Step> steps();

    /** It is ours to serve. */
    record Serve(ServiceState service, ServedClass servedClass, List<Step> steps) implements ServicePlan {
        public Serve {
            steps = List.copyOf(steps);
        }
    }

    /**
     * It was ours and is no longer.
     *
     * @param why for the log: deleted, no longer type LoadBalancer, class changed
     */
    record TearDown(String why, List<Step> steps) implements ServicePlan {
        public TearDown {
            steps = List.copyOf(steps);
        }
    }

    /**
     * It wants a load balancer, and is left alone.
     *
     * @param reason one PascalCase word
     * @param message for people: what was seen, and what to set
     */
    record LeaveAlone(ServiceState service, String reason, String message, List<Step> steps) implements ServicePlan {
        public LeaveAlone {
            steps = List.copyOf(steps);
        }
    }

    /** It is none of our business; a condition from when it was goes. */
    record NotOurs(List<Step> steps) implements ServicePlan {
        public NotOurs {
            steps = List.copyOf(steps);
        }
    }
}
