package dev.berth.servicecidr;

import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The addresses of ranges that go, but for those that a range which stays has as well. */
final class SoleAddresses {
    private final List<ServiceRange> going;
    private final RangeUnion staying;

    SoleAddresses(Collection<ServiceRange> going, Collection<ServiceRange> staying) {
        this.going = new RangeUnion(going).ranges();
        this.staying = new RangeUnion(staying);
    }

    /** Whether there are any, taken or not. */
    boolean exist() {
        return going.stream()
                .anyMatch(range -> !isCovered(range) && !pieces(range).isEmpty());
    }

    /** How many of them are taken. At once, if {@code ips} tracks what is {@link Usage#tracked}. */
    long count(ClusterIps ips) {
        return going.stream().mapToLong(range -> count(range, ips)).sum();
    }

    private long count(ServiceRange range, ClusterIps ips) {
        return isCovered(range)
                ? 0
                : taken(range, ips)
                        - within(range).mapToLong(kept -> taken(kept, ips)).sum();
    }

    private static long taken(ServiceRange range, ClusterIps ips) {
        return range.addresses().map(ips::count).orElse(0L);
    }

    /** The objects of those that are taken, by address. Taking the first few goes through no others. */
    Stream<ClusterIp> taken(ClusterIps ips) {
        return going.stream()
                .filter(range -> !isCovered(range))
                .flatMap(range -> pieces(range).stream())
                .flatMap(ips::stream);
    }

    private boolean isCovered(ServiceRange range) {
        return staying.ranges().stream().anyMatch(kept -> kept.contains(range));
    }

    private Stream<ServiceRange> within(ServiceRange range) {
        return staying.ranges().stream().filter(range::contains);
    }

    private List<IpRange> pieces(ServiceRange range) {
        List<IpRange> pieces = new ArrayList<>();
        range.addresses().ifPresent(all -> {
            @Nullable Ip start = all.lower();
            for (IpRange kept :
                    within(range).flatMap(one -> one.addresses().stream()).toList()) {
                if (start != null && start.compareTo(kept.lower()) < 0) {
                    pieces.add(new IpRange(start, kept.lower().previous()));
                }
                start = kept.upper().equals(all.upper()) ? null : kept.upper().next();
            }
            if (start != null) {
                pieces.add(new IpRange(start, all.upper()));
            }
        });
        return pieces;
    }
}
