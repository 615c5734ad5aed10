/**
 * External addresses: pools, ranges, who holds what, who waits, and why. Pure: no Kubernetes, no
 * clock and no randomness.
 */
@NullMarked
package dev.berth.address;

import org.jspecify.annotations.NullMarked;
