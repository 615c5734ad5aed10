package dev.berth.bench;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * One measurement.
 *
 * @param services how many were served
 * @param firstSeconds from the start of the process to the first Service served
 * @param lastSeconds from the start of the process to the last one
 * @param writes what the API server answered in that time
 * @param reconciliations how often the controller looked at a Service; NaN if it does not say
 */
record Round(
        int services,
        double firstSeconds,
        double lastSeconds,
        ProcessUse use,
        ApiWrites writes,
        double reconciliations) {
    /** From the first to the last: without the start of the process. */
    double perSecond() {
        return (services - 1) / (lastSeconds - firstSeconds);
    }

    double perSecondFromStart() {
        return services / lastSeconds;
    }

    static double median(List<Round> rounds, ToDoubleFunction<Round> what) {
        double[] sorted = rounds.stream().mapToDouble(what).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
