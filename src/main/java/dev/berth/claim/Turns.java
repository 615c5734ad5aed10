package dev.berth.claim;

import dev.berth.claim.WaitingList.Queue;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.Pool;
import dev.berth.pool.Quota;
import dev.berth.pool.Refusal;
import dev.berth.pool.RefusalReason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SequencedSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whose turn it is, after what others wait for has come or gone. Guarded by the ledger's lock. */
final class Turns {
    private final Holdings holdings;
    private final WaitingList waiting;
    private final Allocator.View view;

    /** Left by those who wait for something else since an address was taken. */
    private final List<Queue> reopened = new ArrayList<>();

    /**
     * What those who wait do not say to be lacking. They say that it is reserved for others who have waited longer, that
     * another family is lacking, or that their quota is used up. Once nothing of it is left, they have to say that.
     */
    private final Statements saidToBeFree = new Statements();

    /** What is for others who have waited longer, as those say who do not wait for it themselves: they lack another family. */
    private final Statements saidToBeOthers = new Statements();

    /** Those that say what is not so any more. */
    private final SequencedSet<ServiceKey> outdated = new LinkedHashSet<>();

    Turns(Holdings holdings, WaitingList waiting, Allocator.View view) {
        this.holdings = holdings;
        this.waiting = waiting;
        this.view = view;
    }

    /**
     * The Services whose turn it is, now that something of what these wait for is there. Who comes into turn is requeued:
     * what it waits for may be another thing by now. And those that wait and say that something is free which is not any
     * more.
     */
    List<ServiceKey> newlyInTurn(List<Queue> opened) {
        SequencedSet<ServiceKey> due = new LinkedHashSet<>();
        Deque<Queue> left = new ArrayDeque<>(opened);
        left.addAll(reopened);
        reopened.clear();
        int changes = left.size();
        while (!left.isEmpty()) {
            Queue queue = left.remove();
            due.addAll(noLongerBehindOthers(queue));
            for (ServiceKey service : inTurn(queue, changes)) {
                if (due.add(service)) {
                    List<Queue> more = waiting.requeue(service, view);
                    changes += more.size();
                    left.addAll(more);
                }
            }
        }
        due.addAll(takeOutdated());
        return List.copyOf(due);
    }

    /** Those that say that others have waited longer, and would be answered something else now. */
    private List<ServiceKey> noLongerBehindOthers(Queue queue) {
        SequencedSet<ServiceKey> services = new LinkedHashSet<>(saidToBeOthers.by(queue));
        Optional<Queue.OfPool> pool = poolOf(queue);
        pool.ifPresent(of -> services.addAll(saidToBeOthers.by(of)));
        services.removeIf(service -> isBehindOthers(service, pool));
        services.forEach(service -> saidToBeOthers.says(service, List.of()));
        return List.copyOf(services);
    }

    /** The pool that it is of; absent: of none. */
    private Optional<Queue.OfPool> poolOf(Queue queue) {
        return switch (queue) {
            case Queue.OfPool pool -> Optional.of(pool);
            case Queue.OfQuota(String pool, IpFamily family, String _) -> Optional.of(new Queue.OfPool(pool, family));
            case Queue.OfAddress(Ip ip) ->
                holdings.pools().poolOf(ip).map(pool -> new Queue.OfPool(pool.name(), ip.family()));
            case Queue.OfShare share -> Optional.empty();
        };
    }

    /**
     * One that does not wait yet is about to.
     *
     * @param pool for which others have waited longer; empty: for any
     */
    private boolean isBehindOthers(ServiceKey service, Optional<Queue.OfPool> pool) {
        return waiting.request(service)
                .map(request -> Allocator.choose(view, request))
                .filter(choice -> refusals(choice).stream()
                        .anyMatch(refusal -> refusal.reason() == RefusalReason.OTHERS_WAIT
                                && pool.map(new Queue.OfPool(refusal.pool(), refusal.family())::equals)
                                        .orElse(true)))
                .isPresent();
    }

    private static List<Refusal> refusals(Choice choice) {
        return switch (choice) {
            case Choice.Assigned assigned -> assigned.missing();
            case Choice.Refused refused -> refused.refusals();
        };
    }

    /** Who does not wait yet is about to, and stays until then. */
    private List<ServiceKey> takeOutdated() {
        List<ServiceKey> waits = new ArrayList<>(outdated);
        waits.removeIf(service -> waiting.turnOf(service).isEmpty());
        waits.forEach(outdated::remove);
        return waits;
    }

    /** The Service was last answered this, for these families; what it was answered for others before counts still. */
    void answered(AddressRequest request, Choice choice) {
        List<Queue> free = new ArrayList<>(saidToBeFree.of(request.service()));
        free.removeIf(queue ->
                queue instanceof Queue.OfShare || request.families().stream().anyMatch(queue::isOf));
        List<Refusal> refusals = refusals(choice);
        Set<IpFamily> lacking = EnumSet.noneOf(IpFamily.class);
        List<Queue> others = new ArrayList<>();
        List<Queue> ofOthers = new ArrayList<>();
        for (Refusal refusal : refusals) {
            lacking.add(refusal.family());
            if (refusal.reason() == RefusalReason.OTHERS_WAIT) {
                // Also for the address that it names others wait who name none.
                ofOthers.add(new Queue.OfPool(refusal.pool(), refusal.family()));
                holdings.pools()
                        .named(refusal.pool())
                        .ifPresent(pool -> others.addAll(WaitingList.queuesFor(request, pool, refusal.family(), view)));
            } else if (refusal.reason() == RefusalReason.OVER_QUOTA) {
                request.constraints().address(refusal.family()).ifPresent(ip -> free.add(new Queue.OfAddress(ip)));
            }
        }
        free.addAll(others);
        if (choice instanceof Choice.Refused && request.allOrNone()) {
            for (IpFamily family : request.families()) {
                if (!lacking.contains(family)) {
                    free.addAll(whatItCanHave(request, family));
                }
            }
        }
        saidToBeFree.says(request.service(), free);
        ofOthers.addAll(others);
        saidToBeOthers.says(request.service(), request.allOrNone() ? ofOthers : List.of());
    }

    /** What of the family it can have rests on: once there is nothing left of one of these, it may be refused. */
    private List<Queue> whatItCanHave(AddressRequest request, IpFamily family) {
        List<Queue> queues = new ArrayList<>();
        if (!Allocator.joins(view, request, family)) {
            queues.addAll(WaitingList.queuesFor(request, family, view));
            queues.removeIf(queue -> !isLeft(queue));
        }
        request.sharedBy().ifPresent(by -> queues.add(new Queue.OfShare(by)));
        return queues;
    }

    private boolean isLeft(Queue queue) {
        return switch (queue) {
            case Queue.OfPool(String name, IpFamily family) ->
                holdings.pools()
                        .named(name)
                        .filter(pool -> view.free(pool, family).signum() > 0)
                        .isPresent();
            case Queue.OfQuota quota -> leftOf(quota).filter(left -> left > 0).isPresent();
            case Queue.OfAddress address -> true;
            case Queue.OfShare share -> true;
        };
    }

    /** What the Service says counts no longer. */
    void saysNothing(ServiceKey service) {
        outdated.remove(service);
        saidToBeFree.says(service, List.of());
        saidToBeOthers.says(service, List.of());
    }

    private List<ServiceKey> inTurn(Queue queue, int changes) {
        return switch (queue) {
            case Queue.OfPool(String pool, IpFamily family) ->
                inTurn(holdings.pools().named(pool), family, changes);
            case Queue.OfQuota quota ->
                leftOf(quota)
                        .map(left -> waiting.newlyInTurn(quota, left, changes))
                        .orElse(List.of());
            case Queue.OfAddress address -> {
                // Each says who has it.
                List<ServiceKey> due = new ArrayList<>(waiting.all(address));
                if (!holdings.contains(address.ip())) {
                    due.addAll(inTurn(
                            holdings.pools().poolOf(address.ip()), address.ip().family(), changes));
                }
                yield due;
            }
            // It is not known which ports fit.
            case Queue.OfShare share -> waiting.all(share);
        };
    }

    /** How many the namespace may have yet; absent: there is no such quota. */
    private Optional<Integer> leftOf(Queue.OfQuota quota) {
        return holdings.pools()
                .named(quota.pool())
                .map(pool -> pool.policy().quota().of(quota.namespace()))
                .filter(OptionalInt::isPresent)
                .map(limit -> limit.getAsInt() - holdings.counts().of(quota.pool(), quota.family(), quota.namespace()));
    }

    private List<ServiceKey> inTurn(Optional<Pool> pool, IpFamily family, int changes) {
        return pool.map(found -> waiting.newlyInTurn(found, family, view.free(found, family), changes))
                .orElse(List.of());
    }

    /**
     * This is held now: those who waited for what there is nothing left of wait for something else.
     *
     * @param before what was held of the address; null: nothing
     */
    void taken(@Nullable Holding before, Holding now) {
        if (waiting.isEmpty() && saidToBeFree.isEmpty()) {
            return;
        }
        List<Queue> fewer = before == null ? new ArrayList<>() : quotasOf(before);
        List<Queue> more = quotasOf(now);
        List<Queue> same = new ArrayList<>(more);
        same.retainAll(fewer);
        more.removeAll(same);
        fewer.removeAll(same);
        countOf(more, 0);
        countOf(fewer, 1);
        for (Queue queue : usedUpBy(now)) {
            if (!isUsedUp(queue)) {
                continue;
            }
            for (ServiceKey service : waiting.countingOn(queue)) {
                List<Queue> queued = waiting.queuesOf(service);
                reopened.addAll(waiting.requeue(service, view));
                if (!waiting.queuesOf(service).equals(queued)) {
                    // What it says was true before.
                    outdated.add(service);
                }
            }
            for (ServiceKey service : saidToBeFree.by(queue)) {
                saysNothing(service);
                outdated.add(service);
            }
        }
        if (before == null
                || !before.owners().equals(now.owners())
                || before.spec().phase() != now.spec().phase()
                || !Objects.equals(before.spec().otherKind(), now.spec().otherKind())) {
            outdateThoseOfQuotasThatAreLeft(now);
            // Each says who has it.
            waiting.all(new Queue.OfAddress(now.ip())).stream()
                    .filter(service -> now.owners().stream()
                            .noneMatch(owner -> owner.service().equals(service)))
                    .forEach(outdated::add);
        }
    }

    /** Those that say that their quota is used up, while some of it is left, and nothing of its pool. */
    private void outdateThoseOfQuotasThatAreLeft(Holding holding) {
        IpFamily family = holding.ip().family();
        holdings.pools()
                .poolOf(holding.ip())
                .filter(pool -> !pool.policy().quota().equals(Quota.NONE)
                        && view.free(pool, family).signum() <= 0)
                .ifPresent(pool -> waiting.quotas(pool.name(), family).stream()
                        .filter(quota -> !isUsedUp(quota))
                        .forEach(quota -> {
                            SequencedSet<ServiceKey> say = new LinkedHashSet<>(waiting.all(quota));
                            waiting.countingOn(quota).forEach(say::remove);
                            outdated.addAll(say);
                        }));
    }

    /** Of what may be used up. */
    private boolean isUsedUp(Queue queue) {
        return !(queue instanceof Queue.OfQuota quota)
                || leftOf(quota).filter(left -> left > 0).isEmpty();
    }

    /** What there may be nothing left of, now that this is held. */
    private List<Queue> usedUpBy(Holding holding) {
        IpFamily family = holding.ip().family();
        List<Queue> usedUp = new ArrayList<>();
        holdings.pools().poolOf(holding.ip()).ifPresent(pool -> {
            if (view.free(pool, family).signum() <= 0) {
                usedUp.add(new Queue.OfPool(pool.name(), family));
            }
        });
        usedUp.addAll(queuesOf(holding));
        return usedUp;
    }

    /** What became possible for others by a change of who holds an address, or what they can no longer count on. */
    List<Queue> openedBy(Holding before, Holding now) {
        List<Queue> opened = new ArrayList<>();
        boolean left = before.losesOwnerBy(now);
        if (left
                || before.state() != now.state()
                || !Objects.equals(now.loadBalancerClass(), before.loadBalancerClass())
                || !Objects.equals(now.spec().sharing(), before.spec().sharing())) {
            SequencedSet<Queue> shares = new LinkedHashSet<>(sharesOf(before));
            shares.addAll(sharesOf(now));
            opened.addAll(shares);
        }
        if (left) {
            opened.addAll(quotasOf(before));
            opened.add(new Queue.OfAddress(now.ip()));
        }
        return opened;
    }

    /** What those may join who are to share this. */
    List<Queue> sharesOf(Holding holding) {
        return Holdings.sharesOf(holding).stream()
                .<Queue>map(Queue.OfShare::new)
                .toList();
    }

    /** Nobody holds this any more. */
    void freed(Holding before) {
        countOf(quotasOf(before), 1);
    }

    /**
     * Of each of these quotas one address more is held, or one less. Who waits for one says how many are; it matters
     * where that was more than the limit, or is.
     *
     * @param least what must be left for that not to be so
     */
    private void countOf(List<Queue> quotas, int least) {
        for (Queue queue : quotas) {
            if (queue instanceof Queue.OfQuota quota
                    && leftOf(quota).filter(left -> left < least).isPresent()) {
                outdated.addAll(waiting.all(quota));
            }
        }
    }

    /** What others may wait for that is this holding's. */
    List<Queue> queuesOf(Holding holding) {
        List<Queue> queues = new ArrayList<>(quotasOf(holding));
        queues.add(new Queue.OfAddress(holding.ip()));
        queues.addAll(sharesOf(holding));
        return queues;
    }

    /** The quotas that it counts against. */
    List<Queue> quotasOf(Holding holding) {
        List<Queue> quotas = new ArrayList<>();
        holdings.pools().poolOf(holding.ip()).ifPresent(pool -> {
            for (String namespace : PoolCounts.namespaces(holding)) {
                if (pool.policy().quota().of(namespace).isPresent()) {
                    quotas.add(new Queue.OfQuota(pool.name(), holding.ip().family(), namespace));
                }
            }
        });
        return quotas;
    }

    /** Throws IllegalStateException if what is kept to find who has to look again does not agree. */
    void checkInvariants() {
        saidToBeFree.checkInvariants();
        saidToBeOthers.checkInvariants();
    }

    /** Nothing is known of who waits any more. */
    void clear() {
        reopened.clear();
        saidToBeFree.clear();
        saidToBeOthers.clear();
        outdated.clear();
    }
}
