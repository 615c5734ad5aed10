package dev.berth.address;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Who holds which address, and who waits for one.
 *
 * <p>The Address objects are the truth; this is what the operator knows of them, plus the addresses
 * whose create is under way. Safe for use by several threads: one lock, held for memory work only.
 *
 * <p>A method that may free an address, or let somebody's turn come, returns the Services that should
 * try again: never more of them than can be served.
 */
public final class Ledger {
    private static final int REMEMBERED = 10_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Ip, Holding> holdings = new HashMap<>();
    private final Map<ServiceKey, SequencedSet<Ip>> byService = new HashMap<>();
    private final IpSet used = new IpSet();
    private final Map<String, EnumMap<IpFamily, Long>> allocated = new HashMap<>();
    private final WaitingList waiting = new WaitingList();
    private PoolBook pools = PoolBook.empty();

    /** The objects that vanished last. */
    private final Set<String> gone = Collections.newSetFromMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    });

    private final Allocator.View view = new Allocator.View() {
        @Override
        public PoolBook pools() {
            return pools;
        }

        @Override
        public boolean isFree(Ip ip) {
            return !holdings.containsKey(ip);
        }

        @Override
        public Optional<Ip> lowestFree(Pool pool, IpFamily family) {
            return pool.ranges(family).stream()
                    .flatMap(range -> used.lowestMissing(range).stream())
                    .findFirst();
        }

        @Override
        public BigInteger free(Pool pool, IpFamily family) {
            return pool.capacity(family).subtract(allocated(pool.name(), family));
        }

        @Override
        public boolean isTurn(Pool pool, IpFamily family, WaitTurn turn) {
            return waiting.isTurn(pool, family, turn, free(pool, family));
        }
    };

    /** Chooses under the lock; nothing is held yet. */
    public Choice choose(AddressRequest request) {
        return locked(() -> Allocator.choose(view, request));
    }

    /**
     * Holds every address of {@code choice} for its Service, or none.
     *
     * @return false if one of them was taken since: choose again
     */
    public boolean hold(Choice.Assigned choice) {
        return locked(() -> {
            if (!choice.picks().stream().allMatch(pick -> view.isFree(pick.ip()))) {
                return false;
            }
            AddressRequest request = choice.request();
            for (Choice.Pick pick : choice.picks()) {
                put(new Holding(
                        pick.ip(), Holding.State.HELD, List.of(request.owner()), request.loadBalancerClass(), null));
            }
            return true;
        });
    }

    /**
     * Takes note of an Address object, whoever wrote it. What it says replaces what was known, unless that
     * is newer, or the object is known to be gone: a cache may lag behind the answer to a write, and an
     * answer behind the cache.
     *
     * @return whether it says anything that was not known
     */
    public boolean observe(Claim claim) {
        return locked(() -> {
            Holding known = holdings.get(claim.ip());
            if (gone.contains(claim.uid())) {
                return false;
            }
            if (known != null && known.claim() != null && known.claim().isNewerThan(claim)) {
                return false;
            }
            Holding now = Holding.of(claim);
            put(now);
            return known == null || !known.saysAs(now);
        });
    }

    /** The answer to the create of {@code ip} was lost: it stays held until a read decides. */
    public void doubt(Ip ip) {
        locked(() -> {
            Holding held = holdings.get(ip);
            if (held != null && held.state() == Holding.State.HELD) {
                put(new Holding(ip, Holding.State.UNSURE, held.owners(), held.loadBalancerClass(), null));
            }
            return true;
        });
    }

    /** The answer to the delete of {@code claim} was lost: it stays held until a read decides. */
    public void doubt(Claim claim) {
        locked(() -> {
            Holding held = holdings.get(claim.ip());
            if (held != null && claim.equals(held.claim())) {
                put(new Holding(claim.ip(), Holding.State.UNSURE, held.owners(), held.loadBalancerClass(), null));
            }
            return true;
        });
    }

    /**
     * There is no Address object of {@code ip}: it was released, or surely never made.
     *
     * @return the Services whose turn it is now
     */
    public List<ServiceKey> free(Ip ip) {
        return locked(() -> {
            Optional<Pool> pool = pools.poolOf(ip);
            if (!remove(ip) || pool.isEmpty()) {
                return List.of();
            }
            return newlyInTurn(List.of(new WaitingList.Queue(pool.get().name(), ip.family())));
        });
    }

    /**
     * {@code owner} holds {@code ip} no longer, for its Address object was surely never made. Whoever else
     * claimed it meanwhile keeps it.
     *
     * @return the Services whose turn it is now
     */
    public List<ServiceKey> giveUp(Ip ip, Owner owner) {
        return locked(() -> {
            Holding held = holdings.get(ip);
            return held != null
                            && held.state() == Holding.State.HELD
                            && held.owners().equals(List.of(owner))
                    ? free(ip)
                    : List.of();
        });
    }

    /**
     * The Address object {@code claim} is no more; a read of it that was under way says nothing any more. If
     * another object of that address is known by now, that one stays.
     *
     * @return the Services whose turn it is now
     */
    public List<ServiceKey> free(Claim claim) {
        return locked(() -> {
            gone.add(claim.uid());
            Holding held = holdings.get(claim.ip());
            Claim known = held == null ? null : held.claim();
            boolean same = known == null
                    ? held != null && held.owners().equals(claim.owners())
                    : known.uid().equals(claim.uid());
            return same ? free(claim.ip()) : List.of();
        });
    }

    /** The Address object of this uid is no more: whoever hears of it late must not take it for there. */
    public void gone(String uid) {
        locked(() -> gone.add(uid));
    }

    /** Whether the Address object of this uid is known to be no more. */
    public boolean isGone(String uid) {
        return locked(() -> gone.contains(uid));
    }

    /**
     * The Address object of {@code ip} has vanished, and its owners still need it: it stays theirs until
     * they have made it again.
     */
    public void lost(Ip ip) {
        locked(() -> {
            Holding held = holdings.get(ip);
            if (held != null) {
                put(new Holding(ip, Holding.State.HELD, held.owners(), held.loadBalancerClass(), null));
            }
            return true;
        });
    }

    /**
     * Queues the Service of a request that was refused.
     *
     * @return the Services whose turn it is now, for this one waits for something else than before; also
     *     this one, if what it asks for was freed since it was refused
     */
    public List<ServiceKey> await(AddressRequest request) {
        return locked(() -> {
            List<ServiceKey> due = new ArrayList<>(newlyInTurn(waiting.join(request, view)));
            if (!due.contains(request.service()) && Allocator.choose(view, request) instanceof Choice.Assigned) {
                due.add(request.service());
            }
            return due;
        });
    }

    /** Holds those of {@code ips} that are free for {@code owner}, whatever its class, until it is told otherwise. */
    public void holdAgain(List<Ip> ips, Owner owner) {
        locked(() -> {
            ips.stream()
                    .filter(view::isFree)
                    .forEach(ip -> put(new Holding(ip, Holding.State.HELD, List.of(owner), null, null)));
            return true;
        });
    }

    /**
     * Holds those of the preferred addresses that are free and that a pool still allows: they are this
     * Service's again before anything new is given out, whoever waits.
     */
    public void holdAgain(AddressRequest request) {
        locked(() -> {
            for (IpFamily family : request.families()) {
                Allocator.preferred(view, request, family)
                        .ifPresent(pick -> put(new Holding(
                                pick.ip(),
                                Holding.State.HELD,
                                List.of(request.owner()),
                                request.loadBalancerClass(),
                                null)));
            }
            return true;
        });
    }

    /**
     * The Service waits no longer: it has what it waited for, or wants it no more. One that waited for
     * several pools was ahead of others in each, and takes of one only.
     *
     * @return the Services whose turn it is now
     */
    public List<ServiceKey> stopWaiting(ServiceKey service) {
        return locked(() -> newlyInTurn(waiting.leave(service)));
    }

    /** The Service's place in the queue; absent: it does not wait. */
    public Optional<WaitTurn> turnOf(ServiceKey service) {
        return locked(() -> waiting.turnOf(service));
    }

    /** All Services that wait, in order. */
    public List<ServiceKey> waiting() {
        return locked(waiting::all);
    }

    /**
     * Goes by other pools from now on. Holdings stay as they are.
     *
     * @return every Service that waits
     */
    public List<ServiceKey> usePools(PoolBook book) {
        return locked(() -> {
            pools = book;
            recount();
            waiting.requeue(view);
            return waiting.all();
        });
    }

    /** Forgets everything but the pools and learns the given claims: at start, and on gaining leadership. */
    public void rebuild(List<Claim> claims) {
        locked(() -> {
            holdings.clear();
            byService.clear();
            used.clear();
            claims.forEach(claim -> put(Holding.of(claim)));
            recount();
            return true;
        });
    }

    public PoolBook pools() {
        return locked(() -> pools);
    }

    /** What is held for the Service of this name, in the order in which it came; reservations included. */
    public List<Holding> heldFor(ServiceKey service) {
        return locked(() -> byService.getOrDefault(service, new LinkedHashSet<>()).stream()
                .flatMap(ip -> Optional.ofNullable(holdings.get(ip)).stream())
                .toList());
    }

    /** Who holds {@code ip}; absent: nobody. */
    public Optional<Holding> holding(Ip ip) {
        return locked(() -> Optional.ofNullable(holdings.get(ip)));
    }

    /** Everything held, in no particular order. */
    public List<Holding> holdings() {
        return locked(() -> new ArrayList<>(holdings.values()));
    }

    /** How full a family of the pool of this name is; all zero if there is no such pool. */
    public PoolUse use(String pool, IpFamily family) {
        return locked(() -> {
            BigInteger capacity =
                    pools.named(pool).map(found -> found.capacity(family)).orElse(BigInteger.ZERO);
            return new PoolUse(capacity, allocated(pool, family), waiting.size(pool, family));
        });
    }

    private List<ServiceKey> newlyInTurn(List<WaitingList.Queue> queues) {
        SequencedSet<ServiceKey> due = new LinkedHashSet<>();
        for (WaitingList.Queue queue : queues) {
            pools.named(queue.pool())
                    .flatMap(pool -> waiting.newlyInTurn(queue, view.free(pool, queue.family())))
                    .ifPresent(due::add);
        }
        return List.copyOf(due);
    }

    private BigInteger allocated(String pool, IpFamily family) {
        EnumMap<IpFamily, Long> counts = allocated.get(pool);
        return counts == null ? BigInteger.ZERO : BigInteger.valueOf(counts.getOrDefault(family, 0L));
    }

    private void put(Holding holding) {
        Holding old = holdings.put(holding.ip(), holding);
        if (old == null) {
            used.add(holding.ip());
            count(holding.ip(), 1);
        } else if (!old.owners().equals(holding.owners())) {
            unlink(old);
        }
        for (Owner owner : holding.owners()) {
            byService
                    .computeIfAbsent(owner.service(), none -> new LinkedHashSet<>())
                    .add(holding.ip());
        }
    }

    private boolean remove(Ip ip) {
        Holding old = holdings.remove(ip);
        if (old == null) {
            return false;
        }
        used.remove(ip);
        count(ip, -1);
        unlink(old);
        return true;
    }

    private void unlink(Holding holding) {
        for (Owner owner : holding.owners()) {
            byService.computeIfPresent(owner.service(), (service, ips) -> {
                ips.remove(holding.ip());
                return ips.isEmpty() ? null : ips;
            });
        }
    }

    private void recount() {
        allocated.clear();
        holdings.keySet().forEach(ip -> count(ip, 1));
    }

    private void count(Ip ip, long change) {
        pools.poolOf(ip)
                .ifPresent(pool -> allocated
                        .computeIfAbsent(pool.name(), none -> new EnumMap<>(IpFamily.class))
                        .merge(ip.family(), change, Long::sum));
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
