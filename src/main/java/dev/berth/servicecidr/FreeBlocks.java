package dev.berth.servicecidr;

import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import dev.berth.ip.IpSet;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Where there is room for another range. */
final class FreeBlocks {
    private final IpSet taken = new IpSet();

    FreeBlocks(Collection<IpRange> taken) {
        taken.forEach(this.taken::addAll);
    }

    /**
     * The blocks of this prefix length in {@code supernet} that are free as a whole, ascending. Each is found when
     * it is asked for, by jumping past what is in the way: as many steps as there are obstacles, however many blocks.
     *
     * @param prefixLength not shorter than the supernet's
     */
    Stream<ServiceRange> in(ServiceRange supernet, int prefixLength) {
        Ip last = supernet.whole().upper();
        return Stream.iterate(
                        next(supernet.network(), prefixLength, last),
                        Optional::isPresent,
                        block -> after(block.orElseThrow().whole().upper(), prefixLength, last))
                .flatMap(Optional::stream);
    }

    private Optional<ServiceRange> next(Ip from, int prefixLength, Ip last) {
        ServiceRange block = ServiceRange.around(from, prefixLength);
        List<IpRange> inTheWay = taken.overlapping(block.whole());
        while (!inTheWay.isEmpty()) {
            Ip passed = ServiceRange.around(inTheWay.getLast().upper(), prefixLength)
                    .whole()
                    .upper();
            if (passed.compareTo(last) >= 0) {
                return Optional.empty();
            }
            block = ServiceRange.around(passed.next(), prefixLength);
            inTheWay = taken.overlapping(block.whole());
        }
        return Optional.of(block);
    }

    private Optional<ServiceRange> after(Ip passed, int prefixLength, Ip last) {
        return passed.compareTo(last) >= 0 ? Optional.empty() : next(passed.next(), prefixLength, last);
    }
}
