/** The other end of the wire: any provider, served over gRPC. */
@NullMarked
package dev.berth.providers.grpc.host;

import org.jspecify.annotations.NullMarked;
