/** The provider {@code pool}: the address only; something else carries the traffic. */
@NullMarked
package dev.berth.dataplane.pool;

import org.jspecify.annotations.NullMarked;
