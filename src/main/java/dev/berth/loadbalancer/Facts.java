package dev.berth.loadbalancer;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What came of the effects so far, in one pass over one Service. A value that grows.
 *
 * @param waiting why it lacks an address; absent: it has all that it asks for
 * @param sharingConflict why it cannot share its address as it asks to; absent: it can, or does not ask
 * @param trouble what went wrong; absent: nothing
 * @param pending what its provider is waiting for; absent: nothing
 * @param demand what it asks of its provider; absent: that was not looked at yet
 * @param ingress what is to be published; absent: not known, what is published stays
 * @param ingressIsWritten whether {@link #ingress} is in the status by now
 * @param again when to look again at the latest; absent: only when something happens
 */
public record Facts(
        Optional<WaitReason> waiting,
        Optional<WaitReason> sharingConflict,
        Optional<Trouble> trouble,
        Optional<String> pending,
        Optional<Demand> demand,
        Optional<List<Published>> ingress,
        boolean ingressIsWritten,
        Optional<Duration> again) {
    /** Nothing was done yet. */
    public static final Facts NONE = new Facts(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            false,
            Optional.empty());

    public Facts {
        ingress = ingress.map(List::copyOf);
    }

    /** It lacks an address. */
    public Facts waitingFor(WaitReason why) {
        return new Facts(Optional.of(why), sharingConflict, trouble, pending, demand, ingress, ingressIsWritten, again);
    }

    public Facts withSharingConflict(WaitReason why) {
        return new Facts(waiting, Optional.of(why), trouble, pending, demand, ingress, ingressIsWritten, again);
    }

    public Facts withTrouble(Trouble what) {
        return new Facts(
                waiting, sharingConflict, Optional.of(what), pending, demand, ingress, ingressIsWritten, again);
    }

    public Facts withDemand(Demand wanted) {
        return new Facts(
                waiting, sharingConflict, trouble, pending, Optional.of(wanted), ingress, ingressIsWritten, again);
    }

    /** Its provider answered that it is on its way. */
    public Facts pendingFor(Duration delay, String message) {
        return new Facts(
                waiting,
                sharingConflict,
                trouble,
                Optional.of(message),
                demand,
                ingress,
                ingressIsWritten,
                Optional.of(delay));
    }

    /** This is what it is to publish. */
    public Facts withIngress(List<Published> entries) {
        return new Facts(
                waiting, sharingConflict, trouble, pending, demand, Optional.of(entries), ingressIsWritten, again);
    }

    /** What it is to publish is not known any more. */
    public Facts withoutIngress() {
        return new Facts(waiting, sharingConflict, trouble, pending, demand, Optional.empty(), ingressIsWritten, again);
    }

    /** It is in the status. */
    public Facts published() {
        return new Facts(waiting, sharingConflict, trouble, pending, demand, ingress, true, again);
    }

    /** It has to be looked at after {@code delay}, whatever happens. */
    public Facts lookingAgain(Duration delay) {
        return new Facts(
                waiting, sharingConflict, trouble, pending, demand, ingress, ingressIsWritten, Optional.of(delay));
    }

    /** The same, unless that is decided already. */
    public Facts lookingAgainAtLeast(Duration delay) {
        return again.isPresent() ? this : lookingAgain(delay);
    }
}
