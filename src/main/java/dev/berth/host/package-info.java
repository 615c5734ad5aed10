/** The kernel of the host, as far as addresses and neighbours go: by sockets of the C library, without any program. */
@NullMarked
package dev.berth.host;

import org.jspecify.annotations.NullMarked;
