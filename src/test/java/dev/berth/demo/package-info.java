/** {@code make demo} and {@code make run}: Berth at work on a real API server, to watch. */
@NullMarked
package dev.berth.demo;

import org.jspecify.annotations.NullMarked;
