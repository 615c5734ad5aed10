/** A cluster in memory: what its API server stores, and what goes wrong on the way there. */
@org.jspecify.annotations.NullMarked
package dev.berth.testing.cluster;
