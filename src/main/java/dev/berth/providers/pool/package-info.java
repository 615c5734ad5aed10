/** The provider {@code pool}: the address only; something else carries the traffic. */
@NullMarked
package dev.berth.providers.pool;

import org.jspecify.annotations.NullMarked;
