package dev.berth.agent;

import dev.berth.announce.ApiContact;

/** Since when the API server has answered, and when it did last. Times are milliseconds of a steady clock. */
final class ApiServerAvailability {
    /** The pause between two questions. */
    static final long ASK_AGAIN = 5_000;

    /** How long an answer may take. */
    static final long TIMEOUT = 5_000;

    /** For how long one that answered is not missed. All have noticed that it is away {@link #NOTICED} after it went. */
    static final long PATIENCE = 20_000;

    /** For how long it has to have answered. All have heard of it by then: one question may fail, and end, before. */
    static final long RELIABLE = 20_000;

    private static final long NOTICED = ASK_AGAIN + TIMEOUT;

    /** When it answered last. */
    private long last;

    /** The first answer of those without a failure between them. */
    private long first;

    private boolean isFailing = true;

    /** Of one that has never answered. */
    ApiServerAvailability(long now) {
        last = now - PATIENCE;
    }

    /** Whether it did not answer before. */
    synchronized boolean answered(long now) {
        boolean isBack = isFailing;
        if (isFailing || now - last > NOTICED) {
            first = now;
        }
        isFailing = false;
        last = now;
        return isBack;
    }

    synchronized void failed() {
        isFailing = true;
    }

    synchronized ApiContact at(long now) {
        if (now - last >= PATIENCE) {
            return ApiContact.LOST;
        }
        boolean isReliable = !isFailing && now - last <= NOTICED && last - first >= RELIABLE;
        return isReliable ? ApiContact.RELIABLE : ApiContact.UNSURE;
    }
}
