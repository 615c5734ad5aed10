package dev.berth.loadbalancer;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What came of the effects so far, in one pass over one Service. A value that grows.
 *
 * @param steps how many of the plan's steps are done
 * @param done what else is done
 * @param waiting why it lacks an address; absent: it has all that it asks for
 * @param sharingConflict why it cannot share its address as it asks to; absent: it can, or does not ask
 * @param trouble what went wrong; absent: nothing
 * @param pending what its provider is waiting for; absent: nothing
 * @param demand what it asks of its provider; absent: that was not looked at yet
 * @param ingress what is to be published; absent: not known, what is published stays
 * @param again when to look again at the latest; absent: only when something happens
 */
public record Facts(
        int steps,
        Set<Done> done,
        Optional<WaitReason> waiting,
        Optional<WaitReason> sharingConflict,
        Optional<Trouble> trouble,
        Optional<String> pending,
        Optional<Demand> demand,
        Optional<List<Published>> ingress,
        Optional<Duration> again) {
    /** What is done once in a pass. */
    public enum Done {
        /** It is in the queue no longer, for it waits for no address. */
        QUEUE_LEFT,
        /** The provider was asked all that it had to be. */
        PROVIDER_ASKED,
        /** The Addresses of what goes from the status were read. */
        PUBLISHED_CHECKED,
        /** Another controller's write to the status was counted. */
        OVERWRITE_COUNTED,
        /** What another controller wrote to the status is let stand for a while. */
        OVERWRITE_LET_STAND,
        /** A dry run told whether the API server keeps ipMode. */
        IP_MODE_ASKED,
        /** The Addresses of what comes into the status were written. */
        CLAIMS_CONFIRMED,
        /** The status says what it must. */
        STATUS_WRITTEN,
        /** So does its ingress. */
        INGRESS_WRITTEN,
        /** The ingress was written, and has no ipMode. */
        WRITTEN_WITHOUT_IP_MODE,
        SURPLUS_RELEASED,
        /** The provider that deletes first may be called now. */
        TURN_TAKEN,
        /** Finalizer, ingress and conditions are off. */
        CLEARED,
        RELEASED
    }

    /** Nothing was done yet. */
    public static final Facts NONE = new Facts(
            0,
            EnumSet.noneOf(Done.class),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    public Facts {
        EnumSet<Done> all = EnumSet.noneOf(Done.class);
        all.addAll(done);
        done = Collections.unmodifiableSet(all);
        ingress = ingress.map(List::copyOf);
    }

    public boolean did(Done what) {
        return done.contains(what);
    }

    /** This is done. */
    public Facts with(Done what) {
        Set<Done> more = EnumSet.of(what);
        more.addAll(done);
        return new Facts(steps, more, waiting, sharingConflict, trouble, pending, demand, ingress, again);
    }

    /** So many steps of the plan are done. */
    public Facts withSteps(int count) {
        return new Facts(count, done, waiting, sharingConflict, trouble, pending, demand, ingress, again);
    }

    /** It lacks an address. */
    public Facts waitingFor(WaitReason why) {
        return new Facts(steps, done, Optional.of(why), sharingConflict, trouble, pending, demand, ingress, again);
    }

    public Facts withSharingConflict(WaitReason why) {
        return new Facts(steps, done, waiting, Optional.of(why), trouble, pending, demand, ingress, again);
    }

    public Facts withTrouble(Trouble what) {
        return new Facts(steps, done, waiting, sharingConflict, Optional.of(what), pending, demand, ingress, again);
    }

    public Facts withDemand(Demand wanted) {
        return new Facts(steps, done, waiting, sharingConflict, trouble, pending, Optional.of(wanted), ingress, again);
    }

    /** Its provider answered that it is on its way. */
    public Facts pendingFor(Duration delay, String message) {
        return new Facts(
                steps,
                done,
                waiting,
                sharingConflict,
                trouble,
                Optional.of(message),
                demand,
                ingress,
                Optional.of(delay));
    }

    /** It is not tried before {@code left} has passed: what was said of it holds until then. */
    public Facts putOff(PutOff why, Duration left) {
        return switch (why) {
            case PutOff.Failed(Trouble what) -> withTrouble(what.again()).lookingAgain(left);
            case PutOff.Pending(String message) -> pendingFor(left, message).with(Done.PROVIDER_ASKED);
        };
    }

    /** This is what it is to publish. */
    public Facts withIngress(List<Published> entries) {
        return new Facts(steps, done, waiting, sharingConflict, trouble, pending, demand, Optional.of(entries), again);
    }

    /** What it is to publish is not known any more. */
    public Facts withoutIngress() {
        return new Facts(steps, done, waiting, sharingConflict, trouble, pending, demand, Optional.empty(), again);
    }

    /** The status was written, or need not be, or cannot be; {@code written}: its ingress says what it must. */
    public Facts published(Publication wanted, boolean written) {
        Facts now = with(Done.STATUS_WRITTEN);
        List<Published> entries = wanted.ingress();
        if (entries == null) {
            return now;
        }
        Facts modes = Publication.hasModes(entries) ? now : now.with(Done.WRITTEN_WITHOUT_IP_MODE);
        return written ? modes.with(Done.INGRESS_WRITTEN) : modes;
    }

    /** It has to be looked at after {@code delay}, whatever happens; or before. */
    public Facts lookingAgain(Duration delay) {
        return new Facts(
                steps, done, waiting, sharingConflict, trouble, pending, demand, ingress, Optional.of(soonest(delay)));
    }

    /** When to look again where nothing else is left to wait for than {@code delay}. */
    public Duration soonest(Duration delay) {
        return again.filter(other -> other.compareTo(delay) < 0).orElse(delay);
    }
}
