package dev.berth.claim;

import dev.berth.ip.Ip;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The life of a holding: what becomes of it by what happens to it. What is known since then is newer, and stays: an
 * answer may come later than the event of what it was the answer to.
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

    /**
     * What becomes of {@code ip} by an event.
     *
     * @param held who holds it; null: nobody
     */
    static Fate after(Ip ip, @Nullable Holding held, HoldingEvent event) {
        if (held != null) {
            return ofHeld(held, event);
        }
        return event instanceof HoldingEvent.Beginning beginning ? become(begun(ip, beginning)) : new Unchanged();
    }

    private static Holding begun(Ip ip, HoldingEvent.Beginning event) {
        return switch (event) {
            case HoldingEvent.Chosen(ClaimSpec spec) -> new Holding(ip, Holding.State.HELD, spec, null);
            case HoldingEvent.Seen(Claim claim) -> Holding.of(claim);
            case HoldingEvent.Published _ -> new Holding(ip, Holding.State.HELD, ClaimSpec.of(null, null), null);
        };
    }

    private static Fate ofHeld(Holding held, HoldingEvent event) {
        return switch (event) {
            case HoldingEvent.Chosen _, HoldingEvent.Published _ -> new Unchanged();
            case HoldingEvent.Seen(Claim claim) -> seen(held, claim);
            case HoldingEvent.PublishedNoLonger _ -> held.isOfNobody() ? new Free() : new Unchanged();
            case HoldingEvent.Absent _ -> new Free();
            case HoldingEvent.CreateUnanswered _ ->
                held.state() == Holding.State.HELD && !held.isOfNobody()
                        ? become(held.unseen(Holding.State.UNSURE))
                        : new Unchanged();
            case HoldingEvent.NotMade _ -> held.state() == Holding.State.UNSURE ? notMade(held) : new Unchanged();
            case HoldingEvent.GivenUp(Owner owner) ->
                held.state() == Holding.State.HELD && held.owners().equals(List.of(owner))
                        ? new Free()
                        : new Unchanged();
            case HoldingEvent.DeleteUnanswered(Claim claim) ->
                claim.equals(held.claim()) ? become(held.unseen(Holding.State.UNSURE)) : new Unchanged();
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

    private static Fate become(Holding now) {
        return new Becomes(now, List.of());
    }

    /** A cache may lag behind the answer to a write, and an answer behind the cache. */
    private static Fate seen(Holding held, Claim claim) {
        Claim known = held.claim();
        return known != null && known.isNewerThan(claim) ? new Unchanged() : become(Holding.of(claim));
    }

    /** Its owners make it; what was kept from everyone has none. */
    private static Fate notMade(Holding held) {
        return held.owners().isEmpty() ? new Free() : become(held.unseen(Holding.State.HELD));
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
