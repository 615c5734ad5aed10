package dev.berth.loadbalancer;

import dev.berth.claim.AddressConstraints;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.claim.Sharing;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.Pool;
import dev.berth.pool.PoolSet;
import dev.berth.reason.Reason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which of the addresses that a Service holds it keeps: one per family that it wants. Pure.
 *
 * @param kept in the Service's order of families
 * @param lacking the families that it has none of
 * @param movingFamilies the families of which it has one, and asks for another by now: it keeps the one until it
 *     has the other. One of another pool is not enough: its owner has to give up the one that it has
 * @param rest what it holds and must give back, once it is published no longer
 */
public record HoldingSelection(
        List<Holding> kept, List<IpFamily> lacking, List<IpFamily> movingFamilies, List<Holding> rest) {
    /**
     * Decides it. What it asks for comes first, of that what is claimed, of that what it publishes already:
     * operators that know nothing of each other agree by its status.
     *
     * @param holdings of its name, whatever the uid
     */
    public static HoldingSelection of(
            ServiceState service, List<Holding> holdings, AddressConstraints constraints, PoolSet pools) {
        return of(service, holdings, constraints, pools, null);
    }

    /**
     * The same of one that is served: what was claimed for another class landed late, and is given back.
     *
     * @param servedBy the value of the class that serves it; null: not known
     */
    static HoldingSelection of(
            ServiceState service,
            List<Holding> holdings,
            AddressConstraints constraints,
            PoolSet pools,
            @Nullable String servedBy) {
        List<Holding> own = new ArrayList<>();
        for (Holding holding : holdings) {
            if (holding.isFor(service.key(), service.uid())) {
                own.add(holding);
            }
        }
        List<Holding> ranked = ranked(own, service, constraints, pools, servedBy);
        List<Holding> kept = new ArrayList<>();
        List<IpFamily> lacking = new ArrayList<>();
        List<IpFamily> movingFamilies = new ArrayList<>();
        for (IpFamily family : service.wantedFamilies()) {
            Holding first = firstOf(ranked, family);
            if (first == null) {
                lacking.add(family);
            } else {
                kept.add(first);
                if (isToBeReplaced(first, service, constraints, pools)) {
                    movingFamilies.add(family);
                }
            }
        }
        own.removeAll(kept);
        return new HoldingSelection(kept, lacking, movingFamilies, own);
    }

    /** Those that it may keep, the best first. */
    private static List<Holding> ranked(
            List<Holding> own,
            ServiceState service,
            AddressConstraints constraints,
            PoolSet pools,
            @Nullable String servedBy) {
        List<Holding> ranked = new ArrayList<>(own);
        ranked.removeIf(holding -> takenBack(holding, pools) || isForAnotherClass(holding, servedBy));
        if (ranked.size() > 1) {
            ranked.sort(Comparator.comparing((Holding holding) -> !asAsked(holding, constraints, pools))
                    .thenComparing(holding -> holding.state() != Holding.State.CLAIMED)
                    .thenComparing(holding -> !service.publishes(holding.ip())));
        }
        return ranked;
    }

    private static boolean isForAnotherClass(Holding holding, @Nullable String servedBy) {
        return servedBy != null && holding.loadBalancerClass() != null && !servedBy.equals(holding.loadBalancerClass());
    }

    private static @Nullable Holding firstOf(List<Holding> holdings, IpFamily family) {
        for (Holding holding : holdings) {
            if (holding.ip().family() == family) {
                return holding;
            }
        }
        return null;
    }

    /**
     * What may be published of it: all; but nothing of a half that is no use (RequireDualStack), unless it is
     * published already, for then somebody uses it.
     */
    public List<Ip> publishable(ServiceState service) {
        return unusableHalf(service).isEmpty() ? addresses(kept) : List.of();
    }

    /** What it holds of a whole that is no use without the rest, and does not publish. */
    List<Ip> unusableHalf(ServiceState service) {
        boolean half = service.familyPolicy() == ServiceState.FamilyPolicy.REQUIRE_DUAL_STACK
                && !lacking.isEmpty()
                && kept.stream().noneMatch(holding -> service.publishes(holding.ip()));
        return half ? addresses(kept) : List.of();
    }

    static List<Ip> addresses(List<Holding> holdings) {
        List<Ip> ips = new ArrayList<>(holdings.size());
        for (Holding holding : holdings) {
            ips.add(holding.ip());
        }
        return ips;
    }

    /** Whether its pool takes it back, so that nobody may keep it. */
    static boolean takenBack(Holding holding, PoolSet pools) {
        return pools.takesBack(holding.ip(), holding.spec().pool());
    }

    /** Whether an address is what the Service asks for, as far as it asks. */
    static boolean asAsked(Holding holding, AddressConstraints constraints, PoolSet pools) {
        return isNamed(holding, constraints)
                && isOfPoolAsked(holding, constraints, pools)
                && sharedAsAsked(holding, constraints.sharing());
    }

    /** A pool alone costs nobody the address that he has, unless he gives that one up. */
    private static boolean isToBeReplaced(
            Holding holding, ServiceState service, AddressConstraints constraints, PoolSet pools) {
        return !isNamed(holding, constraints)
                || !sharedAsAsked(holding, constraints.sharing())
                || (!isOfPoolAsked(holding, constraints, pools) && service.givesUp(holding.ip()));
    }

    /** Whether it is the very address that is asked for, if one is. */
    private static boolean isNamed(Holding holding, AddressConstraints constraints) {
        return constraints
                .address(holding.ip().family())
                .filter(named -> !named.equals(holding.ip()))
                .isEmpty();
    }

    /**
     * Whether it is of a pool that is asked for, if one is, and no address. A pool is right if the address is in it, or
     * came from it: an edit of pools alone moves nobody.
     */
    static boolean isOfPoolAsked(Holding holding, AddressConstraints constraints, PoolSet pools) {
        return constraints.pools().isEmpty()
                || constraints.address(holding.ip().family()).isPresent()
                || holding.spec().pool() == null
                || constraints.pools().contains(holding.spec().pool())
                || pools.poolOf(holding.ip())
                        .filter(pool -> constraints.pools().contains(pool.name()))
                        .isPresent();
    }

    private static boolean sharedAsAsked(Holding holding, @Nullable Sharing asked) {
        Sharing shared = holding.spec().sharing();
        return isAlone(holding)
                || (asked != null && shared != null && asked.key().equals(shared.key()));
    }

    /** Whether one that is not among its owners may be: there is no other, or they share as it asks to. */
    static boolean isOpenTo(Holding holding, AddressConstraints constraints) {
        Sharing mine = constraints.sharing();
        Sharing shared = holding.spec().sharing();
        return holding.owners().stream().allMatch(Owner::isReservation)
                || (mine != null && shared != null && shared.admits(mine));
    }

    private static boolean isAlone(Holding holding) {
        return holding.spec().services().size() <= 1;
    }

    /** Of the pool that has it now: one that was renamed, split or merged counts as the one that it is in. */
    private static ClaimSpec ofItsPool(Holding kept, PoolSet pools) {
        ClaimSpec spec = kept.spec();
        return spec.pool() == null
                ? spec
                : pools.poolOf(kept.ip()).map(Pool::name).map(spec::takenFrom).orElse(spec);
    }

    /** What the Address object of a kept address must say by now; absent: what it says. */
    static Optional<ClaimSpec> amended(Holding kept, ServiceState service, AddressAnnotations asked, PoolSet pools) {
        ClaimSpec spec = kept.spec();
        ClaimSpec wanted = ofItsPool(kept, pools).retainedFor(service.key(), asked.retain());
        Sharing mine = asked.constraints().sharing();
        Sharing shared = spec.sharing();
        if (mine == null || shared == null || isAlone(kept)) {
            wanted = isAlone(kept) ? wanted.shared(mine) : wanted;
        } else if (clash(kept, asked.constraints()).isEmpty()) {
            wanted = wanted.joinedBy(new Owner(service.key(), service.uid()), mine);
        }
        return wanted.equals(spec) ? Optional.empty() : Optional.of(wanted);
    }

    /** Why it can no longer share a kept address as it asks to; absent: it can, or does not ask. */
    static Optional<WaitReason> clash(Holding kept, AddressConstraints constraints) {
        Sharing mine = constraints.sharing();
        Sharing shared = kept.spec().sharing();
        if (mine == null || shared == null || isAlone(kept) || !mine.key().equals(shared.key())) {
            return Optional.empty();
        }
        if (!mine.terms().equals(shared.terms())) {
            return Optional.of(new WaitReason(
                    Reason.TermsDiffer,
                    "other Services share " + kept.ip() + " with " + shared.terms() + "; this Service requests "
                            + mine.terms()
                            + WellKnownNames.ANNOTATIONS_PAGE));
        }
        return shared.clash(mine.ports())
                .map(port -> new WaitReason(
                        Reason.PortInUse,
                        port + " of " + kept.ip() + " is used by Service " + port.service()
                                + "; change the port, or the annotation " + WellKnownNames.SHARING_KEY
                                + WellKnownNames.ANNOTATIONS_PAGE));
    }
}
