package dev.berth.loadbalancer;

import dev.berth.provider.LoadBalancerRequest.Endpoint;

/**
 * An endpoint of a Service for one of its ports, as an EndpointSlice shows it.
 *
 * @param ready whether it takes packets; not while it ends, unless the Service publishes those that are not ready
 * @param serving whether it would take packets, were it not ending
 * @param terminating whether it ends
 */
public record EndpointState(Endpoint endpoint, boolean ready, boolean serving, boolean terminating) {}
