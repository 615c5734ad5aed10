package dev.berth.claim;

import dev.berth.ip.Ip;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What Services publish that is not their own: it is given to nobody meanwhile. Guarded by the ledger's lock. */
final class Withheld {
    private final Map<ServiceKey, List<Ip>> byService = new HashMap<>();

    /** On account of which Services each is withheld; kept in step with {@link #byService}. */
    private final Map<Ip, Set<ServiceKey>> byAddress = new HashMap<>();

    /** What is withheld on account of this Service. */
    List<Ip> of(ServiceKey service) {
        return byService.getOrDefault(service, List.of());
    }

    /**
     * On account of this Service, this is withheld from now on.
     *
     * @param now each address once
     * @return what was, before
     */
    List<Ip> replace(ServiceKey service, List<Ip> now) {
        List<Ip> before = of(service);
        if (now.isEmpty()) {
            byService.remove(service);
        } else {
            byService.put(service, now);
        }
        before.forEach(ip -> byAddress.computeIfPresent(ip, (of, services) -> {
            services.remove(service);
            return services.isEmpty() ? null : services;
        }));
        now.forEach(ip ->
                byAddress.computeIfAbsent(ip, none -> new LinkedHashSet<>()).add(service));
        return before;
    }

    boolean contains(Ip ip) {
        return byAddress.containsKey(ip);
    }

    /** Whether it is withheld on account of another Service, too. */
    boolean isForAnother(Ip ip, ServiceKey service) {
        return servicesOf(ip).stream().anyMatch(other -> !other.equals(service));
    }

    /** Those on account of which it is withheld. */
    Set<ServiceKey> servicesOf(Ip ip) {
        return byAddress.getOrDefault(ip, Set.of());
    }

    /** Those on account of which something is withheld. */
    Set<ServiceKey> services() {
        return byService.keySet();
    }

    /** What is withheld, by the Services on account of which it is. */
    Map<ServiceKey, List<Ip>> all() {
        return new LinkedHashMap<>(byService);
    }

    /** Throws IllegalStateException if it is not found by its address, or is not in step with what {@code holdings} hold for nobody. */
    void checkInvariants(Holdings holdings) {
        Map<Ip, Set<ServiceKey>> expected = new HashMap<>();
        byService.forEach((service, ips) -> ips.forEach(ip ->
                expected.computeIfAbsent(ip, none -> new LinkedHashSet<>()).add(service)));
        Agreement.check("publishers", byAddress, expected);
        for (Ip ip : byAddress.keySet()) {
            Agreement.check(holdings.contains(ip), () -> ip + " is withheld, but is free");
        }
        for (Holding holding : holdings.all()) {
            Agreement.check(
                    !holding.isOfNobody() || contains(holding.ip()),
                    () -> holding.ip() + " is held for nobody, but is not withheld");
        }
    }

    void clear() {
        byService.clear();
        byAddress.clear();
    }
}
