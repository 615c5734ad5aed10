package dev.berth.controller.address;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Cooling;
import dev.berth.claim.Holding;
import dev.berth.claim.Ledger;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Next;
import dev.berth.controller.RetrySchedule;
import dev.berth.controller.StartGate;
import dev.berth.controller.Timing;
import dev.berth.controller.Unheard;
import dev.berth.ip.Ip;
import dev.berth.kube.Cluster;
import dev.berth.kube.Read;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.ServiceState;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
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

    private final Cluster cluster;
    private final Ledger ledger;
    private final StartGate gate;
    private final Timing timing;
    private final Supplier<ClassSet> classes;
    private final Consumer<Collection<ServiceKey>> due;
    private final AddressRelease release;
    private final Unheard<Claim> unheard;

    /** A release, and since when it counts, by the clock that nobody sets. */
    private record CoolingSince(String uid, Instant releasedAt, Instant since) {}

    /** The Addresses that are another Berth's to release. */
    private final Set<Ip> leftToOthers = ConcurrentHashMap.newKeySet();

    /** The values of the classes that another Berth was found to serve. */
    private final Set<String> othersClasses = ConcurrentHashMap.newKeySet();

    private final Map<Ip, CoolingSince> cooling = new ConcurrentHashMap<>();

    /** Of what could not be released. */
    private final RetrySchedule<Ip> retries;

    /**
     * @param classes the classes as they are judged now
     * @param due notified which Services to reconcile
     * @param retry notified which address to reconcile again: an event was passed over
     * @param orphans asked before the address of a Service that is gone is given to another
     */
    public AddressControl(
            Cluster cluster,
            Ledger ledger,
            StartGate gate,
            Timing timing,
            Supplier<ClassSet> classes,
            Consumer<Collection<ServiceKey>> due,
            Consumer<Ip> retry,
            Orphans orphans) {
        this.cluster = cluster;
        this.ledger = ledger;
        this.gate = gate;
        this.timing = timing;
        this.classes = classes;
        this.due = due;
        retries = new RetrySchedule<>(timing.backoff(), timing.steady());
        release = new AddressRelease(cluster, ledger, timing, due, retry, orphans, this::read, this::isLeftToOthers);
        unheard = new Unheard<>(
                timing.later(), claim -> !isUnheard(claim) || !isKnown(claim), this::readSame, this::vanished);
    }

    /**
     * A class is another by now: the addresses that were left to another Berth, and are no more, have to be looked at again. A
     * Service that is gone may have been told to leave them, too, and does not come back to them.
     */
    public List<Ip> classChanged(String value) {
        if (classes.get().isServedElsewhere(value)) {
            othersClasses.add(value);
            return List.of();
        }
        Stream<Ip> left = leftToOthers.stream()
                .filter(ip -> ledger.holding(ip)
                        .filter(held -> classes.get().isServedElsewhere(held.loadBalancerClass()))
                        .isEmpty());
        Stream<Ip> claimed = othersClasses.remove(value)
                ? ledger.holdings().stream()
                        .filter(held -> held.claim() != null && value.equals(held.loadBalancerClass()))
                        .map(Holding::ip)
                : Stream.empty();
        return Stream.concat(left, claimed).distinct().sorted().toList();
    }

    /** Looks at the Address object of {@code ip} as the cache has it. */
    public Next reconcile(Ip ip) {
        gate.await();
        Optional<Claim> cached = cluster.claim(ip);
        Instant releasedAt = cached.map(Claim::spec).map(ClaimSpec::releasedAt).orElse(null);
        if (releasedAt == null) {
            cooling.remove(ip);
        }
        if (cached.isEmpty() || release.hasDeleted(cached.get())) {
            return Next.ON_EVENT;
        }
        Claim claim = cached.get();
        // The Service that it was taken from by hand must not go on publishing it.
        due.accept(ledger.observe(claim).concerned());
        if (isLeftToOthers(ip, claim.loadBalancerClass())) {
            // It only says that the address is taken, and by whom.
            return Next.ON_EVENT;
        }
        if (leftToOthers.remove(ip)) {
            // What they said of it was another Berth's to say.
            due.accept(claim.owners().stream().map(Owner::service).toList());
        }
        boolean isDone = true;
        for (Owner owner : claim.owners()) {
            CachedOwner seen = CachedOwner.of(cluster, owner);
            if (seen.isUnreadable()) {
                continue;
            }
            Optional<ServiceState> service = seen.service();
            boolean anothers = !owner.isReservation() && !seen.isOwner();
            if (!anothers || service.isPresent()) {
                // One of the same name takes over what its predecessor held, or releases it itself.
                if (anothers || !service.map(ServiceState::wantsLoadBalancer).orElse(false)) {
                    due.accept(List.of(owner.service()));
                }
            } else {
                isDone &= release.ifGone(ip, owner);
            }
        }
        if (!isDone) {
            return Next.after(retries.failed(ip));
        }
        if (releasedAt != null && claim.spec().phase() == ClaimSpec.Phase.COOLING) {
            return cool(claim, releasedAt);
        }
        retries.done(ip);
        return Next.ON_EVENT;
    }

    /** Whether another Berth claimed it, who keeps and releases it. */
    private boolean isLeftToOthers(Ip ip, @Nullable String className) {
        if (!classes.get().isServedElsewhere(className)) {
            return false;
        }
        leftToOthers.add(ip);
        // Else that class went before it was noted.
        return classes.get().isServedElsewhere(className);
    }

    /** What has no Address yet is this one's. */
    private boolean isLeftToOthers(Holding held) {
        return held.claim() != null && isLeftToOthers(held.ip(), held.loadBalancerClass());
    }

    /** Gives a released address to others, once it has cooled for as long as its pool says. */
    private Next cool(Claim claim, Instant releasedAt) {
        Ip ip = claim.ip();
        Duration left = Cooling.left(
                since(claim, releasedAt),
                ledger.pools().poolOf(ip),
                timing.steady().instant());
        if (left.isPositive()) {
            return Next.after(left);
        }
        return switch (release.ofCooled(claim)) {
            case DONE -> {
                retries.done(ip);
                yield Next.ON_EVENT;
            }
            case CHANGED -> Next.after(timing.backoff().after(1));
            case LATER -> Next.after(retries.failed(ip));
        };
    }

    private Instant since(Claim claim, Instant releasedAt) {
        CoolingSince known = cooling.get(claim.ip());
        if (known == null
                || !known.uid().equals(claim.uid())
                || !known.releasedAt().equals(releasedAt)) {
            known = new CoolingSince(
                    claim.uid(),
                    releasedAt,
                    Cooling.since(
                            releasedAt,
                            timing.clock().instant(),
                            timing.steady().instant()));
            cooling.put(claim.ip(), known);
        }
        return known.since();
    }

    /** This Address object was just made by us. */
    public void made(Claim claim) {
        unheard.found(claim);
    }

    /** A read found this Address object. */
    public void read(Claim claim) {
        due.accept(ledger.observe(claim).concerned());
        if (isUnheard(claim)) {
            unheard.found(claim);
        }
    }

    /**
     * A create found this Address object, although it was deleted: a finalizer keeps it. Until the cache shows its end, it is
     * its owners', as if others had deleted it: one of them may publish it again by then.
     *
     * @return false if the cache does not have it: then nothing would show its end
     */
    public boolean keeps(Claim claim) {
        if (isUnheard(claim)) {
            return false;
        }
        ledger.kept(claim);
        // After that: another delete that was answered before it has freed nothing.
        release.forgetDeleted(claim);
        if (isUnheard(claim)) {
            // Its end was shown before that was noted.
            due.accept(ledger.free(claim));
        }
        return true;
    }

    private boolean isUnheard(Claim claim) {
        return cluster.claim(claim.ip()).filter(cached -> isSame(cached, claim)).isEmpty();
    }

    private boolean isKnown(Claim claim) {
        return ledger.holding(claim.ip())
                .flatMap(held -> Optional.ofNullable(held.claim()))
                .filter(known -> isSame(known, claim))
                .isPresent();
    }

    private Read<Claim> readSame(Claim claim) {
        return cluster.readClaim(claim.ip())
                .then(found -> isSame(found, claim) ? new Read.Found<>(found) : new Read.Absent<>());
    }

    private static boolean isSame(Claim one, Claim other) {
        return one.uid().equals(other.uid());
    }

    /** This Address object, as the cache had it last, is gone, unless the cache has that very object. */
    public Next vanished(Claim last) {
        gate.await();
        Ip ip = last.ip();
        cooling.remove(ip);
        leftToOthers.remove(ip);
        retries.done(ip);
        if (cluster.claim(ip).filter(claim -> claim.uid().equals(last.uid())).isPresent()) {
            // The operator SDK reports the deletion of one with the object that was made in its place.
            return reconcile(ip);
        }
        ledger.gone(last);
        if (release.sawDeleted(last)) {
            return Next.ON_EVENT;
        }
        Optional<Holding> known = ledger.holding(ip);
        if (known.isEmpty() || !isGone(known.get())) {
            return Next.ON_EVENT;
        }
        List<Owner> owners = known.get().owners().stream()
                .filter(owner -> !owner.isReservation())
                .toList();
        boolean isAnothers = classes.get().isServedElsewhere(known.get().loadBalancerClass());
        if (owners.isEmpty() || isAnothers) {
            due.accept(ledger.free(ip));
            // They may be this Berth's by now.
            due.accept(owners.stream().map(Owner::service).toList());
            return Next.ON_EVENT;
        }
        // It stays theirs until a live read shows that they are gone: the cache may not know them yet.
        List<ServiceKey> _ = ledger.lost(known.get());
        for (Owner owner : owners) {
            CachedOwner seen = CachedOwner.of(cluster, owner);
            if (seen.isUnreadable()) {
                continue;
            }
            if (seen.isOwner()) {
                LOG.warn("Address {} was deleted while {} holds it; recreating it", ip, owner.service());
                due.accept(List.of(owner.service()));
            } else {
                release.untilKnown(ip, owner);
            }
        }
        return Next.ON_EVENT;
    }

    /** A read showed that this Address object is gone, and nobody here has deleted it: its owners make it again. */
    public void foundGone(Claim claim) {
        release.wake(claim.ip(), ledger.vanished(claim, null));
    }

    /** The same of what is known of the address; an owner that has it no longer is not notified. */
    public void foundGone(Holding known) {
        release.wake(
                known.ip(),
                Stream.concat(ledger.lost(known).stream(), known.spec().services().stream())
                        .distinct()
                        .toList());
    }

    private boolean isGone(Holding holding) {
        Claim claim = holding.claim();
        return claim == null ? holding.state() == Holding.State.UNSURE : ledger.isGone(claim);
    }

    /** Releases what the Service of this name holds, if it is gone: no timer of it comes. */
    public void releaseIfGone(ServiceKey service) {
        ledger.heldFor(service)
                .forEach(holding -> holding.owners().stream()
                        .filter(owner -> owner.service().equals(service) && !owner.isReservation())
                        .forEach(owner -> releaseIfGone(holding.ip(), owner)));
    }

    /**
     * Releases {@code owner}'s hold on {@code ip} if a live read shows that the Service is gone.
     *
     * @return whether it could be told, and done; LATER, too, while the Service is there and the cache lacks it
     */
    public Released releaseIfGone(Ip ip, Owner owner) {
        boolean released = release.ifGone(ip, owner);
        if (!released) {
            // The Service need not be in a cache, and the Address there may be another's: nothing else would come back
            // to it.
            release.lookAfter(ip, owner);
        }
        return released ? Released.DONE : Released.LATER;
    }

    /**
     * Releases the hold of a Service that is there, and was seen to need it no longer. Others' holds stay.
     *
     * @param before the Address as it was known before the Service was seen not to need it; null: not known
     */
    public Released release(Ip ip, Owner owner, @Nullable Claim before) {
        return release.of(ip, owner, before);
    }
}
