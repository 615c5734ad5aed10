/** The control loop of LoadBalancerClasses: which are served, and which is the default. */
@NullMarked
package dev.berth.controller.loadbalancerclass;

import org.jspecify.annotations.NullMarked;
