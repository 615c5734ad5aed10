package dev.berth.controller.address;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Cooling;
import dev.berth.claim.Holding;
import dev.berth.claim.Ledger;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Backoff;
import dev.berth.controller.Next;
import dev.berth.controller.StartGate;
import dev.berth.controller.Timer;
import dev.berth.ip.Ip;
import dev.berth.kube.Cluster;
import dev.berth.kube.Read;
import dev.berth.kube.Unreadable;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.ClassBook;
import dev.berth.loadbalancer.ServiceState;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the ledger true to the Address objects, and releases those whose Service is gone by a live read,
 * but for what another Berth claimed.
 * Free of the operator SDK.
 */
public final class AddressControl {
    private static final Logger LOG = LoggerFactory.getLogger(AddressControl.class);

    private static final int REMEMBERED = 10_000;

    /** A cache has seen a create long before. */
    private static final Duration HEARD_WITHIN = Duration.ofMinutes(1);

    private final Cluster cluster;
    private final Ledger ledger;
    private final StartGate gate;
    private final Backoff backoff;
    private final Supplier<ClassBook> classes;
    private final InstantSource clock;
    private final InstantSource steady;
    private final Consumer<Collection<ServiceKey>> due;
    private final Consumer<Ip> retry;
    private final Timer later;
    private final Orphans orphans;

    /** Deletes what a provider made for a Service that is gone. */
    public interface Orphans {
        /**
         * Deletes it.
         *
         * @param className what the address was claimed for; null: not known
         * @return false if it could not be done: try again later
         */
        boolean delete(Owner owner, @Nullable String className);
    }

    /** Objects that we deleted, by uid, until the cache has seen it: what it says of them is old. */
    private final Set<String> deleted = Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    }));

    private record Lingering(Ip ip, Owner owner) {}

    /** What is held for Services that may be gone, and has no Address that would be reconciled again. */
    private final Set<Lingering> lingering = ConcurrentHashMap.newKeySet();

    /** A release, and since when it counts, by the clock that nobody sets. */
    private record Resting(String uid, Instant releasedAt, Instant since) {}

    private final Map<Ip, Resting> resting = new ConcurrentHashMap<>();

    private final Map<Ip, Integer> failures = new ConcurrentHashMap<>();

    /**
     * @param classes the classes as they are judged now
     * @param clock what time it is, for what others read
     * @param steady how time passes: nobody sets it forward or back
     * @param due notified which Services to reconcile
     * @param retry notified which address to reconcile again, for its Service cannot be any more
     * @param later for an Address that cannot be reconciled any more, either
     * @param orphans asked before the address of a Service that is gone is given to another
     */
    public AddressControl(
            Cluster cluster,
            Ledger ledger,
            StartGate gate,
            Backoff backoff,
            Supplier<ClassBook> classes,
            InstantSource clock,
            InstantSource steady,
            Consumer<Collection<ServiceKey>> due,
            Consumer<Ip> retry,
            Timer later,
            Orphans orphans) {
        this.cluster = cluster;
        this.ledger = ledger;
        this.gate = gate;
        this.backoff = backoff;
        this.classes = classes;
        this.clock = clock;
        this.steady = steady;
        this.due = due;
        this.retry = retry;
        this.later = later;
        this.orphans = orphans;
    }

    /** Looks at the Address object of {@code ip} as the cache has it. */
    public Next reconcile(Ip ip) {
        gate.await();
        Optional<Claim> cached = cluster.claim(ip);
        Instant releasedAt = cached.map(Claim::spec).map(ClaimSpec::releasedAt).orElse(null);
        if (releasedAt == null) {
            resting.remove(ip);
        }
        if (cached.isEmpty() || deleted.contains(cached.get().uid())) {
            return Next.ON_EVENT;
        }
        Claim claim = cached.get();
        List<Owner> before = ledger.holding(ip).map(Holding::owners).orElse(List.of());
        boolean news = observe(claim);
        if (news) {
            // The Service that it was taken from by hand must not go on publishing it.
            due.accept(before.stream()
                    .filter(owner -> !claim.owners().contains(owner))
                    .map(Owner::service)
                    .toList());
        }
        if (classes.get().isServedElsewhere(claim.loadBalancerClass())) {
            // Another Berth's, to keep and to release; it only says that the address is taken, and by whom.
            due.accept(news ? claim.owners().stream().map(Owner::service).toList() : List.of());
            return Next.ON_EVENT;
        }
        for (Owner owner : claim.owners()) {
            Seen seen = look(owner);
            if (seen.unreadable()) {
                continue;
            }
            Optional<ServiceState> service = seen.service();
            boolean anothers = !owner.isReservation() && !isOwner(service, owner);
            if (!anothers || service.isPresent()) {
                // One of the same name takes over what its predecessor held, or lets go of it itself.
                if (news
                        || anothers
                        || !service.map(ServiceState::wantsLoadBalancer).orElse(false)) {
                    due.accept(List.of(owner.service()));
                }
            } else if (!isReleased(ip, owner)) {
                return Next.after(backoff.after(failures.merge(ip, 1, Integer::sum)));
            }
        }
        failures.remove(ip);
        return releasedAt != null && claim.spec().phase() == ClaimSpec.Phase.COOLING
                ? rest(claim, releasedAt)
                : Next.ON_EVENT;
    }

    private boolean observe(Claim claim) {
        Ledger.Observation observation = ledger.observe(claim);
        due.accept(observation.due());
        return observation.news();
    }

    /** Gives a released address to others, once it has rested for as long as its pool says. */
    private Next rest(Claim claim, Instant releasedAt) {
        Ip ip = claim.ip();
        Duration left = Cooling.left(since(claim, releasedAt), ledger.pools().poolOf(ip), steady.instant());
        if (left.isPositive()) {
            return Next.after(left);
        }
        return switch (delete(claim)) {
            case Write.Done<Claim> done -> {
                LOG.info("{} has rested, and may be allocated again", ip);
                handOn(ip, ledger.free(claim));
                yield Next.ON_EVENT;
            }
            case Write.NotFound<Claim> gone -> {
                handOn(ip, ledger.free(claim));
                yield Next.ON_EVENT;
            }
            case Write.Conflict<Claim> changed -> Next.after(backoff.after(1));
            case Write.Refused<Claim>(String message) -> laterThan(ip, message);
            case Write.Unknown<Claim>(String message) -> laterThan(ip, message);
        };
    }

    private Instant since(Claim claim, Instant releasedAt) {
        Resting rests = resting.get(claim.ip());
        if (rests == null
                || !rests.uid().equals(claim.uid())
                || !rests.releasedAt().equals(releasedAt)) {
            rests = new Resting(claim.uid(), releasedAt, Cooling.since(releasedAt, clock.instant(), steady.instant()));
            resting.put(claim.ip(), rests);
        }
        return rests.since();
    }

    private Next laterThan(Ip ip, String message) {
        cannotRelease(ip, message);
        return Next.after(backoff.after(failures.merge(ip, 1, Integer::sum)));
    }

    /**
     * This Address object was just made by us. The cache will see it, and its end; but neither, if the
     * watch was broken all its life. So a live read decides, if the cache does not have it in time.
     */
    public void made(Claim claim) {
        later.after(HEARD_WITHIN, () -> lookFor(claim));
    }

    private void lookFor(Claim made) {
        boolean unheard =
                cluster.claim(made.ip()).filter(cached -> isSame(cached, made)).isEmpty();
        boolean counts = ledger.holding(made.ip())
                .flatMap(held -> Optional.ofNullable(held.claim()))
                .filter(known -> isSame(known, made))
                .isPresent();
        if (unheard && counts) {
            switch (cluster.readClaim(made.ip())) {
                case Read.Found<Claim>(Claim found) -> {
                    if (isSame(found, made)) {
                        made(made);
                    } else {
                        vanished(made);
                    }
                }
                case Read.Absent<Claim> gone -> vanished(made);
                case Read.Failed<Claim> unknown -> made(made);
            }
        }
    }

    private static boolean isSame(Claim one, Claim other) {
        return one.uid().equals(other.uid());
    }

    /** This Address object, as the cache had it last, is gone, unless the cache has that very object. */
    public Next vanished(Claim last) {
        gate.await();
        Ip ip = last.ip();
        resting.remove(ip);
        if (cluster.claim(ip).filter(claim -> claim.uid().equals(last.uid())).isPresent()) {
            // The operator SDK reports the deletion of one with the object that was made in its place.
            return reconcile(ip);
        }
        ledger.gone(last);
        if (deleted.remove(last.uid())) {
            return Next.ON_EVENT;
        }
        Optional<Holding> known = ledger.holding(ip);
        if (known.isEmpty() || !isGone(known.get())) {
            return Next.ON_EVENT;
        }
        List<Owner> owners = known.get().owners().stream()
                .filter(owner -> !owner.isReservation())
                .toList();
        if (owners.isEmpty() || classes.get().isServedElsewhere(known.get().loadBalancerClass())) {
            due.accept(ledger.free(ip));
            return Next.ON_EVENT;
        }
        // It stays theirs until a live read shows that they are gone: the cache may not know them yet.
        List<ServiceKey> _ = ledger.lost(known.get());
        for (Owner owner : owners) {
            Seen seen = look(owner);
            if (seen.unreadable()) {
                continue;
            }
            if (isOwner(seen.service(), owner)) {
                LOG.warn("Address {} was deleted while {} holds it; it is made again", ip, owner.service());
                due.accept(List.of(owner.service()));
            } else {
                lingering.add(new Lingering(ip, owner));
                releaseVanished(ip, owner, 1);
            }
        }
        return Next.ON_EVENT;
    }

    /** No event will come again, so it is read again until it is known whether {@code owner} is gone. */
    private void releaseVanished(Ip ip, Owner owner, int tries) {
        boolean stillHeld =
                ledger.holding(ip).filter(held -> held.owners().contains(owner)).isPresent();
        if (stillHeld && !isReleased(ip, owner)) {
            later.after(backoff.after(tries), () -> releaseVanished(ip, owner, tries + 1));
        } else {
            lingering.remove(new Lingering(ip, owner));
        }
    }

    /** A read showed that this Address object is gone, and nobody here has deleted it: its owners make it again. */
    public void foundGone(Claim claim) {
        handOn(claim.ip(), ledger.vanished(claim, null));
    }

    /** The same of what is known of the address; whose it is no longer is left alone. */
    public void foundGone(Holding known) {
        handOn(
                known.ip(),
                Stream.concat(ledger.lost(known).stream(), known.spec().services().stream())
                        .distinct()
                        .toList());
    }

    /** {@code services} are due: it is their turn, or they are to make the Address of what they hold. */
    private void handOn(Ip ip, List<ServiceKey> services) {
        due.accept(services);
        // A Service that is gone gets no event any more, and neither does an address without an Address.
        ledger.holding(ip).filter(held -> held.state() == Holding.State.HELD).stream()
                .flatMap(held -> held.owners().stream())
                .filter(owner -> !owner.isReservation() && !cluster.hasService(owner.service()))
                .forEach(owner -> lookAfter(ip, owner));
    }

    private void lookAfter(Ip ip, Owner owner) {
        if (lingering.add(new Lingering(ip, owner))) {
            later.after(backoff.after(1), () -> releaseVanished(ip, owner, 2));
        }
    }

    private boolean isGone(Holding holding) {
        Claim claim = holding.claim();
        return claim == null ? holding.state() == Holding.State.UNSURE : ledger.isGone(claim);
    }

    /**
     * The Service of an owner, as the cache has it.
     *
     * @param unreadable what such a Service holds stays as it is; others who share it are not to suffer from it
     */
    private record Seen(boolean unreadable, Optional<ServiceState> service) {}

    private Seen look(Owner owner) {
        try {
            return new Seen(false, cluster.service(owner.service()));
        } catch (Unreadable there) {
            return new Seen(true, Optional.empty());
        }
    }

    private static boolean isOwner(Optional<ServiceState> service, Owner owner) {
        return service.isPresent() && service.get().uid().equals(owner.uid());
    }

    /**
     * Releases {@code owner}'s hold on {@code ip} if a live read shows that the Service is gone.
     *
     * @return false if it could not be told, or done: try again later
     */
    public boolean releaseIfGone(Ip ip, Owner owner) {
        boolean released = isReleased(ip, owner);
        if (!released && cluster.claim(ip).isPresent()) {
            retry.accept(ip);
        } else if (!released) {
            // Neither the Service nor the Address need be in a cache: nothing else would come back to it.
            lookAfter(ip, owner);
        }
        return released;
    }

    private boolean isReleased(Ip ip, Owner owner) {
        return switch (cluster.readService(owner.service())) {
            case Read.Found<ServiceState>(ServiceState found)
            when found.uid().equals(owner.uid()) -> {
                due.accept(List.of(owner.service()));
                yield true;
            }
            case Read.Found<ServiceState> other -> releaseWhatIsLeft(ip, owner);
            case Read.Absent<ServiceState> gone -> releaseWhatIsLeft(ip, owner);
            case Read.Failed<ServiceState>(String message) -> {
                LOG.warn("{}: cannot tell whether {} still needs it: {}", ip, owner.service(), message);
                yield false;
            }
        };
    }

    /** Traffic for the Service that is gone must not go on at an address that is another's by then. */
    private boolean releaseWhatIsLeft(Ip ip, Owner owner) {
        Optional<Holding> holding =
                ledger.holding(ip).filter(held -> held.owners().contains(owner));
        return holding.isEmpty()
                || (orphans.delete(owner, holding.get().loadBalancerClass()) && releaseOfGone(ip, owner));
    }

    /** What came of giving an address back. */
    public enum Released {
        /** It is given back, or was not held any more. */
        DONE,
        /** Its Address is not as it was: look at the Service again, then decide again. */
        CHANGED,
        /** It could not be done: try again later. */
        LATER
    }

    /**
     * Releases the hold of a Service that is there, and was seen to need it no longer. Others' holds stay.
     *
     * <p>It may need it again by now. Anyone who publishes it for the first time writes its Address before that;
     * so it is given back only if its Address is still what it was before the Service was looked at.
     *
     * @param before the Address as it was known before the Service was seen not to need it; null: not known
     */
    public Released release(Ip ip, Owner owner, @Nullable Claim before) {
        Optional<Holding> holding =
                ledger.holding(ip).filter(held -> held.owners().contains(owner));
        if (holding.isEmpty()) {
            return Released.DONE;
        }
        if (holding.get().state() == Holding.State.HELD) {
            handOn(ip, ledger.leave(ip, leaving(owner)));
            return leftBy(owner, ip);
        }
        Claim claim = holding.get().claim();
        if (claim == null) {
            return readAgain(ip, owner, null);
        }
        if (!claim.equals(before)) {
            return Released.CHANGED;
        }
        Released released = release(claim, owner);
        return released == Released.CHANGED ? readAgain(ip, owner, claim) : released;
    }

    /** What is known of the object is old, or nothing. */
    private Released readAgain(Ip ip, Owner owner, @Nullable Claim known) {
        return switch (cluster.readClaim(ip)) {
            case Read.Found<Claim>(Claim now) -> {
                observe(now);
                yield leftBy(owner, ip);
            }
            case Read.Absent<Claim> gone -> {
                handOn(ip, known == null ? ledger.leave(ip, leaving(owner)) : ledger.vanished(known, leaving(owner)));
                yield leftBy(owner, ip);
            }
            case Read.Failed<Claim>(String message) -> cannotRelease(ip, message);
        };
    }

    /** Whether the ledger has it so. What was heard while an answer was on its way is newer than the answer. */
    private Released leftBy(Owner owner, Ip ip) {
        return ledger.holding(ip).filter(held -> held.owners().contains(owner)).isPresent()
                ? Released.CHANGED
                : Released.DONE;
    }

    /** The same for a Service that is gone: it cannot need it again, so what its Address says by now counts. */
    private boolean releaseOfGone(Ip ip, Owner owner) {
        Claim known = ledger.holding(ip).map(Holding::claim).orElse(null);
        Released released = release(ip, owner, known);
        if (released == Released.CHANGED) {
            Claim now = ledger.holding(ip).map(Holding::claim).orElse(null);
            released = release(ip, owner, now);
        }
        return released == Released.DONE;
    }

    private Ledger.Leaving leaving(Owner owner) {
        return new Ledger.Leaving(owner, clock.instant().truncatedTo(ChronoUnit.SECONDS));
    }

    private Released release(Claim claim, Owner owner) {
        Ledger.Leaving leaving = leaving(owner);
        ClaimSpec left = claim.spec().leftBy(leaving.owner(), leaving.at());
        boolean goes = left.phase() != ClaimSpec.Phase.BOUND
                && (isTakenBack(left, claim.ip()) || (!left.retain() && !mustRest(left, claim.ip())));
        Write<Claim> outcome = goes ? delete(claim) : cluster.updateClaim(claim, left);
        return switch (outcome) {
            case Write.Done<Claim>(Claim now) -> {
                if (goes) {
                    handOn(claim.ip(), ledger.free(claim));
                } else {
                    observe(now);
                }
                LOG.info("{} was released by {}", claim.ip(), owner.service());
                yield Released.DONE;
            }
            case Write.NotFound<Claim> gone -> {
                handOn(claim.ip(), ledger.vanished(claim, leaving));
                yield leftBy(owner, claim.ip());
            }
            case Write.Conflict<Claim> changed -> Released.CHANGED;
            case Write.Refused<Claim>(String message) -> cannotRelease(claim.ip(), message);
            case Write.Unknown<Claim>(String message) -> {
                if (ledger.isGone(claim)) {
                    // The informer was quicker than the answer that got lost: it is done.
                    handOn(claim.ip(), ledger.free(claim));
                    yield leftBy(owner, claim.ip());
                }
                ledger.doubt(claim);
                yield cannotRelease(claim.ip(), message);
            }
        };
    }

    private boolean mustRest(ClaimSpec left, Ip ip) {
        return Cooling.left(left, ledger.pools().poolOf(ip), clock.instant()).isPositive();
    }

    private boolean isTakenBack(ClaimSpec left, Ip ip) {
        return ledger.pools().takesBack(ip, left.pool());
    }

    /** Noted before it is done: the informer may see it before the answer is here. */
    private Write<Claim> delete(Claim claim) {
        deleted.add(claim.uid());
        Write<Claim> outcome = cluster.deleteClaim(claim);
        if (!(outcome instanceof Write.Done<Claim>)) {
            deleted.remove(claim.uid());
        }
        return outcome;
    }

    private static Released cannotRelease(Ip ip, String message) {
        LOG.warn("releasing {}: {}; it stays claimed and is tried again", ip, message);
        return Released.LATER;
    }
}
