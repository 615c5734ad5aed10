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

    private final Map<ByPhase, Long> byPhase = new HashMap<>();
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
        byPhase.merge(new ByPhase(pool, family, holding.spec().phase()), (long) change, PoolCounts::sum);
        for (String namespace : namespaces(holding)) {
            byNamespace.merge(new ByNamespace(pool, family, namespace), change, PoolCounts::sum);
        }
    }

    private static Long sum(Long a, Long b) {
        return a + b;
    }

    private static Integer sum(Integer a, Integer b) {
        return a + b;
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
        return BigInteger.valueOf(byPhase.getOrDefault(new ByPhase(pool, family, phase), 0L));
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
}
