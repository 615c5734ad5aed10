package dev.berth.claim;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.Pool;
import dev.berth.pool.PoolRequest;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The Services that wait, in order, indexed by what they wait for. Who cannot use what is freed is not
 * in its queue, and so blocks nobody. Not safe for use by several threads.
 */
final class WaitingList {
    /** What can be waited for. */
    sealed interface Queue {
        /** Whether it is for addresses of this family alone. */
        default boolean isOf(IpFamily family) {
            return switch (this) {
                case OfPool pool -> pool.family() == family;
                case OfQuota quota -> quota.family() == family;
                case OfAddress address -> address.ip().family() == family;
                case OfShare share -> false;
            };
        }

        /** Any address of one family of one pool. */
        record OfPool(String pool, IpFamily family) implements Queue {}

        /** One more of a pool that limits how many the namespace may have; whether it has them all or not. */
        record OfQuota(String pool, IpFamily family, String namespace) implements Queue {}

        /** This very address. */
        record OfAddress(Ip ip) implements Queue {}

        /** An address to share, or a port of it. */
        record OfShare(SharedBy by) implements Queue {}
    }

    /**
     * One that waits.
     *
     * @param pools those that could give it what it waits for, once it is there and its own turn or quota allows
     * @param whole whether it needs all or nothing, and all was there when it was queued
     */
    private record Waiter(AddressRequest request, List<Queue> queues, List<Queue.OfPool> pools, boolean whole) {
        /** Whether it would not wait for {@code queue} as it does if there were nothing left of it. */
        boolean countsOn(Queue queue) {
            return switch (queue) {
                case Queue.OfPool pool -> whole;
                case Queue.OfQuota(String pool, IpFamily family, String namespace) ->
                    queues.stream()
                            .anyMatch(other -> (other instanceof Queue.OfAddress && other.isOf(family))
                                    || other.equals(new Queue.OfPool(pool, family)));
                case Queue.OfAddress address -> true;
                case Queue.OfShare share -> true;
            };
        }
    }

    private final Map<ServiceKey, Waiter> waiters = new LinkedHashMap<>();
    private final Map<Queue, NavigableSet<QueuePosition>> queues = new HashMap<>();
    private final Map<QueuePosition, ServiceKey> byTurn = new TreeMap<>();

    /** How many wait for anything of a pool: any address, one that they name, or one more than their quota. */
    private final Map<Queue.OfPool, Integer> byPool = new HashMap<>();

    /** The addresses that somebody waits for and nobody holds: set aside for them, for a moment. */
    private final NavigableSet<Ip> setAside = new TreeSet<>();

    /**
     * Queues {@code request}'s Service for what it lacks, by its turn.
     *
     * @return the queues in which it gave up its place, if it waited for something else before, or longer
     */
    List<Queue> join(AddressRequest request, Allocator.View view) {
        boolean fallsBack = turnOf(request.service())
                .filter(before -> before.compareTo(request.turn()) < 0)
                .isPresent();
        List<Queue> left = new ArrayList<>(leave(request.service()));
        List<IpFamily> lacking = request.families().stream()
                .filter(family -> !Allocator.isThere(view, request, family))
                .toList();
        // One that needs all waits for what it cannot have yet only; to any other, whichever comes first is of use.
        boolean whole = request.allOrNone() && lacking.isEmpty();
        List<Queue> wanted = new ArrayList<>();
        List<Queue.OfPool> pools = new ArrayList<>();
        for (IpFamily family : whole || !request.allOrNone() ? request.families() : lacking) {
            for (Pool pool : poolsFor(request, family, view)) {
                wanted.addAll(queuesFor(request, pool, family, view));
                pools.add(new Queue.OfPool(pool.name(), family));
            }
        }
        request.sharedBy().ifPresent(by -> wanted.add(new Queue.OfShare(by)));
        waiters.put(request.service(), new Waiter(request, wanted, pools, whole));
        pools.forEach(pool -> byPool.merge(pool, 1, Integer::sum));
        byTurn.put(request.turn(), request.service());
        for (Queue queue : wanted) {
            queues.computeIfAbsent(queue, none -> new TreeSet<>()).add(request.turn());
            if (queue instanceof Queue.OfAddress(Ip ip) && view.holding(ip).isEmpty()) {
                setAside.add(ip);
            }
        }
        if (!fallsBack) {
            left.removeAll(wanted);
        }
        return left;
    }

    /** The pools that may give it an address of the family; none, if it is to share one that is in the making. */
    private static List<Pool> poolsFor(AddressRequest request, IpFamily family, Allocator.View view) {
        PoolRequest asked = request.ofPools(family);
        return Allocator.sharesSoon(view, request, family)
                ? List.of()
                : view.pools().pools().stream()
                        .filter(pool -> pool.forbids(asked).isEmpty())
                        .toList();
    }

    /** For what of the family it would wait, if it waited. */
    static List<Queue> queuesFor(AddressRequest request, IpFamily family, Allocator.View view) {
        List<Queue> queues = new ArrayList<>();
        for (Pool pool : poolsFor(request, family, view)) {
            queues.addAll(queuesFor(request, pool, family, view));
        }
        return queues;
    }

    /** Quotas first: who comes into turn by them joins the others in order. */
    static List<Queue> queuesFor(AddressRequest request, Pool pool, IpFamily family, Allocator.View view) {
        List<Queue> wanted = new ArrayList<>();
        Optional<Ip> named = request.constraints().address(family);
        String namespace = request.service().namespace();
        boolean heldByOthers = named.flatMap(view::holding).isPresent();
        if (!heldByOthers && pool.policy().quota().of(namespace).isPresent()) {
            wanted.add(new Queue.OfQuota(pool.name(), family, namespace));
        }
        if (heldByOthers || !Allocator.isOverQuota(view, request, pool, family)) {
            wanted.add(named.<Queue>map(Queue.OfAddress::new).orElseGet(() -> new Queue.OfPool(pool.name(), family)));
        }
        return wanted;
    }

    /**
     * Requeues the Service for what it lacks by now.
     *
     * @return the queues that it left
     */
    List<Queue> requeue(ServiceKey service, Allocator.View view) {
        Waiter waiter = waiters.get(service);
        return waiter == null ? List.of() : join(waiter.request(), view);
    }

    /** Those that may have to wait for something else once nothing is left of what {@code queue} is for. */
    List<ServiceKey> countingOn(Queue queue) {
        return queue(queue).stream()
                .flatMap(turn -> service(turn).stream())
                .filter(service -> Objects.requireNonNull(waiters.get(service)).countsOn(queue))
                .toList();
    }

    /** The quotas of the pool that anyone waits for. */
    List<Queue.OfQuota> quotas(String pool, IpFamily family) {
        return queues.keySet().stream()
                .flatMap(queue -> queue instanceof Queue.OfQuota quota
                                && quota.family() == family
                                && quota.pool().equals(pool)
                        ? Stream.of(quota)
                        : Stream.empty())
                .toList();
    }

    boolean isEmpty() {
        return waiters.isEmpty();
    }

    /** Takes the Service out, and returns the queues that it left; empty: it did not wait. */
    List<Queue> leave(ServiceKey service) {
        Waiter waiter = waiters.remove(service);
        if (waiter == null) {
            return List.of();
        }
        QueuePosition turn = waiter.request().turn();
        byTurn.remove(turn);
        waiter.pools().forEach(pool -> byPool.computeIfPresent(pool, (name, count) -> count == 1 ? null : count - 1));
        for (Queue queue : waiter.queues()) {
            queues.computeIfPresent(queue, (name, turns) -> {
                turns.remove(turn);
                return turns.isEmpty() ? null : turns;
            });
            if (queue instanceof Queue.OfAddress(Ip ip) && !queues.containsKey(queue)) {
                setAside.remove(ip);
            }
        }
        return waiter.queues();
    }

    /** Somebody holds {@code ip} now. */
    void taken(Ip ip) {
        setAside.remove(ip);
    }

    /** Nobody holds {@code ip} any more. */
    void freed(Ip ip) {
        if (queues.containsKey(new Queue.OfAddress(ip))) {
            setAside.add(ip);
        }
    }

    /** Whether there is an address that somebody waits for and nobody holds. */
    boolean hasSetAside() {
        return !setAside.isEmpty();
    }

    /** Whether somebody waits for this very address, and nobody holds it. */
    boolean isSetAside(Ip ip) {
        return setAside.contains(ip);
    }

    /** What the Service is queued for; empty: nothing, or it does not wait. */
    List<Queue> queuesOf(ServiceKey service) {
        Waiter waiter = waiters.get(service);
        return waiter == null ? List.of() : waiter.queues();
    }

    /** What the Service waits for; absent: it does not wait. */
    Optional<AddressRequest> request(ServiceKey service) {
        return Optional.ofNullable(waiters.get(service)).map(Waiter::request);
    }

    /** The place that the Service has; absent: it does not wait. */
    Optional<QueuePosition> turnOf(ServiceKey service) {
        return Optional.ofNullable(waiters.get(service))
                .map(waiter -> waiter.request().turn());
    }

    /** Whether nobody ahead of {@code turn} waits for this very address. */
    boolean isTurn(Ip ip, QueuePosition turn) {
        NavigableSet<QueuePosition> turns = queue(new Queue.OfAddress(ip));
        return turns.isEmpty() || turns.first().compareTo(turn) >= 0;
    }

    /** Whether fewer than {@code left} Services of the namespace wait ahead of {@code turn} for one of the pool. */
    boolean isTurn(Pool pool, IpFamily family, String namespace, QueuePosition turn, int left) {
        NavigableSet<QueuePosition> turns = queue(new Queue.OfQuota(pool.name(), family, namespace));
        return turns.size() < left
                || turns.headSet(turn, false).stream().limit(Math.max(left, 0)).count() < left;
    }

    /** Whether fewer than {@code free} Services wait ahead of {@code turn} for the pool. */
    boolean isTurn(Pool pool, IpFamily family, QueuePosition turn, BigInteger free) {
        BigInteger left = free.subtract(BigInteger.valueOf(setAside(pool, family, turn)));
        NavigableSet<QueuePosition> turns = queue(new Queue.OfPool(pool.name(), family));
        if (BigInteger.valueOf(turns.size()).compareTo(left) < 0) {
            return true;
        }
        // What is left is at most the length of the queue here, so it fits.
        return turns.headSet(turn, false).stream().limit(left.longValue()).count() < left.longValue();
    }

    /** How many free addresses of the pool those ahead of {@code turn} wait for in person. */
    private long setAside(Pool pool, IpFamily family, QueuePosition turn) {
        return setAside(pool, family).filter(ip -> !isTurn(ip, turn)).count();
    }

    private Stream<Ip> setAside(Pool pool, IpFamily family) {
        return setAside.isEmpty()
                ? Stream.empty()
                : pool.ranges(family).stream()
                        .flatMap(range -> setAside.subSet(range.lower(), true, range.upper(), true).stream());
    }

    /**
     * The Services that came into turn for an address of the pool by so many changes: each one more that was
     * freed, or one ahead that left. Those before them had their turn already. Where addresses are set aside,
     * all that are in turn.
     */
    List<ServiceKey> newlyInTurn(Pool pool, IpFamily family, BigInteger free, int changes) {
        NavigableSet<QueuePosition> turns = queue(new Queue.OfPool(pool.name(), family));
        List<QueuePosition> first = setAside(pool, family)
                .map(ip -> queue(new Queue.OfAddress(ip)).first())
                .toList();
        return first.isEmpty()
                ? last(turns, free, changes)
                : Stream.concat(turns.stream(), first.stream())
                        .sorted()
                        .filter(turn -> isTurn(pool, family, turn, free))
                        .flatMap(turn -> service(turn).stream())
                        .toList();
    }

    /** All that wait for this. */
    List<ServiceKey> all(Queue queue) {
        return queue(queue).stream().flatMap(turn -> service(turn).stream()).toList();
    }

    /** The Services that came into turn for what is left of a quota, by so many changes. */
    List<ServiceKey> newlyInTurn(Queue.OfQuota quota, int left, int changes) {
        return last(queue(quota), BigInteger.valueOf(left), changes);
    }

    /** Of the first {@code number} the last {@code changes}. */
    private List<ServiceKey> last(NavigableSet<QueuePosition> turns, BigInteger number, int changes) {
        BigInteger skipped = number.subtract(BigInteger.valueOf(changes)).max(BigInteger.ZERO);
        if (number.signum() <= 0 || BigInteger.valueOf(turns.size()).compareTo(skipped) <= 0) {
            return List.of();
        }
        // What is skipped is shorter than the queue here, so it fits.
        return turns.stream()
                .skip(skipped.longValue())
                .limit(number.subtract(skipped).longValue())
                .flatMap(turn -> service(turn).stream())
                .toList();
    }

    private Optional<ServiceKey> service(QueuePosition turn) {
        return Optional.ofNullable(byTurn.get(turn));
    }

    /** How many wait for an address of the pool, for whatever reason they have none yet. */
    int size(String pool, IpFamily family) {
        return byPool.getOrDefault(new Queue.OfPool(pool, family), 0);
    }

    /** All that wait, in order. */
    List<ServiceKey> all() {
        return List.copyOf(byTurn.values());
    }

    /** Requeues everyone, after the pools changed. */
    void requeueAll(Allocator.View view) {
        Collection<Waiter> all = List.copyOf(waiters.values());
        all.forEach(waiter -> join(waiter.request(), view));
    }

    /** What those who wait asked for. */
    List<AddressRequest> requests() {
        return waiters.values().stream().map(Waiter::request).toList();
    }

    /** Throws IllegalStateException if what those who wait are found and counted by does not agree with them. */
    void checkInvariants(Holdings holdings) {
        Map<QueuePosition, ServiceKey> turns = new TreeMap<>();
        Map<Queue, NavigableSet<QueuePosition>> waited = new HashMap<>();
        Map<Queue.OfPool, Integer> numbers = new HashMap<>();
        waiters.forEach((service, waiter) -> {
            QueuePosition turn = waiter.request().turn();
            turns.put(turn, service);
            waiter.queues()
                    .forEach(queue -> waited.computeIfAbsent(queue, none -> new TreeSet<>())
                            .add(turn));
            waiter.pools().forEach(pool -> numbers.merge(pool, 1, Integer::sum));
        });
        NavigableSet<Ip> free = new TreeSet<>();
        for (Queue queue : waited.keySet()) {
            if (queue instanceof Queue.OfAddress(Ip ip) && !holdings.contains(ip)) {
                free.add(ip);
            }
        }
        Agreement.check("order of those who wait", byTurn, turns);
        Agreement.check("queue", queues, waited);
        Agreement.check("number of those who wait", byPool, numbers);
        Agreement.check("set of addresses that somebody waits for and nobody holds", setAside, free);
    }

    private NavigableSet<QueuePosition> queue(Queue queue) {
        return queues.getOrDefault(queue, Collections.emptyNavigableSet());
    }
}
