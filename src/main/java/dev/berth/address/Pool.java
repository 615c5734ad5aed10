package dev.berth.address;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;

/**
 * A pool as it may be given out from.
 *
 * @param ranges ascending and apart; what is wrong, excluded, overlapping or never given out is left out
 * @param autoAssign whether a request that names no pool may have an address of it
 * @param priority lower first
 * @param suspended nothing new is given out
 */
public record Pool(
        String name,
        List<IpRange> ranges,
        boolean autoAssign,
        int priority,
        Selector namespaces,
        Selector services,
        boolean suspended) {
    public Pool {
        ranges = List.copyOf(ranges);
    }

    /** How many addresses of {@code family} it can give out in all. */
    public BigInteger capacity(IpFamily family) {
        return ranges(family).stream().map(IpRange::size).reduce(BigInteger.ZERO, BigInteger::add);
    }

    public boolean has(IpFamily family) {
        return ranges.stream().anyMatch(range -> range.family() == family);
    }

    List<IpRange> ranges(IpFamily family) {
        return ranges.stream().filter(range -> range.family() == family).toList();
    }

    /**
     * The first rule by which this pool, full or not, gives {@code request} no address of {@code family}.
     * Absent: it may.
     */
    Optional<Rule> forbids(AddressRequest request, IpFamily family) {
        if (!has(family)) {
            return Optional.of(Rule.NO_SUCH_FAMILY);
        }
        if (suspended) {
            return Optional.of(Rule.SUSPENDED);
        }
        if (!request.pools().isEmpty() && !request.pools().contains(name)) {
            return Optional.of(Rule.NOT_IN_CLASS);
        }
        if (request.pools().isEmpty() && !autoAssign) {
            return Optional.of(Rule.NOT_AUTO_ASSIGNED);
        }
        if (!namespaces.matches(request.namespaceLabels())) {
            return Optional.of(Rule.NAMESPACE_NOT_SELECTED);
        }
        if (!services.matches(request.serviceLabels())) {
            return Optional.of(Rule.SERVICE_NOT_SELECTED);
        }
        return Optional.empty();
    }
}
