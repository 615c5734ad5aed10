/** Metrics, as decorators around what does the work. */
@NullMarked
package dev.berth.telemetry;

import org.jspecify.annotations.NullMarked;
