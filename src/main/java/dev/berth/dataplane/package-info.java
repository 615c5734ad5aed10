/** Data planes that come with Berth: one package each, and none knows another. */
@NullMarked
package dev.berth.dataplane;

import org.jspecify.annotations.NullMarked;
