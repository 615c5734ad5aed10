package dev.berth.provider;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A call failed. The message is human-readable: what failed, on what, and what to do. */
public final class ProviderException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final @Nullable Duration retryAfter;

    public ProviderException(String message) {
        this(message, null, null);
    }

    /**
     * A failure that says when to try again.
     *
     * @param retryAfter exactly when to try again; null: by Berth's back-off
     * @param cause null: none
     */
    public ProviderException(String message, @Nullable Duration retryAfter, @Nullable Throwable cause) {
        super(message, cause);
        this.retryAfter = retryAfter;
    }

    /** Exactly when to try again; absent: by Berth's back-off. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }
}
