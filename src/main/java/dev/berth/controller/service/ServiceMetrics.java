package dev.berth.controller.service;

/** What is counted while Services are reconciled. */
public interface ServiceMetrics {
    /** The API server dropped {@code ipMode}, or keeps it again. */
    void ipModeDropped(boolean dropped);

    /** Another wrote the load balancer status of a Service of ours. */
    void statusOverwritten();

    /** A Service got all or some of its addresses. */
    void assigned();

    /** A Service could not be brought to where it shall be. */
    void failed();
}
