/** Tests of what several hosts with a HAProxy tell each other, and of what comes of it. */
@NullMarked
package dev.berth.dataplane.haproxy.peers;

import org.jspecify.annotations.NullMarked;
