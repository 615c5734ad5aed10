package dev.berth.controller.service;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Whether this API server keeps {@code ipMode}. One before 1.29, or with its gate LoadBalancerIPMode
 * off, drops the field without a word: who compares what it wants with what it reads would then write
 * forever.
 *
 * <p>Learned from the answers to writes. What was dropped is asked again after a while, by a dry run, for
 * an API server may be upgraded, or its gate be switched, while the operator runs.
 */
public final class IpModeSupport {
    /** For how long a "dropped" holds. */
    static final Duration ASK_AGAIN = Duration.ofMinutes(10);

    /** For how long to wait while another asks. */
    static final Duration ANOTHER_ASKS = Duration.ofSeconds(1);

    /** What is known. */
    public enum Answer {
        UNKNOWN,
        KEPT,
        DROPPED
    }

    private record Learned(Answer answer, Instant at) {}

    private final boolean gate;
    private final AtomicBoolean asking = new AtomicBoolean();
    private final AtomicReference<Learned> learned = new AtomicReference<>(new Learned(Answer.UNKNOWN, Instant.EPOCH));

    /**
     * Nothing is learned yet.
     *
     * @param gate whether Berth's own feature gate LoadBalancerIPMode is on
     */
    public IpModeSupport(boolean gate) {
        this.gate = gate;
    }

    /**
     * Whether to write the field at all.
     *
     * @param inUse whether the Service has it already: an API server drops it only where it is not in use
     */
    public boolean isPublished(boolean inUse, Instant now) {
        return gate && (inUse || answer(now) != Answer.DROPPED);
    }

    /** Whether a dry run should tell before the field alone is a reason to write. */
    public boolean isUnknown(Instant now) {
        return gate && answer(now) == Answer.UNKNOWN;
    }

    /**
     * Whether the caller is the one to ask: after a start all Services want to know the same. Who is, calls
     * {@link #asked} when the answer is there, or failed to come.
     */
    public boolean mayAsk() {
        return asking.compareAndSet(false, true);
    }

    /** The one that asked is done. */
    public void asked() {
        asking.set(false);
    }

    /**
     * Whether a Service that should have a mode goes without: it is looked at again. One that was written
     * without the field does so even if another Service has learned by now that it is kept.
     *
     * @param written whether the field was written
     */
    public boolean isMissing(boolean written, Instant now) {
        return gate && (!written || answer(now) == Answer.DROPPED);
    }

    private Answer answer(Instant now) {
        Learned last = learned.get();
        boolean stale =
                last.answer() == Answer.DROPPED && !now.isBefore(last.at().plus(ASK_AGAIN));
        return stale ? Answer.UNKNOWN : last.answer();
    }

    /**
     * Takes note of an answer to a write that had the field.
     *
     * @return whether it is news
     */
    public boolean learn(boolean kept, Instant now) {
        Answer answer = kept ? Answer.KEPT : Answer.DROPPED;
        return learned.getAndSet(new Learned(answer, now)).answer() != answer;
    }
}
