package dev.berth.plugin.grpc;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import dev.berth.plugin.grpc.transport.TlsTrouble;
import dev.berth.plugin.grpc.wire.Durations;
import dev.berth.plugin.grpc.wire.ProtocolViolation;
import dev.berth.plugin.grpc.wire.TextLimits;
import dev.berth.provider.ProviderException;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What it means that a call failed.
 *
 * @param plugin the name of its provider
 */
record Failures(String plugin, Duration deadline) {
    /** Whether the plug-in itself is in trouble; false: it said so about one load balancer. */
    static boolean isOfThePlugin(Throwable failure) {
        return switch (failure) {
            case ProtocolViolation violation -> true;
            case StatusRuntimeException told ->
                isOfThePlugin(told.getStatus().getCode()) && kind(told) == ProviderException.Kind.TRY_AGAIN;
            default -> false;
        };
    }

    /** RESOURCE_EXHAUSTED alone may come from gRPC itself: a message too large, too many calls. */
    private static ProviderException.Kind kind(RuntimeException failure) {
        if (!(failure instanceof StatusRuntimeException told)) {
            return ProviderException.Kind.TRY_AGAIN;
        }
        return switch (told.getStatus().getCode()) {
            case INVALID_ARGUMENT -> ProviderException.Kind.PERMANENT;
            case RESOURCE_EXHAUSTED ->
                details(told).stream().anyMatch(detail -> detail.is(QuotaFailure.class))
                        ? ProviderException.Kind.QUOTA_EXCEEDED
                        : ProviderException.Kind.TRY_AGAIN;
            default -> ProviderException.Kind.TRY_AGAIN;
        };
    }

    /** Whether it cannot be reached: no call can. */
    static boolean isAway(RuntimeException failure) {
        return failure instanceof StatusRuntimeException told
                && told.getStatus().getCode() == Status.Code.UNAVAILABLE;
    }

    /** Whether it does not want to be talked to, and will not tomorrow; another failure may pass. */
    static boolean isRefusal(StatusRuntimeException failure) {
        return switch (failure.getStatus().getCode()) {
            case FAILED_PRECONDITION, UNIMPLEMENTED, INVALID_ARGUMENT, UNAUTHENTICATED, PERMISSION_DENIED -> true;
            default -> false;
        };
    }

    private static boolean isOfThePlugin(Status.Code code) {
        return switch (code) {
            case CANCELLED,
                    UNAVAILABLE,
                    DEADLINE_EXCEEDED,
                    RESOURCE_EXHAUSTED,
                    INTERNAL,
                    UNIMPLEMENTED,
                    UNAUTHENTICATED,
                    DATA_LOSS -> true;
            default -> false;
        };
    }

    /** What people are told. */
    String message(Throwable failure) {
        return switch (failure) {
            case ProtocolViolation violation ->
                "plug-in \"" + plugin + "\" sent an invalid response: " + violation.getMessage();
            case StatusRuntimeException told -> message(told.getStatus(), isOfThePlugin(told));
            default -> "calling plug-in \"" + plugin + "\": " + failure;
        };
    }

    private String message(Status status, boolean isOfThePlugin) {
        String text = Optional.ofNullable(status.getDescription())
                .map(TextLimits::message)
                .orElseGet(() -> status.getCode() + " without a reason");
        return switch (status.getCode()) {
            case DEADLINE_EXCEEDED -> "plug-in \"" + plugin + "\" did not answer within " + deadline.toMillis() + " ms";
            case UNAVAILABLE ->
                "plug-in \"" + plugin + "\" cannot be reached: "
                        + TlsTrouble.of(status.getCause())
                                .map(TextLimits::message)
                                .orElse(text + cause(status));
            default ->
                isOfThePlugin
                        ? "plug-in \"" + plugin + "\" fails: " + status.getCode() + ": " + text + cause(status)
                        : text;
        };
    }

    private static String cause(Status status) {
        return Optional.ofNullable(status.getCause())
                .flatMap(cause -> Optional.ofNullable(cause.getMessage()))
                .map(message -> ": " + TextLimits.message(message))
                .orElse("");
    }

    ProviderException told(RuntimeException failure) {
        ProviderException told =
                ProviderException.of(kind(failure), message(failure)).withCause(failure);
        return retryAfter(failure).map(told::withRetryAfter).orElse(told);
    }

    /** Exactly when to try again, if it said so, and it can be. */
    private static Optional<Duration> retryAfter(RuntimeException failure) {
        for (Any detail : details(failure)) {
            if (detail.is(RetryInfo.class)) {
                try {
                    return Optional.of(
                            Durations.readDelay(detail.unpack(RetryInfo.class).getRetryDelay()));
                } catch (InvalidProtocolBufferException | ProtocolViolation unreadable) {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }

    private static List<Any> details(RuntimeException failure) {
        com.google.rpc.Status status = StatusProto.fromThrowable(failure);
        return status == null ? List.of() : status.getDetailsList();
    }
}
