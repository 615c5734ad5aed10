package dev.berth.clusterip;

import dev.berth.address.Ip;
import dev.berth.address.IpRange;
import dev.berth.address.IpSet;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Where there is room for another range. */
final class FreeBlocks {
    private final IpSet taken = new IpSet();

    FreeBlocks(Collection<IpRange> taken) {
        taken.forEach(this.taken::addAll);
    }

    /**
     * The lowest block of this prefix length in {@code supernet} that is free as a whole and accepted. It is
     * found by jumping past what is in the way: as many steps as there are obstacles, however many blocks.
     *
     * @param prefixLength not shorter than the supernet's
     */
    Optional<ServiceRange> lowest(ServiceRange supernet, int prefixLength, Predicate<ServiceRange> accepted) {
        Ip last = supernet.whole().upper();
        Ip from = supernet.network();
        while (true) {
            ServiceRange block = ServiceRange.around(from, prefixLength);
            List<IpRange> inTheWay = taken.overlapping(block.whole());
            if (inTheWay.isEmpty() && accepted.test(block)) {
                return Optional.of(block);
            }
            Ip end = inTheWay.isEmpty()
                    ? block.whole().upper()
                    : inTheWay.getLast().upper();
            Ip passed = ServiceRange.around(end, prefixLength).whole().upper();
            if (passed.compareTo(last) >= 0) {
                return Optional.empty();
            }
            from = passed.next();
        }
    }
}
