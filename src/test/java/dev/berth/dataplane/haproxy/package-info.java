@NullMarked
package dev.berth.dataplane.haproxy;

import org.jspecify.annotations.NullMarked;
