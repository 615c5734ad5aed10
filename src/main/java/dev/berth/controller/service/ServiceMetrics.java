package dev.berth.controller.service;

import dev.berth.claim.ServiceKey;
import dev.berth.reason.Reason;
import java.util.Optional;

/** What is counted while Services are reconciled. */
public interface ServiceMetrics {
    /** The API server dropped {@code ipMode}, or keeps it again. */
    void ipModeDropped(boolean dropped);

    /** Another wrote the load balancer status of a Service of ours. */
    void statusOverwritten();

    /** A Service got all or some of its addresses. */
    void assigned();

    /** So many Services that want a load balancer are skipped for this reason. */
    void skipped(Reason reason, int services);

    /** A provider has so many load balancers of Services that are gone. */
    void orphaned(String provider, int loadBalancers);

    /** So many calls to the provider of a LoadBalancerClass exceeded their deadline and have not returned. */
    void stuckCalls(String className, int calls);

    /** A Service waits for an address for this reason, one of a few dozen words; empty: it does not wait. */
    void waits(ServiceKey service, Optional<String> reason);

    /** A Service could not be brought to where it should be. */
    void failed();
}
