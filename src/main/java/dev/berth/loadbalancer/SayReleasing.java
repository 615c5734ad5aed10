package dev.berth.loadbalancer;

/**
 * Write the Service before it releases addresses, where nothing had to be written: another operator may have seen that
 * it wants one, and be about to publish it. That patch fails by this write, or was first.
 *
 * @param service as it is known by now
 * @param trouble what there is to say if it cannot be written
 */
public record SayReleasing(ServiceState service, Publication.Difference patch, ServiceFailure trouble)
        implements ServingEffect, TearDownEffect {}
