package dev.berth.provider;

import java.util.Optional;

/**
 * Makes addresses carry traffic. An implementation is called by several threads, never by two for one
 * Service at a time.
 *
 * <p>A call that fails throws {@link ProviderException}; any other exception is taken for a bug of the
 * provider, reported as such, and tried again. Berth retries, times, counts and guards the calls: a
 * provider does not.
 */
public interface LoadBalancerProvider {
    /** What this provider does and can do; constant for the life of the process. */
    Capabilities capabilities();

    /**
     * The name of the Service's load balancer in the provider's world. Pure, and the same for the life
     * of the Service.
     */
    String getLoadBalancerName(ServiceIdentity service);

    /**
     * What exists for the Service. Read-only.
     *
     * @return absent if nothing does
     */
    Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request);

    /**
     * Creates the load balancer, or makes it what {@code request} says. Idempotent: the same request
     * again has the same outcome.
     */
    EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request);

    /** Takes over a change of the nodes or endpoints alone; the load balancer exists. Idempotent. */
    void updateLoadBalancer(LoadBalancerRequest request);

    /**
     * Deletes the load balancer and all that belongs to it. Idempotent: deleting what is not there
     * succeeds. When it returns, nothing of it carries traffic.
     */
    void ensureLoadBalancerDeleted(LoadBalancerRequest request);
}
