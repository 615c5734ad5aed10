/**
 * The process on a node that announces addresses: it watches the cluster, knows which other agents live, and has the kernel
 * answer for what {@link dev.berth.announce} decides.
 */
@NullMarked
package dev.berth.agent;

import org.jspecify.annotations.NullMarked;
