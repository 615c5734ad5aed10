package dev.berth.address;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * All that an {@code Address} object has to remember of its address.
 *
 * @param pool the pool it was taken from; null: made by hand
 * @param loadBalancerClass the class value that it was taken for; null: any
 * @param owners who it is for; empty: kept from everyone
 * @param sharing on what terms others of its namespace may join; null: they may not
 * @param releasedAt since when it is nobody's; null: it is somebody's, or was never
 * @param retain whether it stays reserved for the Service of its owner's name when that one goes
 */
public record ClaimSpec(
        @Nullable String pool,
        @Nullable String loadBalancerClass,
        List<Owner> owners,
        @Nullable Sharing sharing,
        @Nullable Instant releasedAt,
        boolean retain) {
    public ClaimSpec {
        owners = List.copyOf(owners);
    }

    /** Nothing but who it is for. */
    public static ClaimSpec of(@Nullable String pool, @Nullable String loadBalancerClass, Owner... owners) {
        return new ClaimSpec(pool, loadBalancerClass, List.of(owners), null, null, false);
    }

    /** What an address is to the pool that it is in. */
    public enum Phase {
        /** Kept for a Service to come, or from everyone. */
        RESERVED,
        /** A Service has it. */
        BOUND,
        /** Its Service is gone, and it rests before another may have it; one of the same name may at once. */
        COOLING
    }

    /** Derived, never stored. */
    public Phase phase() {
        if (owners.stream().anyMatch(owner -> !owner.isReservation())) {
            return Phase.BOUND;
        }
        return releasedAt != null && !retain ? Phase.COOLING : Phase.RESERVED;
    }

    /** The same for the class {@code value}, each owner as {@code change} has it, and in use. */
    public ClaimSpec takenFor(String value, UnaryOperator<Owner> change) {
        return new ClaimSpec(pool, value, owners.stream().map(change).distinct().toList(), sharing, null, retain);
    }

    /** The same with other terms of sharing. */
    public ClaimSpec shared(@Nullable Sharing terms) {
        return new ClaimSpec(pool, loadBalancerClass, owners, terms, releasedAt, retain);
    }

    /** The same, kept or not for its owner's return. */
    public ClaimSpec retained(boolean keep) {
        return new ClaimSpec(pool, loadBalancerClass, owners, sharing, releasedAt, keep);
    }

    /** How many names an Address object can have. */
    private static final int MOST_OWNERS = 64;

    /** Whether as many Services have it as can share an address. */
    public boolean isFull() {
        return owners.stream().filter(owner -> !owner.isReservation()).count() >= MOST_OWNERS;
    }

    /**
     * The same with {@code owner} and the ports of {@code joining} on it, too. What was kept for its name is its own
     * now; and of those kept for names that are gone, the first make room for it.
     */
    public ClaimSpec joinedBy(Owner owner, Sharing joining) {
        List<Owner> all = new ArrayList<>(owners);
        if (!all.contains(owner)) {
            all.remove(new Owner(owner.service(), null));
            all.add(owner);
        }
        for (int i = 0; all.size() > MOST_OWNERS && i < all.size(); ) {
            if (all.get(i).isReservation()) {
                all.remove(i);
            } else {
                i++;
            }
        }
        Sharing terms = sharing == null ? joining : sharing.with(joining);
        return new ClaimSpec(pool, loadBalancerClass, all, terms, null, retain);
    }

    /** The same without {@code owner}; one that was the last leaves a reservation for its name at {@code now}. */
    public ClaimSpec leftBy(Owner owner, Instant now) {
        List<Owner> others =
                owners.stream().filter(other -> !other.equals(owner)).toList();
        boolean last = others.stream().allMatch(Owner::isReservation);
        boolean stays = retain || last;
        List<Owner> left = new ArrayList<>(others);
        Owner returning = new Owner(owner.service(), null);
        if (stays && !left.contains(returning)) {
            left.add(returning);
        }
        return new ClaimSpec(
                pool,
                loadBalancerClass,
                left,
                sharing == null ? null : sharing.without(owner.service()),
                last ? now : null,
                retain);
    }

    boolean sameContent(ClaimSpec other) {
        return Objects.equals(loadBalancerClass, other.loadBalancerClass)
                && owners.equals(other.owners)
                && Objects.equals(sharing, other.sharing)
                && Objects.equals(releasedAt, other.releasedAt)
                && retain == other.retain;
    }
}
