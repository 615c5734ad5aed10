package dev.berth.claim;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import dev.berth.pool.Pool;
import dev.berth.pool.PoolPolicy;
import dev.berth.pool.Quota;
import dev.berth.pool.RefusalReason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What a ledger should say, found out slowly and plainly: by looking at every address. */
final class Oracle {
    private final List<Pool> pools;
    private final List<Holding> held;
    private final Collection<AddressRequest> waiting;

    Oracle(World world) {
        this(world.ledger.pools().pools(), world.ledger.holdings(), world.waiting.values());
    }

    private Oracle(List<Pool> pools, List<Holding> held, Collection<AddressRequest> waiting) {
        this.pools = pools;
        this.held = held;
        this.waiting = waiting;
    }

    List<Ip> addresses(Pool pool, IpFamily family) {
        List<Ip> all = new ArrayList<>();
        for (IpRange range : pool.ranges()) {
            if (range.family() == family) {
                for (Ip ip = range.lower(); !ip.equals(range.upper()); ip = ip.next()) {
                    all.add(ip);
                }
                all.add(range.upper());
            }
        }
        return all;
    }

    Optional<Holding> holding(Ip ip) {
        return held.stream().filter(holding -> holding.ip().equals(ip)).findFirst();
    }

    List<Ip> free(Pool pool, IpFamily family) {
        return addresses(pool, family).stream()
                .filter(ip -> holding(ip).isEmpty())
                .toList();
    }

    long count(Pool pool, IpFamily family, ClaimSpec.Phase phase) {
        return addresses(pool, family).stream()
                .flatMap(ip -> holding(ip).stream())
                .filter(holding -> holding.spec().phase() == phase)
                .count();
    }

    /** How many addresses of the pool are the namespace's, a shared one once. */
    long used(Pool pool, IpFamily family, String namespace) {
        return addresses(pool, family).stream()
                .flatMap(ip -> holding(ip).stream())
                .filter(holding -> holding.owners().stream()
                        .anyMatch(owner -> owner.service().namespace().equals(namespace)))
                .count();
    }

    /** The first rule by which the pool has nothing to do with the request. */
    Optional<RefusalReason> forbids(Pool pool, AddressRequest request, IpFamily family) {
        PoolPolicy policy = pool.policy();
        Optional<Ip> named = request.constraints().address(family);
        boolean ofClass = !request.requester().classPools().isEmpty();
        boolean asked = !request.constraints().pools().isEmpty();
        if (!pool.declares(family)) {
            return Optional.of(RefusalReason.NO_SUCH_FAMILY);
        } else if (named.isPresent() && !addresses(pool, family).contains(named.get())) {
            return Optional.of(RefusalReason.NOT_ITS_ADDRESS);
        } else if (addresses(pool, family).isEmpty()) {
            return Optional.of(RefusalReason.NO_ALLOCATABLE_ADDRESSES);
        } else if (policy.suspended()) {
            return Optional.of(RefusalReason.SUSPENDED);
        } else if (ofClass && !request.requester().classPools().contains(pool.name())) {
            return Optional.of(RefusalReason.NOT_IN_CLASS);
        } else if (asked && !request.constraints().pools().contains(pool.name())) {
            return Optional.of(RefusalReason.NOT_NAMED);
        } else if (!policy.autoAssign() && !ofClass && !asked && named.isEmpty()) {
            return Optional.of(RefusalReason.NOT_AUTO_ASSIGNED);
        } else if (!policy.namespaces().matches(request.requester().namespaceLabels())) {
            return Optional.of(RefusalReason.NAMESPACE_NOT_SELECTED);
        } else if (!policy.services().matches(request.requester().labels())) {
            return Optional.of(RefusalReason.SERVICE_NOT_SELECTED);
        }
        return Optional.empty();
    }

    /** The first rule by which the pool gives the request nothing, if nobody else waited; absent: it gives. */
    Optional<RefusalReason> rule(Pool pool, AddressRequest request, IpFamily family) {
        Optional<RefusalReason> forbids = forbids(pool, request, family);
        if (forbids.isPresent()) {
            return forbids;
        }
        Optional<Holding> named = request.constraints().address(family).flatMap(this::holding);
        if (named.isPresent()) {
            return sharing(named.get(), request);
        }
        String namespace = request.service().namespace();
        Quota quota = pool.policy().quota();
        Integer limit = quota.namespaces().getOrDefault(namespace, quota.perNamespace());
        if (limit != null && used(pool, family, namespace) >= limit) {
            return Optional.of(RefusalReason.OVER_QUOTA);
        }
        return free(pool, family).isEmpty() ? Optional.of(RefusalReason.FULL) : Optional.empty();
    }

    /** Why the request cannot share what others hold; absent: it can. */
    Optional<RefusalReason> sharing(Holding holding, AddressRequest request) {
        Sharing theirs = holding.spec().sharing();
        Sharing mine = request.constraints().sharing();
        boolean inUse = holding.owners().stream().anyMatch(owner -> owner.uid() != null);
        boolean sameNamespace = holding.owners().stream()
                .allMatch(owner ->
                        owner.service().namespace().equals(request.service().namespace()));
        if (theirs == null
                || mine == null
                || !inUse
                || !sameNamespace
                || !mine.key().equals(theirs.key())) {
            return Optional.of(RefusalReason.IN_USE);
        }
        boolean clash = theirs.ports().stream()
                .filter(port -> !port.service().equals(request.service()))
                .anyMatch(port ->
                        mine.ports().stream().anyMatch(own -> own.toString().equals(port.toString())));
        if (clash
                || !mine.terms().equals(theirs.terms())
                || !request.loadBalancerClass().equals(holding.loadBalancerClass())) {
            return Optional.of(RefusalReason.NOT_SHAREABLE);
        }
        return holding.state() == Holding.State.CLAIMED ? Optional.empty() : Optional.of(RefusalReason.SHARED_SOON);
    }

    /** What it could share by its key, or soon can. */
    List<Holding> shares(AddressRequest request, IpFamily family, Optional<RefusalReason> answer) {
        return request.constraints().address(family).isPresent()
                ? List.of()
                : held.stream()
                        .filter(holding -> pools.stream()
                                .anyMatch(pool -> addresses(pool, family).contains(holding.ip())
                                        && forbids(pool, request, family).isEmpty()))
                        .filter(holding -> sharing(holding, request).equals(answer))
                        .toList();
    }

    boolean sharesSoon(AddressRequest request, IpFamily family) {
        return shares(request, family, Optional.empty()).isEmpty()
                && !shares(request, family, Optional.of(RefusalReason.SHARED_SOON))
                        .isEmpty();
    }

    /** Whether it could have an address of the family, if nobody else waited. */
    boolean could(AddressRequest request, IpFamily family) {
        return !sharesSoon(request, family)
                && (!shares(request, family, Optional.empty()).isEmpty()
                        || pools.stream()
                                .anyMatch(pool -> rule(pool, request, family).isEmpty()));
    }

    /** The families that it would get, if nobody else waited. */
    List<IpFamily> couldHave(AddressRequest request) {
        List<IpFamily> can = request.families().stream()
                .filter(family -> could(request, family))
                .toList();
        return request.allOrNone() && can.size() < request.families().size() ? List.of() : can;
    }

    /** Those who wait and may have an address of the pool, but for those who soon share another. */
    List<AddressRequest> waitingFor(Pool pool, IpFamily family) {
        return waiting.stream()
                .filter(request -> request.families().contains(family)
                        && forbids(pool, request, family).isEmpty()
                        && !sharesSoon(request, family))
                .toList();
    }

    /** Those who wait ahead of the request. */
    List<AddressRequest> ahead(AddressRequest request) {
        return waiting.stream()
                .filter(other -> !other.service().equals(request.service())
                        && other.turn().compareTo(request.turn()) < 0)
                .sorted((a, b) -> a.turn().compareTo(b.turn()))
                .toList();
    }

    /** One who waits, and a family that he would get. */
    record Served(ServiceKey service, IpFamily family) {}

    /** Those of {@code requests} who would be served if they were asked one after the other. */
    Set<Served> servedInOrder(List<AddressRequest> requests) {
        Oracle now = this;
        Set<Served> served = new LinkedHashSet<>();
        for (AddressRequest request : requests) {
            for (IpFamily family : now.couldHave(request)) {
                served.add(new Served(request.service(), family));
                if (now.shares(request, family, Optional.empty()).isEmpty()) {
                    now = now.holding(now.next(request, family), request);
                }
            }
        }
        return served;
    }

    /** The very address it names; else, of the first pool that gives, one that nobody names if there is such. */
    private Ip next(AddressRequest request, IpFamily family) {
        List<Ip> named = waiting.stream()
                .flatMap(other -> other.constraints().address(family).stream().filter(ip -> could(other, family)))
                .toList();
        return request.constraints().address(family).orElseGet(() -> {
            List<Ip> free = pools.stream()
                    .filter(pool -> rule(pool, request, family).isEmpty())
                    .findFirst()
                    .map(pool -> free(pool, family))
                    .orElseThrow();
            return free.stream().filter(ip -> !named.contains(ip)).findFirst().orElse(free.getFirst());
        });
    }

    /** The same, if {@code ip} were the request's, and claimed. */
    Oracle holding(Ip ip, AddressRequest request) {
        List<Holding> more = new ArrayList<>(held);
        more.add(new Holding(ip, Holding.State.CLAIMED, request.claimOf("any"), null));
        return new Oracle(pools, more, waiting);
    }
}
