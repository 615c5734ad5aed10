package dev.berth.provider;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A call failed. The message is human-readable: what failed, on what, and what to do. */
public final class ProviderException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Kind kind;
    private final @Nullable Duration retryAfter;

    /** What a failure means for the next try. */
    public enum Kind {
        /** It may pass by itself: tried again by Berth's back-off. */
        TRY_AGAIN,
        /** The account, or what stands for it, has no room for more: tried again by Berth's back-off, and reported as such. */
        QUOTA_EXCEEDED,
        /** The same request will fail again: it is not repeated before it has changed, or an hour has passed. */
        PERMANENT
    }

    /** A failure that may pass by itself. */
    public ProviderException(String message) {
        this(Kind.TRY_AGAIN, message, null, null);
    }

    /** A failure that may pass by itself, and what caused it. */
    public ProviderException(String message, Throwable cause) {
        this(Kind.TRY_AGAIN, message, null, cause);
    }

    private ProviderException(
            Kind kind, @Nullable String message, @Nullable Duration retryAfter, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = Objects.requireNonNull(kind, "kind");
        this.retryAfter = retryAfter;
    }

    /** The request cannot be met as it is, and will not be tomorrow: the message says what to change about it. */
    public static ProviderException permanent(String message) {
        return of(Kind.PERMANENT, message);
    }

    /** There is no room for more: the message says of what. */
    public static ProviderException quotaExceeded(String message) {
        return of(Kind.QUOTA_EXCEEDED, message);
    }

    /** A failure of this kind. */
    public static ProviderException of(Kind kind, String message) {
        return new ProviderException(kind, message, null, null);
    }

    /** The same, to be tried again exactly after {@code delay}, whatever its kind. */
    public ProviderException withRetryAfter(Duration delay) {
        return new ProviderException(kind, getMessage(), delay, getCause());
    }

    /** The same, with its cause. */
    public ProviderException withCause(Throwable cause) {
        return new ProviderException(kind, getMessage(), retryAfter, cause);
    }

    /** What it means for the next try. */
    public Kind kind() {
        return kind;
    }

    /** Exactly when to try again; absent: as its kind says. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }
}
