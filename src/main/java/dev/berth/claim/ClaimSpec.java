package dev.berth.claim;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
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
 * @param retaining the Services, of its owners' names, that ask to have it kept; empty: if it is kept, a person says so
 * @param departures of those reservations that Services left behind when they went, when; all others were made by hand,
 *     and their Services have not come yet
 * @param otherKind the kind of one who has it that is no Service; null: none. It is nobody's else then, and of no
 *     Service: {@code owners} is empty
 */
public record ClaimSpec(
        @Nullable String pool,
        @Nullable String loadBalancerClass,
        List<Owner> owners,
        @Nullable Sharing sharing,
        @Nullable Instant releasedAt,
        boolean retain,
        List<ServiceKey> retaining,
        List<Departure> departures,
        @Nullable String otherKind) {
    public ClaimSpec {
        List<ServiceKey> asking = retaining;
        List<Owner> all = List.copyOf(owners);
        owners = all;
        retaining = asking.isEmpty()
                ? List.of()
                : all.stream()
                        .map(Owner::service)
                        .filter(asking::contains)
                        .distinct()
                        .toList();
        departures = departures.isEmpty()
                ? List.of()
                : departures.stream()
                        .filter(departure -> all.contains(departure.reservation()))
                        .toList();
    }

    /** Nobody has asked to have it kept, and nobody has gone. */
    public ClaimSpec(
            @Nullable String pool,
            @Nullable String loadBalancerClass,
            List<Owner> owners,
            @Nullable Sharing sharing,
            @Nullable Instant releasedAt,
            boolean retain) {
        this(pool, loadBalancerClass, owners, sharing, releasedAt, retain, List.of(), List.of(), null);
    }

    /** When the Service of this name went, for which the address is kept since. */
    public record Departure(ServiceKey service, Instant at) {
        Owner reservation() {
            return new Owner(service, null);
        }
    }

    /** Nothing but who it is for. */
    public static ClaimSpec of(@Nullable String pool, @Nullable String loadBalancerClass, Owner... owners) {
        return new ClaimSpec(pool, loadBalancerClass, List.of(owners), null, null, false);
    }

    /** Of something that is no Service, such as a {@code Gateway}: kept from every Service for as long as it says so. */
    public static ClaimSpec ofOtherKind(@Nullable String pool, @Nullable String loadBalancerClass, String kind) {
        return new ClaimSpec(pool, loadBalancerClass, List.of(), null, null, false, List.of(), List.of(), kind);
    }

    /** What an address is to the pool that it is in. */
    public enum Phase {
        /** Kept for a Service to come, or from everyone; or of something that is no Service. */
        RESERVED,
        /** A Service has it. */
        BOUND,
        /** Its Service is gone, and it cools down before another may have it; one of the same name may at once. */
        COOLING
    }

    /** The Services that have it, by name; without those that it is only kept for. */
    public List<ServiceKey> services() {
        List<ServiceKey> services = new ArrayList<>(owners.size());
        for (Owner owner : owners) {
            if (!owner.isReservation()) {
                services.add(owner.service());
            }
        }
        return services;
    }

    /** Derived, never stored. */
    public Phase phase() {
        for (Owner owner : owners) {
            if (!owner.isReservation()) {
                return Phase.BOUND;
            }
        }
        return releasedAt != null && !retain ? Phase.COOLING : Phase.RESERVED;
    }

    /** The same for the class {@code value}, each owner as {@code change} has it, and in use. */
    public ClaimSpec takenFor(String value, UnaryOperator<Owner> change) {
        return new ClaimSpec(
                pool,
                value,
                owners.stream().map(change).distinct().toList(),
                sharing,
                null,
                retain,
                retaining,
                departures,
                otherKind);
    }

    /** The same with other terms of sharing. */
    public ClaimSpec shared(@Nullable Sharing terms) {
        return new ClaimSpec(
                pool, loadBalancerClass, owners, terms, releasedAt, retain, retaining, departures, otherKind);
    }

    /**
     * The same, kept or not as {@code service} asks by now. It stays kept while another Service asks for it, and if a
     * person has set it, unless this Service asks not to.
     *
     * @param says what the annotation of the Service asks for; null: it has none
     */
    public ClaimSpec retainedFor(ServiceKey service, @Nullable Boolean says) {
        boolean keep = Boolean.TRUE.equals(says);
        boolean undoes = retaining.contains(service) || says != null;
        List<ServiceKey> asking = new ArrayList<>(retaining);
        asking.remove(service);
        if (keep) {
            asking.add(service);
        }
        boolean kept = keep || (retain && !(undoes && asking.isEmpty()));
        return new ClaimSpec(pool, loadBalancerClass, owners, sharing, releasedAt, kept, asking, departures, otherKind);
    }

    /** The same, taken from the pool {@code name}. */
    public ClaimSpec takenFrom(@Nullable String name) {
        return new ClaimSpec(
                name, loadBalancerClass, owners, sharing, releasedAt, retain, retaining, departures, otherKind);
    }

    /** How many names an Address object can have. */
    private static final int MOST_OWNERS = 64;

    /** Whether no more Services can share it: names whose Services are gone make room, reservations made by hand do not. */
    boolean isFullFor(ServiceKey joining) {
        return owners.stream()
                        .filter(owner -> !owner.equals(new Owner(joining, null)))
                        .filter(owner -> departures.stream()
                                .noneMatch(gone -> gone.reservation().equals(owner)))
                        .count()
                >= MOST_OWNERS;
    }

    /**
     * The same with {@code owner} and the ports of {@code joining} on it, too. What was kept for its name, or was of one
     * that had it before, is its own now: a list of claims has no name twice. And of those kept for names that are gone, those that went first make room for it.
     */
    public ClaimSpec joinedBy(Owner owner, Sharing joining) {
        List<Owner> all = new ArrayList<>(owners);
        if (!all.contains(owner)) {
            all.removeIf(other -> other.service().equals(owner.service()));
            all.add(owner);
        }
        departures.stream()
                .sorted(Comparator.comparing(Departure::at))
                .map(Departure::reservation)
                .filter(all::contains)
                .limit(Math.max(0, all.size() - MOST_OWNERS))
                .forEach(all::remove);
        Sharing terms = sharing == null ? joining : sharing.with(joining);
        return new ClaimSpec(pool, loadBalancerClass, all, terms, null, retain, retaining, departures, otherKind);
    }

    /** The same without {@code owner}; one that was the last leaves a reservation for its name at {@code now}. */
    public ClaimSpec leftBy(Owner owner, Instant now) {
        List<Owner> others =
                owners.stream().filter(other -> !other.equals(owner)).toList();
        boolean last = others.stream().allMatch(Owner::isReservation);
        boolean stays = retain || last;
        List<Owner> left = new ArrayList<>(others);
        Owner returning = new Owner(owner.service(), null);
        List<Departure> gone = new ArrayList<>(departures);
        if (stays && left.stream().noneMatch(other -> other.service().equals(owner.service()))) {
            left.add(returning);
            gone.add(new Departure(owner.service(), now));
        }
        return new ClaimSpec(
                pool,
                loadBalancerClass,
                left,
                sharing == null ? null : sharing.without(owner.service()),
                last ? now : null,
                retain,
                retaining,
                gone,
                otherKind);
    }
}
