/**
 * What is to be done for a Service: a {@link dev.berth.plan.ServiceSnapshot} goes in, a {@link
 * dev.berth.plan.ServicePlan} comes out. Pure.
 */
@NullMarked
package dev.berth.plan;

import org.jspecify.annotations.NullMarked;
