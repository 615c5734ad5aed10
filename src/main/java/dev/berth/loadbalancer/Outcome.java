package dev.berth.loadbalancer;

import dev.berth.claim.Choice;
import dev.berth.claim.Claim;
import dev.berth.ip.Ip;
import dev.berth.pool.Refusal;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.LoadBalancerStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What came of an effect, or was decided for the rest of the pass. */
public sealed interface Outcome {
    /** This is done. */
    record Did(Facts.Done what) implements Outcome {}

    /** So many steps of the plan are done. */
    record StepsDone(int count) implements Outcome {}

    /** This Address object is there, which was unsure. */
    record Found(Claim claim) implements Outcome {}

    /** The Address object of this address could not be made. */
    record NotMade(Ip ip) implements Outcome {}

    /** What a live read of the Service told, while nothing is planned again. */
    sealed interface OfRead extends Outcome {}

    /** It is this; absent: it is gone. */
    record ServiceRead(Optional<ServiceState> now) implements OfRead {}

    /** It could not be read. */
    record ServiceNotRead() implements OfRead {}

    /** Others may have this address, which was held for the Service: its Address object could not be made. */
    record GivenUp(Ip ip) implements Outcome {}

    /** What came of one choice of addresses. */
    sealed interface OfChoice extends Outcome {}

    /** These addresses were chosen, and are held for the Service. */
    record Chosen(Choice.Assigned choice) implements OfChoice {}

    /** None was chosen. */
    record NotChosen(List<Refusal> refusals) implements OfChoice {
        public NotChosen {
            refusals = List.copyOf(refusals);
        }
    }

    /** An address that was chosen was to be claimed; what went wrong is an outcome of its own. */
    record ClaimTried(Ip ip, Whose whose) implements Outcome {
        /** Whose an address is after it was to be claimed. */
        public enum Whose {
            OURS,
            ANOTHERS,
            /** It has no Address object: none could be made. */
            NOT_MADE,
            /** What became of it is not known. */
            UNSURE
        }
    }

    /** The Address object of an address that goes from the status was read; absent: there is none. */
    record GoingRead(Ip ip, Optional<Claim> found) implements Outcome {}

    /** The Address object of an address that is to be published was written, and is the Service's own. */
    record Confirmed(Ip ip) implements Outcome {}

    /**
     * An address was to be released, and was not found changed.
     *
     * @param isLeft whether it could not be done, and has to be tried again
     */
    record ReleaseTried(Ip ip, boolean isLeft) implements Outcome {}

    /** A delay was drawn. */
    record DelayDrawn(DrawDelay.Of of, Duration delay) implements Outcome {}

    /** Another controller's write to the status was counted; {@code standsFor}: how long it is let stand, if it is. */
    record OverwriteCounted(Optional<Duration> standsFor) implements Outcome {}

    /** It lacks an address, and is in the queue for it. */
    record Lacks(WaitReason why) implements Outcome {}

    /** What it asks for changes nothing: nothing is chosen for it, and what it has it keeps. */
    record NotUnderstood(WaitReason why) implements Outcome {}

    /** It cannot share its address as it asks to. */
    record CannotShare(WaitReason why) implements Outcome {}

    /** Some of its annotations are not read. */
    record Ignored(WaitReason why) implements Outcome {}

    /** It went wrong: nothing more is tried for the Service, but to say so. */
    record Failed(ServiceFailure what) implements Outcome {}

    /** It went wrong, and is not tried again before {@code delay} is over, also where saying so fails, too. */
    record BackedOff(ServiceFailure what, Duration delay) implements Outcome {}

    /** This is what it asks of its provider. */
    record Asks(Demand demand) implements Outcome {}

    /** The provider may be called once. */
    record TurnTaken() implements Outcome {}

    /** The provider cannot be called yet: the Service is made due in its turn. */
    record InLine() implements Outcome {}

    /** The provider cannot be called before an earlier call returns; the message says which. */
    record Stuck(String message) implements Outcome {}

    /** The provider was called. */
    record Called() implements Outcome {}

    /** What a provider answered that is still to be judged. */
    sealed interface Unjudged extends Outcome {}

    /** The provider answered that it has what was asked for. */
    record Answered(EnsureOutcome.Ready answer, AnsweredAddresses addresses) implements Unjudged {}

    /** The provider was looked at, which had answered {@code known}; {@code found} absent: it has nothing. */
    record Looked(EnsureOutcome.Ready known, Optional<LoadBalancerStatus> found) implements Unjudged {}

    /** The provider could not take other targets. */
    record NotUpdated(String cause) implements Unjudged {}

    /** What it answered last was judged. */
    record Judged() implements Outcome {}

    /** The provider has taken the targets that it was notified of; these are there by now. */
    record TargetsNow(Backends backends) implements Outcome {}

    /** The provider answered that it is on its way. */
    record OnItsWay(Duration delay, String message) implements Outcome {}

    /** The provider is not called before its time: what was said of it holds until then. */
    record StillPostponed(Postponed call) implements Outcome {}

    /** Another Service is just asking whether the API server keeps ipMode. */
    record AnotherAsks() implements Outcome {}

    /** It went wrong to ask whether the API server keeps ipMode: nothing is written. */
    record IpModeNotAsked(ServiceFailure what) implements Outcome {}

    /** This is to be published. */
    record ToPublish(List<Published> ingress) implements Outcome {
        public ToPublish {
            ingress = List.copyOf(ingress);
        }
    }

    /** It went wrong to make sure of an Address that is to be published, or no longer: what is published stays. */
    record NotConfirmed(ServiceFailure what) implements Outcome {}

    /** The status says what it must, but for what could not be written. */
    record Wrote(Publication wanted) implements Outcome {}

    /** It has to be looked at after {@code delay}, whatever happens; or before. */
    record LookAgain(Duration delay) implements Outcome {}

    /**
     * Something is not as it was read: all is planned again.
     *
     * @param live from a live read; else from the cache
     */
    record Changed(boolean live) implements Outcome {}

    /**
     * All that it publishes is held for it.
     *
     * @param shared the claims that it has to join
     */
    record Held(List<Claim> shared) implements Outcome {
        public Held {
            shared = List.copyOf(shared);
        }
    }

    /** Nothing of what it publishes is held for it. */
    record NotHeld(List<Refusal> refusals) implements Outcome {
        public NotHeld {
            refusals = List.copyOf(refusals);
        }
    }
}
