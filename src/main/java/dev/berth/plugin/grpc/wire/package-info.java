/** The SPI in the words of src/main/proto, both ways. What the other side sent is read with care. */
@NullMarked
package dev.berth.plugin.grpc.wire;

import org.jspecify.annotations.NullMarked;
