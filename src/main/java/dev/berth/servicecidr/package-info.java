/**
 * The cluster's own addresses: ServiceCIDRs and IPAddresses by the rules of the API server and of
 * kube-controller-manager. Pure: no Kubernetes, no clock and no randomness.
 */
@NullMarked
package dev.berth.servicecidr;

import org.jspecify.annotations.NullMarked;
