package dev.berth.agent.bgp;

import dev.berth.agent.bgp.v1.GoBgpServiceGrpc;
import dev.berth.agent.bgp.v1.GoBgpServiceGrpc.GoBgpServiceBlockingStub;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Calls to gobgpd: one that it refuses is something else than one that it does not answer. */
record Daemon(ManagedChannel channel) {
    /** Seconds. It is on the same machine. */
    private static final int PATIENCE = 5;

    /** What a call ends with that nobody has refused. */
    private static final List<Status.Code> AWAY =
            List.of(Status.Code.UNAVAILABLE, Status.Code.DEADLINE_EXCEEDED, Status.Code.CANCELLED);

    GoBgpServiceBlockingStub call() {
        return GoBgpServiceGrpc.newBlockingStub(channel).withDeadlineAfter(PATIENCE, TimeUnit.SECONDS);
    }

    /** Why it refuses a call, which keeps no other from being made; absent: it does not. */
    static Optional<String> refusal(Runnable call) {
        try {
            call.run();
            return Optional.empty();
        } catch (StatusRuntimeException failure) {
            if (isAway(failure)) {
                throw failure;
            }
            return Optional.of(told(failure));
        }
    }

    /** Else it is there, and only refuses. */
    static boolean isAway(StatusRuntimeException failure) {
        return AWAY.contains(failure.getStatus().getCode());
    }

    static String told(StatusRuntimeException failure) {
        Status status = failure.getStatus();
        Throwable cause = status.getCause();
        String description = Optional.ofNullable(status.getDescription())
                .orElse(status.getCode().toString());
        return cause == null || cause.getMessage() == null ? description : description + ": " + cause.getMessage();
    }
}
