/**
 * How durations are written, in every kind, flag, setting and parameter. Pure.
 */
@NullMarked
package dev.berth.duration;

import org.jspecify.annotations.NullMarked;
