package dev.berth.claim;

import dev.berth.ip.IpFamily;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How many addresses of each pool are held, in which phase, and of which namespace. Not safe for several threads. */
final class PoolCounts {
    private record ByPhase(String pool, IpFamily family, ClaimSpec.Phase phase) {}

    private record ByNamespace(String pool, IpFamily family, String namespace) {}

    private final Map<ByPhase, Integer> byPhase = new HashMap<>();
    private final Map<ByNamespace, Integer> byNamespace = new HashMap<>();

    void clear() {
        byPhase.clear();
        byNamespace.clear();
    }

    /** Counts {@code now} instead of {@code before}, both of one address; null: it is not held. */
    void replace(String pool, @Nullable Holding before, @Nullable Holding now) {
        if (before != null) {
            add(pool, before, -1);
        }
        if (now != null) {
            add(pool, now, 1);
        }
    }

    private void add(String pool, Holding holding, int change) {
        IpFamily family = holding.ip().family();
        count(byPhase, new ByPhase(pool, family, holding.spec().phase()), change);
        for (String namespace : namespaces(holding)) {
            count(byNamespace, new ByNamespace(pool, family, namespace), change);
        }
    }

    /** What there is none of is not kept: namespaces come and go. */
    private static <K> void count(Map<K, Integer> counts, K key, int change) {
        counts.merge(key, change, (before, more) -> before + more == 0 ? null : before + more);
    }

    /** The namespaces of those that an address is for, none twice. */
    static List<String> namespaces(Holding holding) {
        List<Owner> owners = holding.owners();
        return owners.size() == 1
                ? List.of(owners.getFirst().service().namespace())
                : owners.stream()
                        .map(owner -> owner.service().namespace())
                        .distinct()
                        .toList();
    }

    BigInteger of(String pool, IpFamily family, ClaimSpec.Phase phase) {
        return BigInteger.valueOf(byPhase.getOrDefault(new ByPhase(pool, family, phase), 0));
    }

    /** In all phases together. */
    BigInteger held(String pool, IpFamily family) {
        BigInteger sum = BigInteger.ZERO;
        for (ClaimSpec.Phase phase : ClaimSpec.Phase.values()) {
            sum = sum.add(of(pool, family, phase));
        }
        return sum;
    }

    int of(String pool, IpFamily family, String namespace) {
        return byNamespace.getOrDefault(new ByNamespace(pool, family, namespace), 0);
    }

    /** Throws IllegalStateException if these, and no others, are not what is counted. */
    void checkInvariants(PoolCounts expected) {
        Agreement.check("number of addresses", byPhase, expected.byPhase);
        Agreement.check("number of addresses", byNamespace, expected.byNamespace);
    }
}
