@NullMarked
package dev.berth.dataplane.l2;

import org.jspecify.annotations.NullMarked;
