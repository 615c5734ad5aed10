package dev.berth.claim;

import java.util.List;

/**
 * What becomes of a holding by what happens to it. What is known since then is newer, and stays: an answer may come later
 * than the event of what it was the answer to.
 */
final class HoldingLife {
    private HoldingLife() {}

    /** What becomes of it. */
    sealed interface Fate {}

    /** It stays as it is. */
    record Unchanged() implements Fate {}

    /**
     * It is this from now on.
     *
     * @param remake the Services that have to make its Address object again
     */
    record Becomes(Holding now, List<ServiceKey> remake) implements Fate {}

    /** Nobody holds the address any more. */
    record Free() implements Fate {}

    static Fate after(Holding held, HoldingEvent event) {
        return switch (event) {
            case HoldingEvent.CreateUnanswered _ -> from(held, Holding.State.HELD, Holding.State.UNSURE);
            case HoldingEvent.NotMade _ -> from(held, Holding.State.UNSURE, Holding.State.HELD);
            case HoldingEvent.GivenUp(Owner owner) ->
                held.state() == Holding.State.HELD && held.owners().equals(List.of(owner))
                        ? new Free()
                        : new Unchanged();
            case HoldingEvent.DeleteUnanswered(Claim claim) ->
                claim.equals(held.claim()) ? unseen(held, Holding.State.UNSURE) : new Unchanged();
            case HoldingEvent.Deleted(Claim claim) -> deleted(held, claim);
            case HoldingEvent.Vanished vanished ->
                isOf(held, vanished) ? without(held, vanished.left(held.spec())) : new Unchanged();
            case HoldingEvent.Left(Ledger.Leaving leaving) ->
                held.state() == Holding.State.CLAIMED || !held.owners().contains(leaving.owner())
                        ? new Unchanged()
                        : without(held, leaving.from(held.spec()));
            case HoldingEvent.Lost(Holding known) -> known.equals(held) ? without(held, held.spec()) : new Unchanged();
        };
    }

    private static Fate from(Holding held, Holding.State before, Holding.State now) {
        return held.state() == before ? unseen(held, now) : new Unchanged();
    }

    private static Fate unseen(Holding held, Holding.State state) {
        return new Becomes(held.unseen(state), List.of());
    }

    /** If it is known to be for others since, it stays theirs until they have made the object again. */
    private static Fate deleted(Holding held, Claim claim) {
        Claim known = held.claim();
        if (known == null) {
            return held.owners().equals(claim.owners()) ? new Free() : new Unchanged();
        }
        if (!known.uid().equals(claim.uid())) {
            return new Unchanged();
        }
        List<ServiceKey> others = held.owners().stream()
                .filter(owner -> !owner.isReservation() && !claim.owners().contains(owner))
                .map(Owner::service)
                .toList();
        return others.isEmpty() ? new Free() : new Becomes(held.unseen(Holding.State.HELD), others);
    }

    /** Whether the object was the holding's. Somebody else may have seen first that it is gone: it is held for all then. */
    private static boolean isOf(Holding held, HoldingEvent.Vanished vanished) {
        Claim known = held.claim();
        if (known != null) {
            return known.uid().equals(vanished.claim().uid());
        }
        Ledger.Leaving leaving = vanished.leaving();
        return held.state() == Holding.State.HELD
                ? leaving != null && held.owners().contains(leaving.owner())
                : held.owners().equals(vanished.claim().owners());
    }

    /** Without its object: what its owners still need stays theirs until they have made it again. */
    private static Fate without(Holding held, ClaimSpec left) {
        return left.phase() == ClaimSpec.Phase.BOUND
                ? new Becomes(new Holding(held.ip(), Holding.State.HELD, left, null), left.services())
                : new Free();
    }
}
