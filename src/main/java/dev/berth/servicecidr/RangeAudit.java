package dev.berth.servicecidr;

import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import dev.berth.reason.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The audit of ServiceCIDRs, among themselves and against the AddressPools. */
record RangeAudit(
        Collection<ServiceCidr> cidrs,
        ClusterIps ips,
        Collection<PoolRange> pools,
        Collection<ExcludedNetwork> networks,
        Instant now) {
    private static final int NAMED = 3;

    /** So long may its controller take to put the finalizer on. */
    private static final Duration FINALIZER_DUE = Duration.ofSeconds(60);

    private static final Comparator<Owned> OUTER_FIRST = Comparator.comparing(Owned::range)
            .thenComparing(owned -> owned.cidr().name());

    /** A range and whose it is. */
    private record Owned(ServiceCidr cidr, ServiceRange range) {
        @Override
        public String toString() {
            return "\"" + cidr.name() + "\" (" + range + ")";
        }
    }

    List<Finding> findings() {
        List<Owned> all = cidrs.stream()
                .flatMap(cidr -> cidr.ranges().stream().map(range -> new Owned(cidr, range)))
                .sorted(OUTER_FIRST)
                .toList();
        List<Finding> findings = new ArrayList<>();
        all.forEach(owned -> unusable(owned).ifPresent(findings::add));
        Usage.byName(cidrs).forEach(cidr -> withoutFinalizer(cidr).ifPresent(findings::add));
        conflicts(all, findings);
        bothTerminating(all, findings);
        all.forEach(owned -> overlapped(owned).ifPresent(findings::add));
        pools.stream()
                .sorted(Comparator.comparing(PoolRange::pool)
                        .thenComparing(pool -> pool.range().lower()))
                .flatMap(pool -> inServiceCidr(pool, all).stream())
                .forEach(findings::add);
        return findings;
    }

    private static Optional<Finding> unusable(Owned owned) {
        return owned.range()
                .unusable()
                .map(why -> Finding.ofRange(
                        Finding.Fault.RANGE_NEVER_ALLOCATES,
                        owned.cidr(),
                        owned.range() + " " + why + ", although its condition Ready is True; " + instead(owned)));
    }

    /** What gives addresses beside it goes with it. */
    private static String instead(Owned owned) {
        ServiceCidr cidr = owned.cidr();
        if (cidr.name().equals(Retirement.OF_API_SERVER)) {
            return "start the API servers with another range of "
                    + owned.range().family() + " in --service-cluster-ip-range";
        }
        String others = cidr.ranges().stream()
                .filter(range -> range.gives() && !range.equals(owned.range()))
                .map(range -> ", and one of " + range + ", which is deleted with this one,")
                .collect(Collectors.joining());
        return "create another ServiceCIDR" + others + (others.isEmpty() ? "," : "")
                + " then kubectl delete servicecidr "
                + cidr.name();
    }

    /** The one of the API server comes again by itself. */
    private Optional<Finding> withoutFinalizer(ServiceCidr cidr) {
        boolean due = now.isAfter(cidr.created().plus(FINALIZER_DUE));
        return cidr.isTerminating() || cidr.finalizer() || cidr.name().equals(Retirement.OF_API_SERVER) || !due
                ? Optional.empty()
                : Optional.of(Finding.ofRange(
                        Finding.Fault.FINALIZER_MISSING,
                        cidr,
                        "it has no finalizer " + ServiceCidr.FINALIZER + ": without it, the ServiceCIDR can be"
                                + " deleted while Services still use it; the controller adds it:"
                                + " kube-controller-manager's service-cidr-controller, or Berth with"
                                + " --service-cidr-controller=Auto"));
    }

    /** Only ranges that lie in one another have addresses in common, so each is held against those around it. */
    private static void conflicts(List<Owned> outerFirst, List<Finding> findings) {
        Deque<Owned> around = new ArrayDeque<>();
        for (Owned inner : outerFirst) {
            while (!around.isEmpty() && !around.getLast().range().contains(inner.range())) {
                around.removeLast();
            }
            for (Owned outer : around) {
                conflict(inner, outer).or(() -> conflict(outer, inner)).ifPresent(findings::add);
            }
            around.addLast(inner);
        }
    }

    private static Optional<Finding> conflict(Owned kept, Owned taking) {
        Optional<IpRange> band = kept.range().staticBand();
        if (!kept.cidr().isReady()
                || !taking.cidr().isReady()
                || !taking.range().gives()
                || !kept.range().gives()) {
            return Optional.empty();
        }
        return band.filter(mine -> taking.range()
                        .dynamicBand()
                        .filter(theirs -> mine.overlaps(theirs))
                        .isPresent())
                .map(mine -> Finding.ofRange(
                        Finding.Fault.BANDS_CONFLICT,
                        kept.cidr(),
                        "its static band " + mine
                                + " is not reserved for Services that request an address, because ServiceCIDR "
                                + taking + " allocates from it to any Service; request addresses from another range,"
                                + " or retire "
                                + oneToRetire(kept, taking)
                                + " by its annotation " + ServiceCidr.RETIRE
                                + "=true; if this is intended: kubectl annotate servicecidr "
                                + kept.cidr().name() + " berth.dev/acknowledged=" + Reason.BandsConflict));
    }

    /** The one of the API server cannot be retired. */
    private static String oneToRetire(Owned a, Owned b) {
        return Stream.of(a, b)
                .filter(owned -> !owned.cidr().name().equals(Retirement.OF_API_SERVER))
                .sorted(Comparator.comparing(owned -> owned.cidr().name()))
                .map(RangeAudit::nameWithOthers)
                .collect(Collectors.joining(" or "));
    }

    private static String nameWithOthers(Owned owned) {
        return owned.cidr().name()
                + owned.cidr().ranges().stream()
                        .filter(range -> range.gives() && !range.equals(owned.range()))
                        .map(range -> " (whose " + range + " is deleted with it)")
                        .collect(Collectors.joining());
    }

    /** Ranges that share addresses: each of their ServiceCIDRs may be let go because of the other. */
    private void bothTerminating(List<Owned> all, List<Finding> findings) {
        List<Owned> going =
                all.stream().filter(owned -> owned.cidr().isTerminating()).toList();
        List<ServiceRange> shared = going.stream()
                .map(Owned::range)
                .filter(range -> around(range, going).count() > 1)
                .toList();
        new RangeUnion(shared)
                .ranges().stream()
                        .flatMap(range -> together(range, going, all).stream())
                        .forEach(findings::add);
    }

    private static Stream<Owned> around(ServiceRange range, List<Owned> owned) {
        return owned.stream().filter(other -> other.range().contains(range));
    }

    private Optional<Finding> together(ServiceRange shared, List<Owned> going, List<Owned> all) {
        List<ServiceRange> staying = all.stream()
                .filter(owned -> !owned.cidr().isTerminating())
                .map(Owned::range)
                .toList();
        boolean used = new SoleAddresses(List.of(shared), staying).taken(ips).anyMatch(ClusterIp::ofAllocator);
        if (!used) {
            return Optional.empty();
        }
        // The outer ones come first.
        List<Owned> outwards = around(shared, going).toList().reversed();
        Owned first = outwards.stream()
                .filter(owned -> owned.range().equals(shared))
                .reduce((later, earlier) -> earlier)
                .orElseThrow();
        return Optional.of(Finding.ofRange(
                Finding.Fault.BOTH_TERMINATING,
                first.cidr(),
                "its range " + shared + " is in that of "
                        + names(outwards.stream().filter(owned -> !owned.equals(first)))
                        + ", too, and all are being deleted: each may be removed because of the other, and then their"
                        + " Services are in no range; create a third one now: "
                        + ServiceCidrCommand.create("rescue", shared.toString())));
    }

    private Optional<Finding> overlapped(Owned owned) {
        List<ExcludedNetwork> inside = networks.stream()
                .filter(network -> network.range().overlaps(owned.range().whole()))
                .sorted(Comparator.<ExcludedNetwork, Ip>comparing(
                                network -> network.range().lower())
                        .thenComparing(ExcludedNetwork::toString))
                .toList();
        return inside.isEmpty()
                ? Optional.empty()
                : Optional.of(Finding.ofRange(
                        Finding.Fault.NETWORK_IN_SERVICE_CIDR,
                        owned.cidr(),
                        "its range " + owned.range() + " overlaps "
                                + inside.stream()
                                        .limit(NAMED)
                                        .map(ExcludedNetwork::toString)
                                        .collect(Collectors.joining(", "))
                                + (inside.size() > NAMED ? " and " + (inside.size() - NAMED) + " more" : "")
                                + ": a Service that gets such an address receives the connections to it; create"
                                + " another ServiceCIDR, then retire this one"));
    }

    private static String names(Stream<Owned> owned) {
        return owned.map(Owned::toString).collect(Collectors.joining(", "));
    }

    private static boolean isAround(Owned owned, PoolRange pool) {
        IpRange whole = owned.range().whole();
        return whole.contains(pool.range().lower())
                && whole.contains(pool.range().upper());
    }

    private static Optional<Finding> inServiceCidr(PoolRange pool, List<Owned> all) {
        return all.stream()
                .filter(owned -> owned.range().whole().overlaps(pool.range()))
                .findFirst()
                .map(owned -> new Finding(
                        Finding.Fault.POOL_IN_SERVICE_CIDR,
                        "AddressPool",
                        pool.pool(),
                        pool.range() + (isAround(owned, pool) ? " is in ServiceCIDR " : " overlaps ServiceCIDR ")
                                + owned
                                + ": the API server may allocate the same address as a cluster IP, and kube-proxy in"
                                + " nftables mode drops connections to cluster IPs that are not allocated; remove it:"
                                + " kubectl edit addresspool " + pool.pool()));
    }
}
