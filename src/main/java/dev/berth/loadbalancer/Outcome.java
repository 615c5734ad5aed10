package dev.berth.loadbalancer;

import dev.berth.claim.Choice;
import dev.berth.claim.Claim;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.loadbalancer.Postponed.Why;
import dev.berth.pool.Refusal;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.LoadBalancerStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What came of an effect, or was decided for the rest of the pass. {@link Facts} answers each question by the last outcome
 * of one kind: that is what the interfaces {@code Of...} are for.
 */
public sealed interface Outcome {
    /** What is done by it once in a pass; absent: nothing that counts. */
    default Optional<Done> done() {
        return Optional.empty();
    }

    /** Whether the provider may be called. */
    sealed interface OfTurn extends Outcome {}

    /** What came of a call to the provider of the Service's class. */
    sealed interface OfCall extends Outcome {}

    /** Whether there is an answer of the provider to be judged. */
    sealed interface OfJudgement extends Outcome {}

    /** Whether the targets are to be compared with those that the provider has. */
    sealed interface OfTargets extends Outcome {}

    /** What is to be published, if that is known. */
    sealed interface OfIngress extends Outcome {}

    /** What is wrong. */
    sealed interface OfTrouble extends Outcome {}

    /** What went wrong, and whether it is backed off. */
    sealed interface OfFailure extends OfTrouble {}

    /** What the provider is waiting for. */
    sealed interface OfPending extends Outcome {}

    /** When to look again. */
    sealed interface OfDelay extends Outcome {}

    record Did(Done what) implements Outcome {
        @Override
        public Optional<Done> done() {
            return Optional.of(what);
        }
    }

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

    /**
     * The Address object of an address that goes from the status was read.
     *
     * @param found absent: there is none
     * @param servedElsewhere whether another Berth serves the class that it was claimed for
     */
    record GoingRead(Ip ip, Optional<Claim> found, boolean servedElsewhere) implements Outcome {}

    /** The Address object of an address that is to be published was written, and is the Service's own. */
    record Confirmed(Ip ip) implements Outcome {}

    /**
     * An address was to be released, and was not found changed.
     *
     * @param isLeft whether it could not be done, and has to be tried again
     */
    record ReleaseTried(Ip ip, boolean isLeft) implements Outcome {}

    /** A delay was drawn. */
    record DelayDrawn(DrawDelay.Of of, Duration delay) implements OfDelay {}

    /** Another controller's write to the status was counted; {@code standsFor}: how long it is let stand, if it is. */
    record OverwriteCounted(Optional<Duration> standsFor) implements OfDelay {}

    /** It lacks an address, and is in the queue for it. */
    record Lacks(WaitReason why) implements Outcome {
        @Override
        public Optional<Done> done() {
            return Optional.of(Done.QUEUE_JOINED);
        }
    }

    /** What it asks for changes nothing: nothing is chosen for it, and what it has it keeps. */
    record NotUnderstood(WaitReason why) implements Outcome {}

    /** It cannot share its address as it asks to. */
    record CannotShare(WaitReason why) implements Outcome {}

    /** Some of its annotations are not read. */
    record Ignored(WaitReason why) implements Outcome {}

    /** It went wrong: nothing more is tried for the Service, but to say so. */
    record Failed(ServiceFailure what) implements OfFailure, OfCall {}

    /** It went wrong, and is not tried again before {@code delay} is over, also where saying so fails, too. */
    record BackedOff(ServiceFailure what, Duration delay) implements OfFailure, OfDelay {}

    /** This is what it asks of its provider. */
    record Asks(Demand demand) implements Outcome {}

    /** The provider may be called once. */
    record TurnTaken() implements OfTurn {}

    /** The provider cannot be called yet: the Service is made due in its turn. */
    record InLine() implements OfTurn {}

    /** The provider cannot be called before an earlier call returns; the message says which. */
    record Stuck(String message) implements OfTurn {}

    /** The provider was called: its turn is over. */
    record Called() implements OfTurn {}

    /** What a provider answered that is still to be judged. */
    sealed interface Unjudged extends OfCall, OfJudgement {}

    /** The provider answered that it has what was asked for. */
    record Answered(EnsureOutcome.Ready answer, AnsweredAddresses addresses) implements Unjudged {}

    /** The provider was looked at, which had answered {@code known}; {@code found} absent: it has nothing. */
    record Looked(EnsureOutcome.Ready known, Optional<LoadBalancerStatus> found) implements Unjudged {}

    /** The provider could not take other targets. */
    record NotUpdated(String cause) implements Unjudged {}

    /** What it answered last was judged. */
    record Judged() implements OfJudgement {}

    /** The provider has taken the targets that it was notified of. */
    record Updated() implements OfCall {}

    /** These targets were there once the provider had taken others. */
    record TargetsNow(Backends backends) implements OfTargets {}

    /** The Service is looked at once more after this pass: its targets changed while the provider took others. */
    record MadeDue() implements OfTargets {}

    /** The provider answered that it is on its way. */
    record OnItsWay(Duration delay, String message) implements OfCall, OfPending, OfDelay {
        @Override
        public Optional<Done> done() {
            return Optional.of(Done.PROVIDER_ASKED);
        }
    }

    /** The provider answered that another serves the Service. */
    record ServedElsewhere() implements OfCall {}

    /** What the provider has could not be found out. That is no drift. */
    record NotSeen() implements OfCall {}

    /** The provider has deleted what it had for the Service, which lost its addresses. */
    record UnservedDeleted() implements OfCall {}

    /** The provider is not called before its time: what was said of it holds until then. */
    record StillPostponed(Postponed call) implements OfTurn, OfTrouble, OfPending, OfDelay {
        @Override
        public Optional<Done> done() {
            return switch (call.why()) {
                case Why.Pending pending -> Optional.of(Done.PROVIDER_ASKED);
                case Why.Failed failed -> Optional.empty();
            };
        }
    }

    /** Another Service is just asking whether the API server keeps ipMode. */
    record AnotherAsks() implements Outcome {}

    /** It went wrong to ask whether the API server keeps ipMode: nothing is written. */
    record IpModeNotAsked(ServiceFailure what) implements OfTrouble {
        @Override
        public Optional<Done> done() {
            return Optional.of(Done.STATUS_WRITTEN);
        }
    }

    record ToPublish(List<Published> ingress) implements OfIngress {
        public ToPublish {
            ingress = List.copyOf(ingress);
        }
    }

    /** It went wrong to make sure of an Address that is to be published, or no longer: what is published stays. */
    record NotConfirmed(ServiceFailure what) implements OfIngress, OfTrouble {}

    /** The status says what it must, but for what could not be written. */
    record Wrote(Publication wanted) implements Outcome {
        @Override
        public Optional<Done> done() {
            return Optional.of(Done.STATUS_WRITTEN);
        }
    }

    /** It has to be looked at after {@code delay}, whatever happens; or before. */
    record LookAgain(Duration delay) implements OfDelay {}

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
