package dev.berth.plugin.grpc.wire;

import java.util.List;
import java.util.Optional;

/** Which forms of the contract are spoken here, and its bounds. */
public final class Contract {
    /** The newest last. */
    public static final List<Integer> VERSIONS = List.of(1);

    /** Of one message, in bytes. */
    public static final int LARGEST_MESSAGE = 4 << 20;

    /** For the log of the other side. */
    public static final String BERTH_VERSION = Optional.ofNullable(
                    Contract.class.getPackage().getImplementationVersion())
            .orElse("unknown");

    private Contract() {}
}
