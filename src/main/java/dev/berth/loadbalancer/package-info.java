/**
 * What is to be done for a Service: a {@link dev.berth.loadbalancer.ServiceSnapshot} goes in, a {@link
 * dev.berth.loadbalancer.ServicePlan} comes out. Pure.
 */
@NullMarked
package dev.berth.loadbalancer;

import org.jspecify.annotations.NullMarked;
