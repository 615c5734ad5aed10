/** The commands that people call by hand: what each prints, and how it reaches the cluster. */
@org.jspecify.annotations.NullMarked
package dev.berth.cli;
