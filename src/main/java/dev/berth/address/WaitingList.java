package dev.berth.address;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The Services that wait, in order, indexed by what they wait for. Who cannot use what is freed is not
 * in its queue, and so blocks nobody. Not safe for use by several threads.
 */
final class WaitingList {
    /** What can be waited for. */
    sealed interface Queue {
        /** Any address of one family of one pool. */
        record OfPool(String pool, IpFamily family) implements Queue {}

        /** One more within the quota of a namespace. */
        record OfQuota(String pool, IpFamily family, String namespace) implements Queue {}

        /** This very address. */
        record OfAddress(Ip ip) implements Queue {}

        /** An address to share, or a port of it. */
        record OfShare(SharedBy by) implements Queue {}
    }

    private record Waiter(AddressRequest request, List<Queue> queues) {}

    private final Map<ServiceKey, Waiter> waiters = new LinkedHashMap<>();
    private final Map<Queue, NavigableSet<WaitTurn>> queues = new HashMap<>();
    private final Map<WaitTurn, ServiceKey> byTurn = new TreeMap<>();

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
                .filter(family -> isOut(request, family, view))
                .toList();
        // One that needs all waits for what it cannot have yet only; to any other, whichever comes first is of use.
        boolean forAll = !request.allOrNone() || lacking.isEmpty();
        List<Queue> wanted = new ArrayList<>();
        for (IpFamily family : forAll ? request.families() : lacking) {
            wanted.addAll(queuesFor(request, family, view));
        }
        request.sharedBy().ifPresent(by -> wanted.add(new Queue.OfShare(by)));
        waiters.put(request.service(), new Waiter(request, wanted));
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

    private static boolean isOut(AddressRequest request, IpFamily family, Allocator.View view) {
        return queuesFor(request, family, view).stream().noneMatch(queue -> switch (queue) {
            case Queue.OfAddress(Ip ip) -> view.holding(ip).isEmpty() && view.isTurn(ip, request.turn());
            case Queue.OfPool(String pool, IpFamily none) ->
                view.pools()
                        .named(pool)
                        .filter(found ->
                                view.free(found, family).signum() > 0 && view.isTurn(found, family, request.turn()))
                        .isPresent();
            case Queue.OfQuota quota -> false;
            case Queue.OfShare share -> false;
        });
    }

    private static List<Queue> queuesFor(AddressRequest request, IpFamily family, Allocator.View view) {
        Optional<Ip> named = request.wishes().address(family);
        String namespace = request.service().namespace();
        List<Queue> wanted = new ArrayList<>();
        for (Pool pool : view.pools().pools()) {
            if (pool.forbids(request, family).isPresent()) {
                continue;
            }
            boolean free = named.isEmpty() || view.holding(named.get()).isEmpty();
            if (free && Allocator.overQuota(view, request, pool, family).isPresent()) {
                wanted.add(new Queue.OfQuota(pool.name(), family, namespace));
            } else {
                wanted.add(
                        named.<Queue>map(Queue.OfAddress::new).orElseGet(() -> new Queue.OfPool(pool.name(), family)));
            }
        }
        return wanted;
    }

    /** Takes the Service out, and returns the queues that it left; empty: it did not wait. */
    List<Queue> leave(ServiceKey service) {
        Waiter waiter = waiters.remove(service);
        if (waiter == null) {
            return List.of();
        }
        WaitTurn turn = waiter.request().turn();
        byTurn.remove(turn);
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

    /** The place that the Service has; absent: it does not wait. */
    Optional<WaitTurn> turnOf(ServiceKey service) {
        return Optional.ofNullable(waiters.get(service))
                .map(waiter -> waiter.request().turn());
    }

    /** Whether nobody ahead of {@code turn} waits for this very address. */
    boolean isTurn(Ip ip, WaitTurn turn) {
        NavigableSet<WaitTurn> turns = queue(new Queue.OfAddress(ip));
        return turns.isEmpty() || turns.first().compareTo(turn) >= 0;
    }

    /** Whether fewer than {@code free} Services wait ahead of {@code turn} for the pool. */
    boolean isTurn(Pool pool, IpFamily family, WaitTurn turn, BigInteger free) {
        BigInteger left = free.subtract(BigInteger.valueOf(setAside(pool, family, turn)));
        NavigableSet<WaitTurn> turns = queue(new Queue.OfPool(pool.name(), family));
        if (BigInteger.valueOf(turns.size()).compareTo(left) < 0) {
            return true;
        }
        // What is left is at most the length of the queue here, so it fits.
        return turns.headSet(turn, false).stream().limit(left.longValue()).count() < left.longValue();
    }

    /** How many free addresses of the pool those ahead of {@code turn} wait for in person. */
    private long setAside(Pool pool, IpFamily family, WaitTurn turn) {
        return setAside.isEmpty()
                ? 0
                : pool.ranges(family).stream()
                        .flatMap(range -> setAside.subSet(range.lower(), true, range.upper(), true).stream())
                        .filter(ip -> !isTurn(ip, turn))
                        .count();
    }

    /**
     * The Services that came into turn when one more of what {@code queue} is for was freed, or when one
     * ahead of them left. Of a pool or a quota the {@code free}th alone, for those before it had their turn
     * already; of an address the first; of a share all, for it is not known which ports fit.
     */
    List<ServiceKey> newlyInTurn(Queue queue, BigInteger free) {
        NavigableSet<WaitTurn> turns = queue(queue);
        if (turns.isEmpty()) {
            return List.of();
        }
        return switch (queue) {
            case Queue.OfShare share ->
                turns.stream().flatMap(turn -> service(turn).stream()).toList();
            case Queue.OfAddress address -> service(turns.first()).stream().toList();
            case Queue.OfPool pool -> nth(turns, free);
            case Queue.OfQuota quota -> nth(turns, free);
        };
    }

    private List<ServiceKey> nth(NavigableSet<WaitTurn> turns, BigInteger free) {
        if (free.signum() <= 0 || BigInteger.valueOf(turns.size()).compareTo(free) < 0) {
            return List.of();
        }
        return turns.stream().skip(free.longValue() - 1).findFirst().flatMap(this::service).stream()
                .toList();
    }

    private Optional<ServiceKey> service(WaitTurn turn) {
        return Optional.ofNullable(byTurn.get(turn));
    }

    int size(String pool, IpFamily family) {
        return queue(new Queue.OfPool(pool, family)).size();
    }

    /** All that wait, in order. */
    List<ServiceKey> all() {
        return List.copyOf(byTurn.values());
    }

    /** Queues everyone anew, after the pools changed. */
    void requeue(Allocator.View view) {
        Collection<Waiter> all = List.copyOf(waiters.values());
        all.forEach(waiter -> join(waiter.request(), view));
    }

    private NavigableSet<WaitTurn> queue(Queue queue) {
        return queues.getOrDefault(queue, Collections.emptyNavigableSet());
    }
}
