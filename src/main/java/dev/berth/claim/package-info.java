/**
 * Who holds which address, who waits, and why. Pure: no Kubernetes, no clock and no randomness.
 */
@NullMarked
package dev.berth.claim;

import org.jspecify.annotations.NullMarked;
