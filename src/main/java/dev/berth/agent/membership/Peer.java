package dev.berth.agent.membership;

import dev.berth.agent.membership.Message.State;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Another agent that there may be, as a {@link Membership} knows it. */
final class Peer {
    /** On the ring, onwards from this node. */
    final long distance;

    final Times times = new Times();
    final Pings pings = new Pings();
    boolean isAlive;
    boolean isWatched;

    /** Whether it is pinged until it answers, though it is not watched. */
    boolean isChecked;

    @Nullable State state;

    /** One of which only answers to pings after a number count. */
    Peer(long distance, long number) {
        this.distance = distance;
        pings.told = number;
    }

    State state() {
        return Objects.requireNonNull(state, "never heard");
    }

    /** Whether it has heard what this agent is now. */
    boolean hasHeard() {
        return pings.told >= pings.news;
    }

    /** Whether it is the same process that was heard before. */
    boolean isSameProcess(long began) {
        return state != null && state.began() == began;
    }

    void is(State now) {
        if (!isSameProcess(now.began())) {
            pings.heard = 0;
        }
        state = now;
    }

    /** It asks. What was recorded, or is of an earlier process, is not what it waits for an answer to. */
    void note(Message question, long now) {
        if (isSameProcess(question.state().began()) && question.number() > pings.heard) {
            pings.heard = question.number();
            times.heard = now;
        }
    }

    static final class Times {
        /** When it was pinged last; 0: never. */
        long pinged;

        /** When it answered last. */
        long answered;

        /** When it asked for an answer last. */
        long heard;

        /** Since when answers of it are waited for: it is watched, or this stood still before. */
        long awaited;

        /** Since when another holds it for dead; 0: nobody. */
        long suspected;
    }

    /** Numbers of pings. */
    static final class Pings {
        /** The last. */
        long asked;

        /** The last that was answered. */
        long told;

        /** The last of its own. */
        long heard;

        /** The first that said what this agent is now. */
        long news;
    }
}
