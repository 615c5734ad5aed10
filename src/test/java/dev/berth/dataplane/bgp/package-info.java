@NullMarked
package dev.berth.dataplane.bgp;

import org.jspecify.annotations.NullMarked;
