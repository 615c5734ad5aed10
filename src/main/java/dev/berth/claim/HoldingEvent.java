package dev.berth.claim;

import org.jspecify.annotations.Nullable;

/** What can happen to an address: to its Address object, to those who hold it, or to those who want to. */
sealed interface HoldingEvent {
    /** What makes a free address one that is held. */
    sealed interface Beginning extends HoldingEvent {}

    /**
     * It was chosen for a Service, and its object is to be made.
     *
     * @param spec what the object has to say
     */
    record Chosen(ClaimSpec spec) implements Beginning {}

    /** This object was read, or heard of, or is the answer to a write. */
    record Seen(Claim claim) implements Beginning {}

    /** A Service publishes it that has no claim to it. */
    record Published() implements Beginning {}

    /** No Service publishes it without a claim to it any more, or the one that does is to have it. */
    record PublishedNoLonger() implements HoldingEvent {}

    /** There is no object for sure: it was released, or never made. */
    record Absent() implements HoldingEvent {}

    /** The answer to the create was lost. */
    record CreateUnanswered() implements HoldingEvent {}

    /** A read showed that there is no object, which was in doubt. */
    record NotMade() implements HoldingEvent {}

    /** Its one owner gives it up, for the object was surely never made. */
    record GivenUp(Owner owner) implements HoldingEvent {}

    /** The answer to the delete of this object was lost. */
    record DeleteUnanswered(Claim claim) implements HoldingEvent {}

    /** The operator has deleted this object. */
    record Deleted(Claim claim) implements HoldingEvent {}

    /**
     * This object is gone, and the operator has not deleted it.
     *
     * @param leaving who needs it no longer; null: nobody leaves
     */
    record Vanished(Claim claim, Ledger.@Nullable Leaving leaving) implements HoldingEvent {
        ClaimSpec left(ClaimSpec spec) {
            return leaving == null ? spec : leaving.from(spec);
        }
    }

    /** There is no object, and this one needs it no longer. */
    record Left(Ledger.Leaving leaving) implements HoldingEvent {}

    /** The object that was known so is gone. */
    record Lost(Holding known) implements HoldingEvent {}
}
