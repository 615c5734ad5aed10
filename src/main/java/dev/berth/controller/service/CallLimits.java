package dev.berth.controller.service;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;

/**
 * What bounds calls to providers.
 *
 * @param atOnce for each class
 * @param patience how long a caller that cannot be notified waits for its turn
 * @param deadline how long a call may take
 * @param threads make the calls
 */
record CallLimits(int atOnce, Duration patience, Duration deadline, ThreadFactory threads) {
    private static final int AT_ONCE = 16;

    /** With the default number of calls at once. */
    CallLimits(Duration patience, Duration deadline, ThreadFactory threads) {
        this(AT_ONCE, patience, deadline, threads);
    }

    /** The default ones, with a thread for each call. */
    static CallLimits byDefault() {
        return new CallLimits(Duration.ofSeconds(10), Duration.ofSeconds(60), ProviderGuard.ownThreads());
    }
}
