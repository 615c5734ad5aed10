package dev.berth.controller.clusterip;

import dev.berth.clusterip.Finding;
import dev.berth.clusterip.Usage;
import java.util.List;

/** What is counted of the cluster's own addresses. */
public interface ClusterAddressMetrics {
    /** How full the ranges are. */
    void used(Usage usage);

    /** What is wrong. */
    void found(List<Finding> findings);
}
