package dev.berth.pool;

import dev.berth.ip.Ip;
import dev.berth.ip.IpRange;
import dev.berth.ip.IpSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All pools, checked against themselves, each other and the cluster. Immutable.
 *
 * <p>A pool with a fault goes on with the rest of its ranges: one wrong line stops nobody's work. But if what it excludes
 * cannot be read, nothing new is allocated from it: any of its addresses may be excluded.
 */
public final class PoolSet {
    private static final Comparator<Pool> BY_PRIORITY =
            Comparator.comparingInt((Pool pool) -> pool.policy().priority()).thenComparing(Pool::name);

    private final List<Pool> pools;
    private final Map<String, List<String>> faults;
    private final NavigableMap<Ip, Placed> byLower = new TreeMap<>();

    /** Whether {@code ip}, once out of the pool {@code origin} and in none now, is to be taken back from whom has it. */
    public boolean takesBack(Ip ip, @Nullable String origin) {
        return origin != null && releasing.contains(origin) && poolOf(ip).isEmpty();
    }

    /** Whether {@code ip}, once out of the pool {@code origin}, is of another now; null: it came out of none. */
    public boolean isOfAnother(Ip ip, @Nullable String origin) {
        return origin != null
                && poolOf(ip).filter(pool -> !pool.name().equals(origin)).isPresent();
    }

    private record Placed(IpRange range, Pool pool) {}

    private final List<String> releasing;

    /** All that a pool names, also what it cannot give, and the ranges of the cluster. */
    private final List<Taken> spokenFor;

    /** Why what is in no pool is in none: what is in use in the cluster, then what pools exclude. */
    private final List<Taken> withheld;

    private PoolSet(
            List<Pool> pools,
            Map<String, List<String>> faults,
            List<String> releasing,
            List<Taken> spokenFor,
            List<Taken> withheld) {
        this.releasing = releasing;
        this.spokenFor = List.copyOf(spokenFor);
        this.withheld = List.copyOf(withheld);
        this.pools = pools.stream().sorted(BY_PRIORITY).toList();
        this.faults = faults;
        for (Pool pool : pools) {
            for (IpRange range : pool.ranges()) {
                byLower.put(range.lower(), new Placed(range, pool));
            }
        }
    }

    public static PoolSet empty() {
        return of(List.of(), List.of());
    }

    /**
     * Checks the pools, the oldest first: where two overlap, the older one keeps its ranges.
     *
     * @param excludedRanges what is left out of every pool
     */
    public static PoolSet of(List<PoolDeclaration> declarations, List<ExcludedRange> excludedRanges) {
        List<Pool> pools = new ArrayList<>();
        Map<String, List<String>> faults = new LinkedHashMap<>();
        List<Taken> taken = new ArrayList<>();
        List<Taken> excluded = new ArrayList<>();
        for (ExcludedRange never : excludedRanges) {
            never.ranges().forEach(range -> taken.add(new Taken(never.what(), range, never.fault())));
        }
        for (PoolDeclaration declaration :
                declarations.stream().sorted(PoolDeclaration.BY_AGE).toList()) {
            List<String> said = new ArrayList<>(declaration.faults());
            List<IpRange> withheld = declaration.excluded().stream()
                    .flatMap(text -> read(text, "excluded", said).stream())
                    .toList();
            boolean isWhole = declaration.isWhole()
                    && withheld.size() == declaration.excluded().size();
            if (!isWhole) {
                said.add("nothing is allocated from it until that is corrected");
            }
            List<IpRange> own = ownRanges(declaration, said);
            IpSet usable = IpSet.of(own);
            subtractTaken(usable, own, taken, said);
            String what = "AddressPool \"" + declaration.name() + "\"";
            for (IpRange range : withheld) {
                usable.removeAll(range);
                excluded.add(new Taken(what, range, false));
            }
            if (declaration.withoutEnds()) {
                declaration.addresses().stream().flatMap(PoolSet::ends).forEach(usable::remove);
            }
            own.forEach(range -> taken.add(new Taken(what, range, true)));
            faults.put(declaration.name(), List.copyOf(said));
            pools.add(new Pool(
                    declaration.name(),
                    own.stream().map(IpRange::family).collect(Collectors.toSet()),
                    usable.runs(),
                    declaration.policy(),
                    isWhole));
        }
        return new PoolSet(
                pools,
                faults,
                declarations.stream()
                        .filter(PoolDeclaration::releasesStranded)
                        .map(PoolDeclaration::name)
                        .toList(),
                Stream.concat(taken.stream().filter(Taken::fault), excluded.stream())
                        .toList(),
                Stream.concat(
                                excludedRanges.stream()
                                        .flatMap(never -> never.ranges().stream()
                                                .map(range ->
                                                        new Taken(never.what() + " has it", range, never.fault()))),
                                excluded.stream().map(one -> new Taken(one.by() + " excludes it", one.range(), false)))
                        .toList());
    }

    /** A range that somebody else has already. */
    private record Taken(String by, IpRange range, boolean fault) {}

    private static List<IpRange> ownRanges(PoolDeclaration declaration, List<String> faults) {
        List<IpRange> own = new ArrayList<>();
        for (String text : declaration.addresses()) {
            read(text, "range", faults).ifPresent(range -> {
                own.stream()
                        .filter(other -> other.overlaps(range))
                        .findFirst()
                        .ifPresent(other -> faults.add(
                                "range " + text + " overlaps " + other + " of the same pool; remove one of them"));
                own.add(range);
            });
        }
        return own;
    }

    private static void subtractTaken(IpSet usable, List<IpRange> own, List<Taken> taken, List<String> faults) {
        for (Taken other : taken) {
            for (IpRange range : own) {
                if (other.range().overlaps(range)) {
                    usable.removeAll(other.range());
                    if (other.fault()) {
                        faults.add("range " + range + " overlaps " + other.by() + " (" + other.range()
                                + "); nothing is allocated from the overlap");
                    }
                }
            }
        }
    }

    private static Optional<IpRange> read(String text, String role, List<String> faults) {
        try {
            return Optional.of(IpRange.parse(text));
        } catch (IllegalArgumentException unreadable) {
            faults.add(role + " " + unreadable.getMessage());
            return Optional.empty();
        }
    }

    private static Stream<Ip> ends(String text) {
        try {
            return IpRange.endsOfNetwork(text).stream();
        } catch (IllegalArgumentException unreadable) {
            return Stream.empty();
        }
    }

    /** The same, should this pool take back what it lost by edits. */
    public PoolSet releasing(String pool) {
        return new PoolSet(
                pools,
                faults,
                Stream.concat(releasing.stream(), Stream.of(pool)).distinct().toList(),
                spokenFor,
                withheld);
    }

    /** By priority, then name. */
    public List<Pool> pools() {
        return pools;
    }

    /** The pool of this name; absent: there is none. */
    public Optional<Pool> named(String name) {
        return pools.stream().filter(pool -> pool.name().equals(name)).findFirst();
    }

    /** What is wrong with the pool of this name, a sentence each; empty: nothing, or there is no such pool. */
    public List<String> faults(String pool) {
        return faults.getOrDefault(pool, List.of());
    }

    /** The pool that names {@code ip}, if only to exclude it, or the range of the cluster that has it; absent: none. */
    public Optional<String> whose(Ip ip) {
        return spokenFor.stream()
                .filter(taken -> taken.range().contains(ip))
                .map(Taken::by)
                .findFirst();
    }

    /** Why no pool could give {@code ip} out, as a clause; absent: one could. Of Nodes, if a pool names their address. */
    public Optional<String> whyInNone(Ip ip) {
        return poolOf(ip).isPresent()
                ? Optional.empty()
                : Optional.of(withheld.stream()
                        .filter(taken -> taken.range().contains(ip)
                                && (taken.fault() || whose(ip).isPresent()))
                        .map(Taken::by)
                        .findFirst()
                        .or(() -> whose(ip).map(pool -> pool + " does not allocate it: it is the end of a network"))
                        .orElse("it is outside of every AddressPool"));
    }

    /** The pool that could give {@code ip} out; absent: none. */
    public Optional<Pool> poolOf(Ip ip) {
        Map.Entry<Ip, Placed> below = byLower.floorEntry(ip);
        return below != null && below.getValue().range().contains(ip)
                ? Optional.of(below.getValue().pool())
                : Optional.empty();
    }
}
