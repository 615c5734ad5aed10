package dev.berth.provider;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Makes addresses carry traffic. An implementation is called by several threads, never by two for one
 * Service at a time.
 *
 * <p>A call that fails throws {@link ProviderException}; any other exception is taken for a bug of the
 * provider, reported as such, and tried again. Berth retries, times, counts and guards the calls: a
 * provider does not.
 */
public interface LoadBalancerProvider extends AutoCloseable {
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

    /**
     * Takes over a change of {@link LoadBalancerRequest#nodes} and {@link LoadBalancerRequest#endpoints} alone; the load
     * balancer exists, and its status does not change by it. Idempotent.
     */
    void updateLoadBalancer(LoadBalancerRequest request);

    /**
     * Deletes the load balancer and all that belongs to it. Idempotent: deleting what is not there
     * succeeds. When it returns, nothing of it carries traffic. Only {@code clusterName}, {@code service},
     * {@code fencingToken} and {@code parameters} are sure to be there: the Service may be gone.
     */
    void ensureLoadBalancerDeleted(LoadBalancerRequest request);

    /**
     * All that the provider has for one cluster, also for Services that are gone. Read-only. Called only if
     * {@link Capabilities.Feature#LISTING} is among the capabilities.
     *
     * @throws UnsupportedOperationException by a provider without that capability, which need not have this method
     */
    default List<ListedLoadBalancer> listLoadBalancers(String clusterName) {
        throw new UnsupportedOperationException("it does not list what it has");
    }

    /**
     * Has {@code listener} notified of each Service whose load balancer is no longer what this provider answered, though Berth
     * did not ask for that: somebody changed or deleted it. Berth then looks at it by {@link #getLoadBalancer} at once, and
     * not only when it next compares all of them. How many of its targets are healthy is no such change.
     *
     * <p>Called once at most; other calls may be under way. The listener may be called by any thread until {@link #close},
     * returns at once and throws nothing. A Service that is reported again and again is looked at every 5 seconds at most,
     * and one that this provider was not asked to serve is ignored. A provider that notices no changes need not have this
     * method.
     */
    default void onChange(Consumer<ServiceIdentity> listener) {}

    /**
     * Releases what the provider holds in this process, such as connections and threads. What it made stays, and carries
     * traffic. Called once, when the process ends, after the last other call; it has five seconds.
     */
    @Override
    default void close() {}
}
