package dev.berth.pool;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import java.math.BigInteger;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A pool as it may be allocated from.
 */
public final class Pool {
    private static final List<RefusalReason> OF_ITSELF =
            Stream.of(RefusalReason.values()).filter(RefusalReason::isOfPool).toList();
    private static final List<RefusalReason> OF_ITS_USE = Stream.of(RefusalReason.values())
            .filter(reason -> !reason.isOfPool())
            .toList();

    private final String name;
    private final List<IpRange> ranges;
    private final PoolPolicy policy;
    private final boolean isWhole;
    private final Set<IpFamily> declared;
    private final Map<IpFamily, List<IpRange>> byFamily = new EnumMap<>(IpFamily.class);
    private final Map<IpFamily, BigInteger> capacity = new EnumMap<>(IpFamily.class);

    /**
     * Makes one.
     *
     * @param declared of which families it names addresses, if only such as cannot be allocated
     * @param ranges ascending and apart; what is wrong, excluded, overlapping or never allocated is left out
     * @param isWhole whether all that its administrator wrote could be read; else it gives nothing new
     */
    public Pool(String name, Set<IpFamily> declared, List<IpRange> ranges, PoolPolicy policy, boolean isWhole) {
        this.name = name;
        this.declared = declared.isEmpty() ? EnumSet.noneOf(IpFamily.class) : EnumSet.copyOf(declared);
        this.ranges = List.copyOf(ranges);
        this.policy = policy;
        this.isWhole = isWhole;
        for (IpFamily family : IpFamily.values()) {
            List<IpRange> own =
                    ranges.stream().filter(range -> range.family() == family).toList();
            byFamily.put(family, own);
            capacity.put(family, own.stream().map(IpRange::size).reduce(BigInteger.ZERO, BigInteger::add));
        }
    }

    public String name() {
        return name;
    }

    /** Ascending and apart. */
    public List<IpRange> ranges() {
        return ranges;
    }

    public PoolPolicy policy() {
        return policy;
    }

    /** How many addresses of {@code family} it can allocate in all. */
    public BigInteger capacity(IpFamily family) {
        return capacity.getOrDefault(family, BigInteger.ZERO);
    }

    /** Whether there is an address of {@code family} that it can allocate, be it free or not. */
    boolean has(IpFamily family) {
        return !ranges(family).isEmpty();
    }

    /** Whether it names addresses of {@code family}, if only such as cannot be allocated. */
    public boolean declares(IpFamily family) {
        return declared.contains(family);
    }

    /** Those of {@code family}, ascending and apart. */
    public List<IpRange> ranges(IpFamily family) {
        return byFamily.getOrDefault(family, List.of());
    }

    /**
     * The first rule by which this pool, full or not, gives no address to one who asks so. Absent: it may.
     */
    public Optional<RefusalReason> forbids(PoolRequest asked) {
        for (RefusalReason reason : OF_ITSELF) {
            if (reason.forbids(this, asked)) {
                return Optional.of(reason);
            }
        }
        return Optional.empty();
    }

    /** The first rule by which this pool, as it is used now, gives no address to one who asks so. Absent: it gives one. */
    public Optional<RefusalReason> refuses(PoolRequest asked, Occupancy use) {
        Optional<RefusalReason> forbidden = forbids(asked);
        if (forbidden.isPresent()) {
            return forbidden;
        }
        for (RefusalReason reason : OF_ITS_USE) {
            if (reason.refuses(this, use)) {
                return Optional.of(reason);
            }
        }
        return Optional.empty();
    }

    /** Whether the namespace has as many addresses of it as it may. */
    public boolean isOverQuota(Occupancy use) {
        return RefusalReason.OVER_QUOTA.refuses(this, use);
    }

    /** That it gives none for this reason, with all that a reader needs to know. */
    public Refusal refusal(RefusalReason reason, PoolRequest asked, Occupancy use) {
        return new Refusal(
                name, asked.family(), reason, reason.detail(this, use), use.free(), capacity(asked.family()));
    }

    /** Whether all that its administrator wrote could be read; else it gives nothing new. */
    boolean isWhole() {
        return isWhole;
    }

    public boolean contains(Ip ip) {
        return ranges(ip.family()).stream().anyMatch(range -> range.contains(ip));
    }

    @Override
    public String toString() {
        return "AddressPool \"" + name + "\" " + ranges;
    }
}
