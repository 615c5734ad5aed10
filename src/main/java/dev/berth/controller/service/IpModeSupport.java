package dev.berth.controller.service;

import dev.berth.loadbalancer.IpModes;
import dev.berth.loadbalancer.IpModes.Answer;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Whether this API server keeps {@code ipMode}. One before 1.29, or with its gate LoadBalancerIPMode
 * off, drops the field silently: who compares what it wants with what it reads would then write
 * forever.
 *
 * <p>Learned from the answers to writes. What was dropped is asked again after a while, by a dry run, for
 * an API server may be upgraded, or its gate be switched, while the operator runs.
 */
public final class IpModeSupport {
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

    /** What is known by now. */
    IpModes known(Instant now) {
        Learned last = learned.get();
        boolean stale =
                last.answer() == Answer.DROPPED && !now.isBefore(last.at().plus(IpModes.ASK_AGAIN));
        return new IpModes(gate, stale ? Answer.UNKNOWN : last.answer());
    }

    /**
     * Begins to ask, unless another does: after a start all Services want to know the same. Who begins, calls
     * {@link #asked} when the answer is there, or failed to come.
     *
     * @return whether the caller is the one to ask
     */
    boolean beginToAsk() {
        return asking.compareAndSet(false, true);
    }

    /** The one that asked is done. */
    void asked() {
        asking.set(false);
    }

    /**
     * Takes note of an answer to a write that had the field.
     *
     * @return whether it is news
     */
    boolean learn(Answer answer, Instant now) {
        return learned.getAndSet(new Learned(answer, now)).answer() != answer;
    }
}
