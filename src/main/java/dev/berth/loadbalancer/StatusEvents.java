package dev.berth.loadbalancer;

import dev.berth.reason.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Which events report what was written to the status of a Service. Pure. */
public final class StatusEvents {
    /** The conditions that an event reports when they come, or say something else. */
    private static final List<String> REPORTED = List.of(
            WellKnownNames.UNSUPPORTED,
            WellKnownNames.NODE_PORTS_CONFLICT,
            WellKnownNames.ANNOTATIONS_IGNORED,
            WellKnownNames.ADDRESS_STRANDED);

    private StatusEvents() {}

    /**
     * The events, in order; empty: nothing that somebody would want to read of.
     *
     * @param written what differed before
     * @param answer the Service as it is now: the API server may have dropped the mode, or put one there
     * @param called its load balancer in a sentence, by {@link NamedLoadBalancer#called}
     */
    public static List<ServiceEvent> of(Publication.Difference written, ServiceState answer, String called) {
        List<ServiceEvent> events = new ArrayList<>();
        if (written.ingress() != null && !answer.ingress().isEmpty()) {
            events.add(ServiceEvent.normal(
                    Reason.EnsuredLoadBalancer,
                    "Ensured " + called + ": "
                            + answer.ingress().stream().map(Published::toString).collect(Collectors.joining(", "))));
        }
        for (Condition condition : written.conditions()) {
            if (isReported(condition)) {
                // No event of what another version of Berth said, in a word that this one does not know.
                Reason.find(condition.reason())
                        .ifPresent(reason -> events.add(ServiceEvent.warning(reason, condition.message())));
            }
        }
        return events;
    }

    private static boolean isReported(Condition condition) {
        return REPORTED.contains(condition.type())
                || (condition.type().equals(WellKnownNames.TARGETS_HEALTHY)
                        && condition.status() == Condition.Status.FALSE);
    }
}
