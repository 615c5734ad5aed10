package dev.berth.claim;

import dev.berth.ip.Ip;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One address that cannot be given to another.
 *
 * @param spec what its Address object says, or must say
 * @param claim the Address object as last seen; null: not seen
 */
public record Holding(
        Ip ip, State state, ClaimSpec spec, @Nullable Claim claim) {
    /** How sure the ledger is of the Address object. */
    public enum State {
        /** Its create is under way, or has not been tried yet. */
        HELD,
        /** The answer to its create was lost: only a read decides. */
        UNSURE,
        /** The object was seen. */
        CLAIMED
    }

    /** What an Address object says. */
    public static Holding of(Claim claim) {
        return new Holding(claim.ip(), State.CLAIMED, claim.spec(), claim);
    }

    Holding unseen(State state) {
        return new Holding(ip, state, spec, null);
    }

    /** Whether its Address object was seen, and is for another Service than that of this name, or for something else. */
    boolean isClaimedForOthers(ServiceKey service) {
        return state == State.CLAIMED
                && (!owners().isEmpty() || spec.otherKind() != null)
                && owners().stream().noneMatch(owner -> owner.service().equals(service));
    }

    boolean sameContent(Holding other) {
        return state == other.state && spec.equals(other.spec);
    }

    /** Whether one of its owners is none any more once it is {@code later}. */
    boolean losesOwnerBy(Holding later) {
        return !later.owners().containsAll(owners());
    }

    /** Whether a port that one of those who share it has is not theirs any more once it is {@code later}. */
    boolean losesPortBy(Holding later) {
        return !later.ports().containsAll(ports());
    }

    List<Sharing.Port> portsOf(ServiceKey service) {
        return ports().stream().filter(port -> port.service().equals(service)).toList();
    }

    private List<Sharing.Port> ports() {
        Sharing sharing = spec.sharing();
        return sharing == null ? List.of() : sharing.ports();
    }

    /** Who it is for; empty: kept from everyone. */
    public List<Owner> owners() {
        return spec.owners();
    }

    /** Whether it is just withheld: there is no Address object of it, and none under way. */
    boolean isOfNobody() {
        return state == State.HELD && owners().isEmpty();
    }

    /** The class value that it was taken for; null: any. */
    public @Nullable String loadBalancerClass() {
        return spec.loadBalancerClass();
    }

    /** The Service of this name that holds it, not just a reservation for it; absent: it is for others. */
    public Optional<Owner> holderNamed(ServiceKey service) {
        for (Owner owner : owners()) {
            if (owner.service().equals(service) && !owner.isReservation()) {
                return Optional.of(owner);
            }
        }
        return Optional.empty();
    }

    /** The Service that had this name before the one of this uid, and holds it; absent: there is none. */
    public Optional<Owner> predecessorOf(ServiceKey service, String uid) {
        for (Owner owner : owners()) {
            if (owner.service().equals(service) && !owner.isReservation() && !uid.equals(owner.uid())) {
                return Optional.of(owner);
            }
        }
        return Optional.empty();
    }

    /** Whether it is held for this very object, not just for its name. */
    public boolean isFor(ServiceKey service, String uid) {
        return owners().contains(new Owner(service, uid));
    }

    /** Not just kept from allocation because a status names it: anyone who may write one could hold up others by it. */
    public boolean isClaimedOrOwned() {
        return claim != null || !owners().isEmpty();
    }

    /** Whether it is kept for whichever Service has this name. */
    public boolean isReservedFor(ServiceKey service) {
        return owners().contains(new Owner(service, null));
    }
}
