/**
 * Pools of external addresses: what they have, whom they serve, and why not. Pure: no Kubernetes, no
 * clock and no randomness.
 */
@NullMarked
package dev.berth.pool;

import org.jspecify.annotations.NullMarked;
