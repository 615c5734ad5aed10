/** Providers that are plug-ins in any language, over gRPC: the contract is src/main/proto. */
@NullMarked
package dev.berth.plugin.grpc;

import org.jspecify.annotations.NullMarked;
