/** The loops that look after the cluster's own Service addresses: ServiceCIDRs, IPAddresses, and the policy for them. */
@NullMarked
package dev.berth.controller.servicecidr;

import org.jspecify.annotations.NullMarked;
