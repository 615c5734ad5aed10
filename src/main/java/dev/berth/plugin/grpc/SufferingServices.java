package dev.berth.plugin.grpc;

import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * The Services whose last call to a plug-in failed, and that counted against the plug-in. Each counts once, and of one
 * namespace two; over a pause, too, as long as calls for other Services succeed. Used by several threads.
 */
final class SufferingServices {
    /** How many Services of one namespace count: fewer than the half of the calls that {@link Breaker} goes by. */
    private static final int OF_ONE_NAMESPACE = 2;

    private static final int REMEMBERED = 1_000;

    private final InstantSource clock;
    private final Duration longestPause;

    /** The longest ago first. */
    private final SequencedMap<ServiceIdentity, Boolean> suffering = new LinkedHashMap<>();

    /** When a call for a Service succeeded last; null: none did. */
    private @Nullable Instant lastSuccess;

    /** Whether some suffer since before the last pause. */
    private boolean isKept;

    /** @param longestPause for how long a success counts */
    SufferingServices(InstantSource clock, Duration longestPause) {
        this.clock = clock;
        this.longestPause = longestPause;
    }

    synchronized void succeeded(ServiceIdentity service) {
        suffering.remove(service);
        lastSuccess = clock.instant();
    }

    /** Calls to the plug-in are about to be paused. */
    synchronized void pause() {
        isKept = succeedsForOthers();
        if (!isKept) {
            suffering.clear();
        }
    }

    /** A call for it failed. Returns whether it suffers only now, and not too many of its namespace did before. */
    synchronized boolean failed(ServiceIdentity service) {
        if (isKept && !succeedsForOthers()) {
            suffering.clear();
            isKept = false;
        }
        long neighbours = suffering.keySet().stream()
                .filter(other -> other.namespace().equals(service.namespace()))
                .count();
        if (suffering.containsKey(service) || neighbours >= OF_ONE_NAMESPACE) {
            return false;
        }
        suffering.put(service, true);
        if (suffering.size() > REMEMBERED) {
            suffering.pollFirstEntry();
        }
        return true;
    }

    /** Then those who suffer do so from something of their own. */
    private boolean succeedsForOthers() {
        return lastSuccess != null && clock.instant().isBefore(lastSuccess.plus(longestPause));
    }
}
