package dev.berth.claim;

import org.jspecify.annotations.Nullable;

/** What has become of the Address object of a holding, or of those who hold it. */
sealed interface HoldingEvent {
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
