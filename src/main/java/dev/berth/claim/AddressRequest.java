package dev.berth.claim;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.PoolRequest;
import dev.berth.pool.Requester;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What a Service asks the allocator for. Its constructor throws IllegalArgumentException if {@code
 * families} is empty or repeats.
 *
 * @param uid the Service's {@code metadata.uid}
 * @param loadBalancerClass the class value that it is served by
 * @param families one address is wanted of each, in the Service's order; not empty, none twice
 * @param allOrNone whether a part is no use (RequireDualStack)
 * @param requester what pools select it by
 * @param preferred addresses to have again if they are free, a pool allows it, and it is its turn
 * @param turn its place among those that wait
 */
public record AddressRequest(
        ServiceKey service,
        String uid,
        String loadBalancerClass,
        List<IpFamily> families,
        boolean allOrNone,
        Requester requester,
        AddressConstraints constraints,
        List<Ip> preferred,
        QueuePosition turn) {
    public AddressRequest {
        families = List.copyOf(families);
        preferred = List.copyOf(preferred);
        if (families.isEmpty() || EnumSet.copyOf(families).size() != families.size()) {
            throw new IllegalArgumentException("one address of each family is asked for: " + families);
        }
    }

    /** The same for these families alone; a part is of use, for the rest is there. */
    public AddressRequest onlyFor(List<IpFamily> some) {
        return new AddressRequest(
                service,
                uid,
                loadBalancerClass,
                some,
                allOrNone && some.size() == families.size(),
                requester,
                constraints,
                preferred,
                turn);
    }

    /** The same, with another place among those that wait. */
    public AddressRequest at(QueuePosition other) {
        return new AddressRequest(
                service, uid, loadBalancerClass, families, allOrNone, requester, constraints, preferred, other);
    }

    public Owner owner() {
        return new Owner(service, uid);
    }

    /** What the Address object of an address out of {@code pool} has to say. */
    public ClaimSpec claimOf(String pool) {
        return constraints.retaining(
                ClaimSpec.of(pool, loadBalancerClass, owner()).shared(constraints.sharing()), service);
    }

    /** What the Address object of an address that others share has to say, once this one shares it, too. */
    public ClaimSpec joining(Claim shared) {
        return constraints.retaining(
                shared.spec().joinedBy(owner(), Objects.requireNonNull(constraints.sharing(), "it shares no address")),
                service);
    }

    /** What it asks pools for, for one of its families. */
    PoolRequest ofPools(IpFamily family) {
        return new PoolRequest(family, constraints.address(family), constraints.pools(), requester);
    }

    /** How others may find an address to share with this one; absent: it shares none. */
    Optional<SharedBy> sharedBy() {
        return Optional.ofNullable(constraints.sharing()).map(terms -> new SharedBy(service.namespace(), terms.key()));
    }
}
