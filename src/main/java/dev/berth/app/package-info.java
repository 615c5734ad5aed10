/** Wiring and configuration: the entry point, and who is given what. */
@org.jspecify.annotations.NullMarked
package dev.berth.app;
