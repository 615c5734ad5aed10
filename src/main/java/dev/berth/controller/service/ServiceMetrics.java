package dev.berth.controller.service;

import dev.berth.plan.ServicePlan.LeaveAlone.Reason;

/** What is counted while Services are reconciled. */
public interface ServiceMetrics {
    /** The API server dropped {@code ipMode}, or keeps it again. */
    void ipModeDropped(boolean dropped);

    /** Another wrote the load balancer status of a Service of ours. */
    void statusOverwritten();

    /** A Service got all or some of its addresses. */
    void assigned();

    /** So many Services that want a load balancer are left alone for this reason. */
    void leftAlone(Reason reason, int services);

    /** A Service could not be brought to where it shall be. */
    void failed();
}
