/** The words by which conditions and events say why. */
@NullMarked
package dev.berth.reason;

import org.jspecify.annotations.NullMarked;
