package dev.berth.address;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Makes pools, requests and claims for tests. */
final class Sample {
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private Sample() {}

    static PoolDeclaration pool(String name, String... addresses) {
        return pool(name, 0, 100, addresses);
    }

    static PoolDeclaration pool(String name, int age, int priority, String... addresses) {
        return new PoolDeclaration(
                name,
                START.plusSeconds(age),
                List.of(addresses),
                List.of(),
                true,
                priority,
                Selector.EVERYTHING,
                Selector.EVERYTHING,
                false);
    }

    static PoolBook book(PoolDeclaration... pools) {
        return PoolBook.of(List.of(pools), List.of());
    }

    static ServiceKey key(String name) {
        return new ServiceKey("prod", name);
    }

    static WaitTurn turn(String name, int since) {
        return new WaitTurn(START.plusSeconds(since), START, "uid-" + name);
    }

    /** What the Service of this name asks for, as one who has waited since {@code since}. */
    static AddressRequest request(String name, int since, IpFamily... families) {
        return request(name, since, false, families);
    }

    static AddressRequest request(String name, int since, boolean allOrNone, IpFamily... families) {
        return new AddressRequest(
                key(name),
                "uid-" + name,
                "berth.dev/pool",
                List.of(families),
                allOrNone,
                List.of(),
                Map.of(),
                Map.of(),
                List.of(),
                turn(name, since));
    }

    static AddressRequest labelled(AddressRequest request, Map<String, String> labels) {
        return new AddressRequest(
                request.service(),
                request.uid(),
                request.loadBalancerClass(),
                request.families(),
                request.allOrNone(),
                request.pools(),
                request.namespaceLabels(),
                labels,
                request.preferred(),
                request.turn());
    }

    static AddressRequest preferring(AddressRequest request, String... ips) {
        return new AddressRequest(
                request.service(),
                request.uid(),
                request.loadBalancerClass(),
                request.families(),
                request.allOrNone(),
                request.pools(),
                request.namespaceLabels(),
                request.serviceLabels(),
                List.of(ips).stream().map(Ip::parse).toList(),
                request.turn());
    }

    static AddressRequest ofClass(AddressRequest request, String... pools) {
        return new AddressRequest(
                request.service(),
                request.uid(),
                request.loadBalancerClass(),
                request.families(),
                request.allOrNone(),
                List.of(pools),
                request.namespaceLabels(),
                request.serviceLabels(),
                request.preferred(),
                request.turn());
    }

    static Claim claim(String ip, String name, int resourceVersion) {
        return new Claim(
                Ip.parse(ip),
                "claim-" + ip,
                Integer.toString(resourceVersion),
                "edge",
                "berth.dev/pool",
                List.of(new Owner(key(name), "uid-" + name)));
    }
}
