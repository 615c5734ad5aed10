/** How Berth and a plug-in reach each other: a Unix socket, or TLS by which each proves who it is. */
@NullMarked
package dev.berth.plugin.grpc.transport;

import org.jspecify.annotations.NullMarked;
