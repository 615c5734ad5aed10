package dev.berth.provider;

/**
 * A load balancer that a provider has.
 *
 * @param name by {@link LoadBalancerProvider#getLoadBalancerName}
 * @param service that it was made for, with its uid
 */
public record ListedLoadBalancer(String name, ServiceIdentity service) {}
