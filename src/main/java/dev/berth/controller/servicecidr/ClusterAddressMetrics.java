package dev.berth.controller.servicecidr;

import dev.berth.servicecidr.Finding;
import dev.berth.servicecidr.Forecast;
import dev.berth.servicecidr.Usage;
import java.util.List;

/** What is counted of the cluster's own addresses. */
public interface ClusterAddressMetrics {
    /** How full the ranges are, and when they will be. */
    void used(Usage usage, Forecast forecast);

    /** Nobody counts any more. */
    void forget();

    /** What is wrong. */
    void found(List<Finding> findings);
}
