/** The packaged operator against real API servers. */
@NullMarked
package dev.berth.it;

import org.jspecify.annotations.NullMarked;
