package dev.berth.controller.address;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Ledger;
import dev.berth.claim.LeftClaim;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Timing;
import dev.berth.ip.Ip;
import dev.berth.kube.Cluster;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.ServiceState;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives addresses back: the Address object first, then, by the answer, the ledger; and tells whose turn it is. */
final class AddressRelease {
    private static final Logger LOG = LoggerFactory.getLogger(AddressRelease.class);

    private static final int REMEMBERED = 10_000;

    private final Cluster cluster;
    private final Ledger ledger;
    private final Timing timing;
    private final Consumer<Collection<ServiceKey>> due;
    private final Consumer<Ip> retry;
    private final Orphans orphans;
    private final Consumer<Claim> read;
    private final Predicate<Holding> isLeftToOthers;

    /**
     * Objects that we deleted, by uid, until the cache has seen it: what it says of them is old. And whether it said
     * something meanwhile.
     */
    private final Map<String, Boolean> deleted = Collections.synchronizedMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    });

    private final OwnerLooks looks;

    /**
     * Nothing is given back yet.
     *
     * @param due notified which Services to reconcile
     * @param retry notified which address to reconcile again
     * @param orphans asked before the address of a Service that is gone is given to another
     * @param read notified of an Address object that a read has found
     * @param isLeftToOthers whether another Berth claimed it, who keeps and releases it
     */
    AddressRelease(
            Cluster cluster,
            Ledger ledger,
            Timing timing,
            Consumer<Collection<ServiceKey>> due,
            Consumer<Ip> retry,
            Orphans orphans,
            Consumer<Claim> read,
            Predicate<Holding> isLeftToOthers) {
        this.cluster = cluster;
        this.ledger = ledger;
        this.timing = timing;
        this.due = due;
        this.retry = retry;
        this.orphans = orphans;
        this.read = read;
        this.isLeftToOthers = isLeftToOthers;
        looks = new OwnerLooks(timing, this::isKnown);
    }

    /**
     * Releases the hold of a Service that is there, and was seen to need it no longer. Others' holds stay.
     *
     * <p>It may need it again by now. Anyone who publishes it for the first time writes its Address before that;
     * so it is given back only if its Address is still what it was before the Service was looked at.
     *
     * @param before the Address as it was known before the Service was seen not to need it; null: not known
     */
    Released of(Ip ip, Owner owner, @Nullable Claim before) {
        Optional<Holding> holding = heldFor(ip, owner);
        if (holding.isEmpty()) {
            return Released.DONE;
        }
        if (holding.get().state() == Holding.State.HELD) {
            wake(ip, ledger.leave(ip, leaving(owner)));
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
                read.accept(now);
                yield leftBy(owner, ip);
            }
            case Read.Absent<Claim> gone -> {
                wake(ip, known == null ? ledger.leave(ip, leaving(owner)) : ledger.vanished(known, leaving(owner)));
                yield leftBy(owner, ip);
            }
            case Read.Failed<Claim>(String message) -> cannotRelease(ip, message);
        };
    }

    private Ledger.Leaving leaving(Owner owner) {
        return new Ledger.Leaving(owner, timing.clock().instant().truncatedTo(ChronoUnit.SECONDS));
    }

    private Released release(Claim claim, Owner owner) {
        Ledger.Leaving leaving = leaving(owner);
        return switch (LeftClaim.of(claim, leaving, ledger.pools())) {
            case LeftClaim.Deleted _ ->
                written(claim, leaving, delete(claim), none -> wake(claim.ip(), ledger.free(claim)));
            case LeftClaim.Kept(ClaimSpec left) ->
                written(
                        claim,
                        leaving,
                        cluster.updateClaim(claim, left),
                        now -> due.accept(ledger.observe(now).concernedBeside(owner.service())));
        };
    }

    /** @param note has the ledger know what was written */
    private Released written(Claim claim, Ledger.Leaving leaving, Write<Claim> outcome, Consumer<Claim> note) {
        Owner owner = leaving.owner();
        return switch (outcome) {
            case Write.Done<Claim>(Claim now) -> {
                note.accept(now);
                LOG.info("{} was released by {}", claim.ip(), owner.service());
                yield Released.DONE;
            }
            case Write.NotFound<Claim> gone -> {
                wake(claim.ip(), ledger.vanished(claim, leaving));
                yield leftBy(owner, claim.ip());
            }
            case Write.Conflict<Claim> changed -> Released.CHANGED;
            case Write.Refused<Claim>(String message) -> cannotRelease(claim.ip(), message);
            case Write.Unknown<Claim>(String message) -> {
                if (ledger.isGone(claim)) {
                    // The informer was quicker than the answer that got lost: it is done.
                    wake(claim.ip(), ledger.free(claim));
                    yield leftBy(owner, claim.ip());
                }
                ledger.doubt(claim);
                yield cannotRelease(claim.ip(), message);
            }
        };
    }

    /** Whether the ledger has it so. What was heard while an answer was on its way is newer than the answer. */
    private Released leftBy(Owner owner, Ip ip) {
        return heldFor(ip, owner).isPresent() ? Released.CHANGED : Released.DONE;
    }

    private Optional<Holding> heldFor(Ip ip, Owner owner) {
        return ledger.holding(ip).filter(held -> held.owners().contains(owner));
    }

    /** Gives an address to others that has cooled for as long as its pool says. */
    Released ofCooled(Claim claim) {
        Ip ip = claim.ip();
        return switch (delete(claim)) {
            case Write.Done<Claim> done -> {
                LOG.info("the reuseAfter period of {} has ended; it can be allocated again", ip);
                wake(ip, ledger.free(claim));
                yield Released.DONE;
            }
            case Write.NotFound<Claim> gone -> {
                wake(ip, ledger.free(claim));
                yield Released.DONE;
            }
            case Write.Conflict<Claim> changed -> Released.CHANGED;
            case Write.Refused<Claim>(String message) -> cannotRelease(ip, message);
            case Write.Unknown<Claim>(String message) -> cannotRelease(ip, message);
        };
    }

    /** Noted before it is done: the informer may see it before the answer is here. */
    private Write<Claim> delete(Claim claim) {
        deleted.putIfAbsent(claim.uid(), false);
        Write<Claim> outcome = cluster.deleteClaim(claim);
        if (!(outcome instanceof Write.Done<Claim>) && Boolean.TRUE.equals(deleted.remove(claim.uid()))) {
            // An event on what is not deleted was passed over.
            retry.accept(claim.ip());
        }
        return outcome;
    }

    /** An event on this object; returns whether it was deleted by us, and the cache has not seen it yet. */
    boolean hasDeleted(Claim claim) {
        return deleted.replace(claim.uid(), true) != null;
    }

    /** It is there still: its end is as if others had deleted it. */
    void forgetDeleted(Claim claim) {
        deleted.remove(claim.uid());
    }

    /** The cache has seen that this object is gone. Returns whether it was deleted by us. */
    boolean sawDeleted(Claim claim) {
        return deleted.remove(claim.uid()) != null;
    }

    /**
     * Releases {@code owner}'s hold if a live read shows that the Service is gone.
     *
     * @return false if it is not known whether the Service is gone, the release failed, or the cache does not have the
     *     Service yet: try again later
     */
    boolean ifGone(Ip ip, Owner owner) {
        return switch (cluster.readService(owner.service())) {
            case Read.Found<ServiceState>(ServiceState found)
            when found.uid().equals(owner.uid()) -> {
                // First: a Service that is not in the cache is not reconciled, and its first event may not concern
                // Berth.
                CachedOwner cached = CachedOwner.of(cluster, owner);
                due.accept(List.of(owner.service()));
                yield cached.isUnreadable() || cached.isOwner();
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
        Optional<Holding> holding = itsOwn(ip, owner);
        return holding.isEmpty()
                || (orphans.delete(owner, holding.get().loadBalancerClass()) && releaseOfGone(ip, owner));
    }

    /** What it holds there; absent: nothing, or what another Berth claimed for it. */
    private Optional<Holding> itsOwn(Ip ip, Owner owner) {
        return heldFor(ip, owner).filter(held -> !isLeftToOthers.test(held));
    }

    /** The Service cannot need it again, so what its Address says by now counts. */
    private boolean releaseOfGone(Ip ip, Owner owner) {
        Released released = releaseAsKnown(ip, owner);
        return (released == Released.CHANGED ? releaseAsKnown(ip, owner) : released) == Released.DONE;
    }

    private Released releaseAsKnown(Ip ip, Owner owner) {
        return itsOwn(ip, owner).map(held -> of(ip, owner, held.claim())).orElse(Released.DONE);
    }

    /** The same as {@link #ifGone}, and again until {@code owner} is gone, or in the cache: no event will come again. */
    void untilKnown(Ip ip, Owner owner) {
        looks.now(ip, owner);
    }

    /** The same as {@link #untilKnown}, but not at once; once for all who ask. */
    void lookAfter(Ip ip, Owner owner) {
        looks.later(ip, owner);
    }

    private boolean isKnown(OwnerLooks.Held what) {
        Owner owner = what.owner();
        if (heldFor(what.ip(), owner).isEmpty()) {
            return true;
        }
        CachedOwner cached = CachedOwner.of(cluster, owner);
        if (cached.service().isPresent() && !cached.isOwner()) {
            // One of the same name takes over what its predecessor held, or releases it itself.
            due.accept(List.of(owner.service()));
            return true;
        }
        return ifGone(what.ip(), owner);
    }

    /** {@code services} are due: it is their turn, or they are to make the Address of what they hold. */
    void wake(Ip ip, List<ServiceKey> services) {
        due.accept(services);
        // A Service that is gone gets no event any more, and neither does an address without an Address.
        ledger.holding(ip).filter(held -> held.state() == Holding.State.HELD).stream()
                .flatMap(held -> held.owners().stream())
                .filter(owner -> !owner.isReservation() && !cluster.hasService(owner.service()))
                .forEach(owner -> lookAfter(ip, owner));
    }

    private static Released cannotRelease(Ip ip, String message) {
        LOG.warn("releasing {}: {}; it stays claimed; retrying", ip, message);
        return Released.LATER;
    }
}
