package dev.berth.claim;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.PoolSet;
import dev.berth.pool.PoolUse;
import dev.berth.pool.Refusal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who holds which address, and who waits for one.
 *
 * <p>The Address objects are the truth; this is what the operator knows of them, plus the addresses
 * whose create is under way. Safe for use by several threads: one lock, held for memory work only.
 *
 * <p>A method that may free an address, or let somebody's turn come, returns the Services that should
 * try again: never more of them than can be served. With them come those that wait and say that something is free which is
 * not any more.
 */
public final class Ledger {
    private final ReentrantLock lock = new ReentrantLock();
    private final Holdings holdings = new Holdings();
    private final WaitingList waiting = new WaitingList();

    private final Allocator.View view = new LedgerView(holdings, waiting);
    private final Turns turns = new Turns(holdings, waiting, view);

    /** Each is held by nobody, or for whom it is claimed. */
    private final Withheld withheld = new Withheld();

    private final GoneClaims gone = new GoneClaims();

    /** What {@link #take} would answer now; nothing is held. */
    public Choice choose(AddressRequest request) {
        return locked(() -> Allocator.choose(view, request));
    }

    /**
     * Chooses, and holds every address of the choice for its Service, before anyone else can choose. One that it joins
     * needs no hold: the update of the Address object decides.
     */
    public Choice take(AddressRequest request) {
        return locked(() -> {
            Choice choice = Allocator.choose(view, request);
            turns.answered(request, choice);
            if (choice instanceof Choice.Assigned assigned) {
                hold(assigned);
            }
            return choice;
        });
    }

    private void hold(Choice.Assigned choice) {
        for (Choice.Pick pick : choice.picks()) {
            if (pick.joins() == null) {
                apply(pick.ip(), new HoldingEvent.Chosen(choice.request().claimOf(pick.pool())));
            }
        }
    }

    /**
     * Takes note of an Address object, no matter who wrote it. What it says replaces what was known, unless that
     * is newer, or the object is known to be gone: a cache may lag behind the answer to a write, and an
     * answer behind the cache.
     *
     * @return the Services that it says anything new of, and those whose turn it is now
     */
    public Observation observe(Claim claim) {
        return locked(() -> {
            Holding known = holdings.get(claim.ip());
            if (gone.contains(claim)
                    || !(apply(claim.ip(), new HoldingEvent.Seen(claim)) instanceof HoldingLife.Becomes fate)) {
                return new Observation(List.of(), List.of(), List.of());
            }
            Holding now = fate.now();
            if (known == null) {
                List<ServiceKey> all = owners(now.owners(), List.of());
                return new Observation(all, all, turns.newlyInTurn(turns.sharesOf(now)));
            }
            return new Observation(
                    known.sameContent(now) ? List.of() : owners(known.owners(), now.owners()),
                    joined(known, now),
                    dueBy(known, now));
        });
    }

    /** For whom it was not claimed before. */
    private static List<ServiceKey> joined(Holding before, Holding now) {
        List<Owner> joined = new ArrayList<>(now.owners());
        if (before.state() == Holding.State.CLAIMED) {
            joined.removeAll(before.owners());
        }
        return owners(joined, List.of());
    }

    private static List<ServiceKey> owners(List<Owner> before, List<Owner> now) {
        return Stream.concat(before.stream(), now.stream())
                .map(Owner::service)
                .distinct()
                .toList();
    }

    private List<ServiceKey> dueBy(Holding before, Holding now) {
        SequencedSet<ServiceKey> due = new LinkedHashSet<>(turns.newlyInTurn(turns.openedBy(before, now)));
        due.addAll(whoStays(before, now));
        // Who publishes it may have to take it back.
        withheld.servicesOf(now.ip()).stream()
                .filter(service -> now.isClaimedForOthers(service) && !before.isClaimedForOthers(service))
                .forEach(due::add);
        return List.copyOf(due);
    }

    /**
     * What came of noting an Address object.
     *
     * @param owners the Services that the address is for, and those that it was for; none, if nothing in it is new
     * @param joined those of them that it was not claimed for
     * @param due the Services whose turn it is now
     */
    public record Observation(List<ServiceKey> owners, List<ServiceKey> joined, List<ServiceKey> due) {
        /** The same for {@code writer}, who wrote it: one that had left, while that was under way, has to leave again. */
        public List<ServiceKey> concernedBeside(ServiceKey writer) {
            return Stream.concat(joined.stream().filter(service -> !service.equals(writer)), due.stream())
                    .distinct()
                    .toList();
        }

        /** All that have to look: what is new to one who reads it is no news any more when the cache has it. */
        public List<ServiceKey> concerned() {
            return Stream.concat(owners.stream(), due.stream()).distinct().toList();
        }
    }

    /**
     * Those that the address is still for, once somebody left it or gave a port back: one that waits for another address may do
     * with this one, and one that lacks a port here may have it. Whose ports are others has just looked.
     */
    private static List<ServiceKey> whoStays(Holding before, Holding now) {
        if (!before.losesOwnerBy(now) && !before.losesPortBy(now)) {
            return List.of();
        }
        return now.owners().stream()
                .filter(before.owners()::contains)
                .map(Owner::service)
                .filter(service -> before.portsOf(service).equals(now.portsOf(service)))
                .distinct()
                .toList();
    }

    /** The answer to the create of {@code ip} was lost: it stays held until a read decides. */
    public void doubt(Ip ip) {
        happened(ip, new HoldingEvent.CreateUnanswered());
    }

    /** The answer to the delete of {@code claim} was lost: it stays held until a read decides. */
    public void doubt(Claim claim) {
        happened(claim.ip(), new HoldingEvent.DeleteUnanswered(claim));
    }

    /**
     * There is no Address object of {@code ip}: it was released, or surely never made.
     *
     * @return the Services whose turn it is now
     */
    public List<ServiceKey> free(Ip ip) {
        return happened(ip, new HoldingEvent.Absent());
    }

    /**
     * {@code owner} holds {@code ip} no longer, for its Address object was surely never made. Anyone else who
     * claimed it meanwhile keeps it.
     *
     * @return the Services whose turn it is now
     */
    public List<ServiceKey> giveUp(Ip ip, Owner owner) {
        return happened(ip, new HoldingEvent.GivenUp(owner));
    }

    /**
     * The Address object {@code claim} is no more; a read of it that was under way says nothing any more. If
     * another object of that address is known by now, that one stays; and if this one is known to be for
     * others since, it stays theirs until they have made it again.
     *
     * @return the Services whose turn it is now, or who have to make it again
     */
    public List<ServiceKey> free(Claim claim) {
        return locked(() -> {
            gone.add(claim);
            return happened(claim.ip(), new HoldingEvent.Deleted(claim));
        });
    }

    /** Who needs an address no longer, and since when. */
    public record Leaving(Owner owner, Instant at) {
        ClaimSpec from(ClaimSpec spec) {
            return spec.leftBy(owner, at);
        }
    }

    /**
     * There is no Address object {@code claim} any more, and nobody here has deleted it: what its owners still
     * need stays theirs until they have made it again.
     *
     * @param leaving who needs it no longer; null: nobody leaves
     * @return the Services who have to make it again, or whose turn it is now
     */
    public List<ServiceKey> vanished(Claim claim, @Nullable Leaving leaving) {
        return locked(() -> {
            gone.add(claim);
            return happened(claim.ip(), new HoldingEvent.Vanished(claim, leaving));
        });
    }

    /**
     * There is no Address object of {@code ip}, and somebody needs it no longer; others who share it
     * keep it, until they have made the object again. An object that is known by now is newer, and stays.
     *
     * @return the Services who have to make it again, or whose turn it is now
     */
    public List<ServiceKey> leave(Ip ip, Leaving leaving) {
        return happened(ip, new HoldingEvent.Left(leaving));
    }

    private List<ServiceKey> happened(Ip ip, HoldingEvent event) {
        return locked(() -> {
            Holding before = holdings.get(ip);
            return switch (apply(ip, event)) {
                case HoldingLife.Unchanged _ -> List.of();
                case HoldingLife.Becomes(Holding now, List<ServiceKey> remake) ->
                    before != null && before.losesOwnerBy(now)
                            ? Stream.concat(remake.stream(), turns.newlyInTurn(turns.openedBy(before, now)).stream())
                                    .distinct()
                                    .toList()
                            : remake;
                case HoldingLife.Free _ -> freed(Objects.requireNonNull(before));
            };
        });
    }

    private List<ServiceKey> freed(Holding before) {
        turns.freed(before);
        if (withheld.contains(before.ip())) {
            apply(before.ip(), new HoldingEvent.Published());
        }
        SequencedSet<ServiceKey> due = new LinkedHashSet<>(turns.newlyInTurn(turns.queuesOf(before)));
        // One that waits for another family says that it lacks that one alone.
        before.owners().stream()
                .map(Owner::service)
                .filter(service -> waiting.turnOf(service).isPresent())
                .forEach(due::add);
        return List.copyOf(due);
    }

    private void put(Holding now) {
        if (holdings.put(now)) {
            waiting.taken(now.ip());
        }
    }

    /** The one way by which what is held changes. */
    private HoldingLife.Fate apply(Ip ip, HoldingEvent event) {
        Holding before = holdings.get(ip);
        HoldingLife.Fate fate = HoldingLife.after(ip, before, event);
        if (fate instanceof HoldingLife.Becomes(Holding now, List<ServiceKey> _)) {
            put(now);
            turns.taken(before, now);
        } else if (fate instanceof HoldingLife.Free) {
            holdings.remove(ip);
            waiting.freed(ip);
        }
        return fate;
    }

    /**
     * This Address object is no more: anyone who learns late of it, or of one before it, must not take it for there.
     */
    public void gone(Claim claim) {
        locked(() -> {
            gone.add(claim);
            return true;
        });
    }

    /**
     * This Address object was deleted, and is there still: it is its owners' until it is gone. Another one that is known by
     * now is newer, and stays.
     */
    public void kept(Claim claim) {
        locked(() -> {
            Holding known = holdings.get(claim.ip());
            if (known == null || known.claim() == null) {
                gone.remove(claim);
                apply(claim.ip(), new HoldingEvent.Seen(claim));
            }
            return true;
        });
    }

    /** Whether this Address object is known to be no more. */
    public boolean isGone(Claim claim) {
        return locked(() -> gone.contains(claim));
    }

    /**
     * The Address object of {@code known} has vanished: what its owners still need stays theirs until they have made it
     * again, and what nobody needs is free. What became of it since it was known so is newer, and stays.
     *
     * @return the Services who have to make it again, or whose turn it is now
     */
    public List<ServiceKey> lost(Holding known) {
        return happened(known.ip(), new HoldingEvent.Lost(known));
    }

    /**
     * A read showed that there is no Address object of {@code ip}, which was in doubt: it stays its owner's until
     * they have made it, or give it up. An object that is known by now is newer, and stays.
     */
    public void notMade(Ip ip) {
        happened(ip, new HoldingEvent.NotMade());
    }

    /**
     * Queues the Service of a request that was refused.
     *
     * @return the Services whose turn it is now, for this one waits for something else than before; also
     *     this one, if what it asks for was freed since it was refused
     */
    public List<ServiceKey> await(AddressRequest request) {
        return locked(() -> {
            List<ServiceKey> due = new ArrayList<>(turns.newlyInTurn(waiting.join(request, view)));
            if (!due.contains(request.service()) && Allocator.choose(view, request) instanceof Choice.Assigned) {
                due.add(request.service());
            }
            return due;
        });
    }

    /**
     * The same of one that says why.
     *
     * @param refusals by which it was refused, of the families that it lacks
     * @return also this one, if it would be answered anything else by now
     */
    public List<ServiceKey> await(AddressRequest request, List<Refusal> refusals) {
        return locked(() -> {
            List<ServiceKey> due = new ArrayList<>(await(request));
            if (!due.contains(request.service())) {
                Choice choice = Allocator.choose(view, request);
                if (choice instanceof Choice.Refused refused
                        && said(refused.refusals()).equals(said(refusals))) {
                    // What it does not lack may rest on something else since.
                    turns.answered(request, choice);
                } else {
                    due.add(request.service());
                }
            }
            return due;
        });
    }

    /** What is said of these: where a pool refuses for another reason, nobody says how much of it is free. */
    private static List<List<Object>> said(List<Refusal> refusals) {
        return refusals.stream()
                .map(refusal -> List.<Object>of(refusal.family(), refusal.reason(), refusal.clause()))
                .toList();
    }

    /** Holds those of {@code ips} that are free for {@code owner}, whatever its class, until it is told otherwise. */
    public void holdAgain(List<Ip> ips, Owner owner) {
        locked(() -> {
            ips.forEach(ip -> apply(ip, new HoldingEvent.Chosen(ClaimSpec.of(null, null, owner))));
            return true;
        });
    }

    /**
     * Holds those of the preferred addresses that are free, or withheld on account of this Service alone, and that
     * a pool still allows: they are this Service's again before anything new is allocated, no matter who waits.
     */
    public void holdAgain(AddressRequest request) {
        locked(() -> {
            List<Ip> mine = withheld.of(request.service()).stream()
                    .filter(ip -> !withheld.isForAnother(ip, request.service()))
                    .toList();
            return asIfPublishedNoLonger(mine, () -> {
                for (IpFamily family : request.families()) {
                    Allocator.preferred(view, request, family)
                            .ifPresent(pick -> apply(pick.ip(), new HoldingEvent.Chosen(request.claimOf(pick.pool()))));
                }
                return true;
            });
        });
    }

    /**
     * Gives nobody what a Service publishes that is not its own, whether a pool has it or not. What it
     * published before counts no longer.
     *
     * @return the Services whose turn it is now
     */
    public List<ServiceKey> withhold(ServiceKey service, List<Ip> published) {
        return locked(() -> {
            List<Ip> now = published.stream().distinct().toList();
            List<Ip> before = withheld.replace(service, now);
            now.forEach(ip -> apply(ip, new HoldingEvent.Published()));
            SequencedSet<ServiceKey> due = new LinkedHashSet<>();
            before.stream()
                    .filter(ip -> !withheld.contains(ip))
                    .forEach(ip -> due.addAll(happened(ip, new HoldingEvent.PublishedNoLonger())));
            due.addAll(turns.newlyInTurn(List.of()));
            return List.copyOf(due);
        });
    }

    /**
     * Gives nobody these either, on account of this Service: it publishes them.
     *
     * @return the Services that say of these what is not so any more
     */
    public List<ServiceKey> withholdAlso(ServiceKey service, List<Ip> more) {
        if (more.isEmpty()) {
            return List.of();
        }
        return locked(() -> {
            List<Ip> all = new ArrayList<>(withheld.of(service));
            all.addAll(more);
            return withhold(service, all);
        });
    }

    /** The same of what it may publish next. What a pool has already it may not. */
    public List<ServiceKey> withholdNext(ServiceKey service, List<Ip> answered) {
        return locked(() -> withholdAlso(
                service,
                answered.stream()
                        .filter(ip -> holdings.pools().poolOf(ip).isEmpty())
                        .toList()));
    }

    /**
     * What is held for this Service alone, and has no Address object, is free: nobody makes one for it any more.
     *
     * @return the Services whose turn it is now
     */
    public List<ServiceKey> freeUnclaimed(ServiceKey service) {
        return locked(() -> List.copyOf(holdings.of(service)).stream()
                .filter(held -> held.claim() == null
                        && held.owners().stream()
                                .allMatch(owner -> owner.service().equals(service)))
                .flatMap(held -> happened(held.ip(), new HoldingEvent.Absent()).stream())
                .distinct()
                .toList());
    }

    /**
     * Of what is withheld on the account of this Service, keeps that only which it publishes still.
     *
     * @return the Services whose turn it is now
     */
    public List<ServiceKey> withholdOnly(ServiceKey service, List<Ip> published) {
        return locked(() -> {
            List<Ip> before = withheld.of(service);
            Set<Ip> now = new HashSet<>(published);
            return now.containsAll(before)
                    ? List.of()
                    : withhold(service, before.stream().filter(now::contains).toList());
        });
    }

    /** Does {@code work} as if those of these that nobody holds were free; what it leaves of them is withheld on. */
    private <T> T asIfPublishedNoLonger(List<Ip> ips, Supplier<T> work) {
        ips.forEach(ip -> apply(ip, new HoldingEvent.PublishedNoLonger()));
        T done = work.get();
        ips.stream().filter(withheld::contains).forEach(ip -> {
            if (HoldingLife.after(ip, holdings.get(ip), new HoldingEvent.Published())
                    instanceof HoldingLife.Becomes(Holding as, List<ServiceKey> _)) {
                // It is as before: nobody who waits is answered anything else.
                put(as);
            }
        });
        return done;
    }

    /** Whether anything is withheld on account of this Service. */
    public boolean withholdsFor(ServiceKey service) {
        return locked(() -> !withheld.of(service).isEmpty());
    }

    /**
     * Holds for its Service the very addresses that it publishes, all or none: those that are withheld on
     * its account, or free. One that others of its sharing key have it can join, as ever.
     */
    public Choice adopt(AddressRequest request) {
        return locked(() -> asIfPublishedNoLonger(request.constraints().addresses(), () -> take(request)));
    }

    /**
     * The Service waits no longer: it has what it waited for, or wants it no more. One that waited for
     * several pools was ahead of others in each, and takes of one only.
     *
     * @return the Services whose turn it is now
     */
    public List<ServiceKey> stopWaiting(ServiceKey service) {
        return locked(() -> {
            turns.saysNothing(service);
            return turns.newlyInTurn(waiting.leave(service));
        });
    }

    /** The Service's place in the queue; absent: it does not wait. */
    public Optional<QueuePosition> turnOf(ServiceKey service) {
        return locked(() -> waiting.turnOf(service));
    }

    /** All Services that wait, in order. */
    public List<ServiceKey> waiting() {
        return locked(waiting::all);
    }

    /**
     * Goes by other pools from now on. Holdings stay as they are.
     *
     * @return every Service that waits, those that a stranded address is taken back from, those whose address is of
     *     another pool than before, and those that publish what is withheld
     */
    public List<ServiceKey> usePools(PoolSet poolSet) {
        return locked(() -> {
            holdings.use(poolSet);
            waiting.requeueAll(view);
            SequencedSet<ServiceKey> due = new LinkedHashSet<>(waiting.all());
            holdings.stranded()
                    .all()
                    .filter(holding ->
                            poolSet.takesBack(holding.ip(), holding.spec().pool()))
                    .flatMap(holding -> holding.owners().stream())
                    .forEach(owner -> due.add(owner.service()));
            holdings.all().stream()
                    .filter(holding ->
                            poolSet.isOfAnother(holding.ip(), holding.spec().pool()))
                    .flatMap(holding -> holding.owners().stream())
                    .forEach(owner -> due.add(owner.service()));
            due.addAll(withheld.services());
            return List.copyOf(due);
        });
    }

    /**
     * One that holds the same, with the same who wait, and goes by these pools: to look what would be. Which address was
     * released when is not in it.
     */
    public Ledger copy(PoolSet poolSet) {
        List<Holding> held;
        List<AddressRequest> requests;
        Map<ServiceKey, List<Ip>> published;
        lock.lock();
        try {
            held = List.copyOf(holdings.all());
            requests = waiting.requests();
            published = withheld.all();
        } finally {
            lock.unlock();
        }
        // Nobody has to wait while it is built: that takes a while with many addresses.
        Ledger copy = new Ledger();
        copy.holdings.replaceAll(held);
        copy.holdings.use(poolSet);
        published.forEach(copy.withheld::replace);
        requests.forEach(request -> copy.waiting.join(request, copy.view));
        return copy;
    }

    /** As if the Address objects of what was chosen were written. Of a {@link #copy} only. */
    public void assume(Choice.Assigned choice) {
        AddressRequest request = choice.request();
        locked(() -> {
            for (Choice.Pick pick : choice.picks()) {
                Claim joins = pick.joins();
                ClaimSpec spec = joins == null ? request.claimOf(pick.pool()) : request.joining(joins);
                String revision = joins == null ? "0" : joins.resourceVersion();
                apply(pick.ip(), new HoldingEvent.Seen(new Claim(pick.ip(), "assumed", revision, spec)));
            }
            return true;
        });
    }

    /** Forgets everything but the pools and learns the given claims: at start, and on gaining leadership. */
    public void rebuild(List<Claim> claims) {
        locked(() -> {
            withheld.clear();
            holdings.replaceAll(claims.stream().map(Holding::of).toList());
            claims.forEach(claim -> waiting.taken(claim.ip()));
            turns.clear();
            waiting.requeueAll(view);
            return true;
        });
    }

    public PoolSet pools() {
        return locked(holdings::pools);
    }

    /** What is held for the Service of this name, ascending; reservations included. */
    public List<Holding> heldFor(ServiceKey service) {
        return locked(() -> holdings.of(service));
    }

    /** Who holds {@code ip}; absent: nobody. */
    public Optional<Holding> holding(Ip ip) {
        return locked(() -> Optional.ofNullable(holdings.get(ip)));
    }

    /** Those of {@code ips} whose Address was seen, and is for others than the Service of this name. */
    public List<Ip> claimedForOthers(ServiceKey service, List<Ip> ips) {
        return locked(() -> ips.stream()
                .filter(ip -> Optional.ofNullable(holdings.get(ip))
                        .filter(held -> held.isClaimedForOthers(service))
                        .isPresent())
                .toList());
    }

    /** Everything held, in no particular order. */
    public List<Holding> holdings() {
        return locked(() -> new ArrayList<>(holdings.all()));
    }

    /** How full a family of the pool of this name is; all zero if there is no such pool. */
    public PoolUse use(String pool, IpFamily family) {
        return locked(() -> {
            BigInteger capacity = holdings.pools()
                    .named(pool)
                    .map(found -> found.capacity(family))
                    .orElse(BigInteger.ZERO);
            return new PoolUse(
                    capacity,
                    holdings.counts().of(pool, family, ClaimSpec.Phase.BOUND),
                    holdings.counts().of(pool, family, ClaimSpec.Phase.RESERVED),
                    holdings.counts().of(pool, family, ClaimSpec.Phase.COOLING),
                    waiting.size(pool, family));
        });
    }

    /** What came from the pool of this name, which need not be there any more, and is stranded: {@code most} by name. */
    public Stranded stranded(String pool, int most) {
        return locked(() -> holdings.stranded().of(pool, most));
    }

    /** Every address that is stranded, in no particular order. */
    public List<Ip> stranded() {
        return locked(() -> holdings.stranded().all().map(Holding::ip).toList());
    }

    /** The pools that something stranded came from, by name; some may be gone. */
    public List<String> strandedPools() {
        return locked(() -> holdings.stranded().pools());
    }

    /** Whether a Service has {@code holding} of a pool, and no pool has it any more. */
    public boolean isStranded(Holding holding) {
        return locked(() -> holdings.stranded().contains(holding));
    }

    /**
     * Checks that all that holdings, and those who wait, are found and counted by agrees with them. For tests: it walks
     * all that is held. Throws IllegalStateException, which names what disagrees.
     */
    public void checkInvariants() {
        locked(() -> {
            holdings.checkInvariants();
            waiting.checkInvariants(holdings);
            turns.checkInvariants();
            withheld.checkInvariants(holdings);
            return true;
        });
    }

    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }
}
