package dev.berth.loadbalancer;

import dev.berth.claim.AddressConstraints;
import dev.berth.claim.Holding;
import dev.berth.ip.Ip;
import dev.berth.pool.Pool;
import dev.berth.pool.PoolSet;
import dev.berth.reason.Reason;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Why a Service that has an address is not of the pools that it asks for: it asks for that very address, which is of
 * another pool, its owner has not given it up, or a person reserved it for the Service. Pure.
 */
final class PoolMismatch {
    /** How many pools are named in a sentence. */
    private static final int NAMED = 3;

    private static final int LONGEST_NAME = 253;

    private PoolMismatch() {}

    /**
     * In words; absent: its addresses are of these pools, or it asks for none.
     *
     * @param has the addresses that it has, or is about to take for its own
     */
    static Optional<WaitReason> unmet(
            ServiceState service, List<Holding> has, AddressConstraints constraints, PoolSet pools) {
        return constraints.pools().isEmpty()
                ? Optional.empty()
                : contradiction(has, constraints, pools)
                        .or(() -> notGivenUp(service, has, constraints, pools))
                        .or(() -> reservedByHand(has, constraints, pools));
    }

    /** Recreated, it would get none. */
    private static Optional<WaitReason> contradiction(
            List<Holding> has, AddressConstraints constraints, PoolSet pools) {
        return has.stream()
                .map(Holding::ip)
                .filter(ip -> constraints.address(ip.family()).equals(Optional.of(ip)))
                .flatMap(ip -> pools.poolOf(ip).stream()
                        .map(Pool::name)
                        .filter(name -> !constraints.pools().contains(name))
                        .map(name -> new WaitReason(
                                Reason.AddressOfOtherPool,
                                "the Service requests " + ip + ", which is in AddressPool \"" + name + "\", and also"
                                        + " requests an address from "
                                        + named(constraints, pools)
                                        + "; if recreated, it would get no address; correct one of the two annotations"
                                        + WellKnownNames.ANNOTATIONS_PAGE)))
                .findFirst();
    }

    private static Optional<WaitReason> notGivenUp(
            ServiceState service, List<Holding> has, AddressConstraints constraints, PoolSet pools) {
        List<Ip> others = has.stream()
                .filter(holding -> !HoldingSelection.isOfPoolAsked(holding, constraints, pools))
                .map(Holding::ip)
                .toList();
        if (others.isEmpty()) {
            return Optional.empty();
        }
        if (constraints.pools().stream().allMatch(name -> pools.named(name).isEmpty())) {
            return Optional.of(new WaitReason(
                    Reason.PoolNotFound,
                    "the Service requests an address from " + named(constraints, pools)
                            + WellKnownNames.ANNOTATIONS_PAGE));
        }
        String list = others.stream().map(Ip::toString).collect(Collectors.joining(","));
        return Optional.of(new WaitReason(
                Reason.ReplacementPending,
                "the Service requests an address from "
                        + named(constraints, pools) + WellKnownNames.ANNOTATIONS_PAGE + "; to replace "
                        + list.replace(",", " and ") + ": kubectl annotate service "
                        + service.key().name() + " --namespace="
                        + service.key().namespace() + " " + WellKnownNames.REPLACE_ADDRESS + "=" + list
                        + " --overwrite"));
    }

    private static Optional<WaitReason> reservedByHand(
            List<Holding> has, AddressConstraints constraints, PoolSet pools) {
        return has.stream()
                .filter(holding -> holding.spec().pool() == null)
                .map(Holding::ip)
                .filter(ip -> constraints.address(ip.family()).isEmpty())
                .filter(ip -> pools.poolOf(ip)
                        .filter(pool -> constraints.pools().contains(pool.name()))
                        .isEmpty())
                .findFirst()
                .map(ip -> new WaitReason(
                        Reason.AddressReserved,
                        "the Service requests an address from " + named(constraints, pools) + ", but " + ip
                                + " was reserved manually and is kept; to use another address, set "
                                + WellKnownNames.ADDRESSES + WellKnownNames.ANNOTATIONS_PAGE));
    }

    private static String named(AddressConstraints constraints, PoolSet pools) {
        int more = constraints.pools().size() - NAMED;
        List<String> there = pools.pools().stream().map(Pool::name).toList();
        return constraints.pools().stream()
                        .limit(NAMED)
                        .map(name -> "AddressPool \"" + OneLine.of(name, LONGEST_NAME) + "\""
                                + (there.contains(name)
                                        ? ""
                                        : ", which does not exist" + Spelling.didYouMean(name, there)))
                        .collect(Collectors.joining(" or "))
                + (more > 0 ? " or " + more + " more" : "");
    }
}
