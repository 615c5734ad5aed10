package dev.berth.controller.clusterip;

import dev.berth.clusterip.Finding;
import dev.berth.clusterip.Forecast;
import dev.berth.clusterip.Usage;
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
