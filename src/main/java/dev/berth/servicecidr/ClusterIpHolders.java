package dev.berth.servicecidr;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Which Services have which cluster IPs. */
final class ClusterIpHolders {
    private final Map<ServiceKey, ClusterService> services = new HashMap<>();
    private final Map<Ip, List<ClusterService>> byIp = new HashMap<>();

    ClusterIpHolders(Collection<ClusterService> all) {
        all.stream()
                .sorted(Comparator.comparing(ClusterService::created).thenComparing(ClusterService::key))
                .forEach(this::add);
    }

    private void add(ClusterService service) {
        services.put(service.key(), service);
        service.ips()
                .forEach(ip ->
                        byIp.computeIfAbsent(ip, none -> new ArrayList<>(1)).add(service));
    }

    /** The Service of this name; absent: there is none. */
    Optional<ClusterService> service(ServiceKey key) {
        return Optional.ofNullable(services.get(key));
    }

    /** Whether any Service has {@code ip}. */
    boolean isHeld(Ip ip) {
        return byIp.containsKey(ip);
    }

    /** Whether this very Service has {@code ip}. */
    boolean holds(ServiceKey key, Ip ip) {
        return of(ip).stream().anyMatch(service -> service.key().equals(key));
    }

    /** Who has {@code ip}, the oldest Service first. */
    List<ClusterService> of(Ip ip) {
        return byIp.getOrDefault(ip, List.of());
    }
}
