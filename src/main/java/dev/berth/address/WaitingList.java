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
    /** Those who wait for one family of one pool. */
    record Queue(String pool, IpFamily family) {}

    private record Waiter(AddressRequest request, List<Queue> queues) {}

    private final Map<ServiceKey, Waiter> waiters = new LinkedHashMap<>();
    private final Map<Queue, NavigableSet<WaitTurn>> queues = new HashMap<>();
    private final Map<WaitTurn, ServiceKey> byTurn = new TreeMap<>();

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
        List<Queue> wanted = new ArrayList<>();
        List<IpFamily> lacking = request.families().stream()
                .filter(family -> allowed(request, family, view).stream()
                        .noneMatch(pool ->
                                view.lowestFree(pool, family).isPresent() && view.isTurn(pool, family, request.turn())))
                .toList();
        // One that needs all waits for what it cannot have yet only; to any other, whichever comes first is of use.
        boolean forAll = !request.allOrNone() || lacking.isEmpty();
        for (IpFamily family : forAll ? request.families() : lacking) {
            allowed(request, family, view).forEach(pool -> wanted.add(new Queue(pool.name(), family)));
        }
        waiters.put(request.service(), new Waiter(request, wanted));
        byTurn.put(request.turn(), request.service());
        wanted.forEach(
                queue -> queues.computeIfAbsent(queue, none -> new TreeSet<>()).add(request.turn()));
        if (!fallsBack) {
            left.removeAll(wanted);
        }
        return left;
    }

    private static List<Pool> allowed(AddressRequest request, IpFamily family, Allocator.View view) {
        return view.pools().pools().stream()
                .filter(pool -> pool.forbids(request, family).isEmpty())
                .toList();
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
        }
        return waiter.queues();
    }

    /** The place that the Service has; absent: it does not wait. */
    Optional<WaitTurn> turnOf(ServiceKey service) {
        return Optional.ofNullable(waiters.get(service))
                .map(waiter -> waiter.request().turn());
    }

    /** Whether fewer than {@code free} Services wait ahead of {@code turn} in the queue. */
    boolean isTurn(Pool pool, IpFamily family, WaitTurn turn, BigInteger free) {
        NavigableSet<WaitTurn> queue = queue(pool.name(), family);
        if (BigInteger.valueOf(queue.size()).compareTo(free) < 0) {
            return true;
        }
        // free is at most the length of the queue here, so it fits.
        return queue.headSet(turn, false).stream().limit(free.longValue()).count() < free.longValue();
    }

    /**
     * The Service that came into turn when one more address was freed, or when one ahead of it left: the
     * {@code free}th of the queue, for those before it had their turn already. Absent: nobody did.
     */
    Optional<ServiceKey> newlyInTurn(Queue queue, BigInteger free) {
        NavigableSet<WaitTurn> turns = queue(queue.pool(), queue.family());
        if (free.signum() <= 0 || BigInteger.valueOf(turns.size()).compareTo(free) < 0) {
            return Optional.empty();
        }
        return turns.stream().skip(free.longValue() - 1).findFirst().map(byTurn::get);
    }

    int size(String pool, IpFamily family) {
        return queue(pool, family).size();
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

    private NavigableSet<WaitTurn> queue(String pool, IpFamily family) {
        return queues.getOrDefault(new Queue(pool, family), Collections.emptyNavigableSet());
    }
}
