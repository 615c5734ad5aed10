/** The other end of the wire: any provider, served over gRPC. */
@NullMarked
package dev.berth.plugin.grpc.host;

import org.jspecify.annotations.NullMarked;
