package dev.berth.claim;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.Requester;
import dev.berth.pool.SamplePools;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Makes requests and claims for tests. */
final class Sample {
    static final Instant START = SamplePools.START;

    private Sample() {}

    static ServiceKey key(String name) {
        return new ServiceKey("prod", name);
    }

    static QueuePosition turn(String name, int since) {
        return new QueuePosition(START.plusSeconds(since), START, "uid-" + name);
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
                new Requester(List.of(), Map.of(), Map.of()),
                AddressConstraints.NONE,
                List.of(),
                turn(name, since));
    }

    private static AddressRequest with(
            AddressRequest request, Requester requester, AddressConstraints constraints, List<Ip> preferred) {
        return new AddressRequest(
                request.service(),
                request.uid(),
                request.loadBalancerClass(),
                request.families(),
                request.allOrNone(),
                requester,
                constraints,
                preferred,
                request.turn());
    }

    static AddressRequest labelled(AddressRequest request, Map<String, String> labels) {
        return with(request, new Requester(List.of(), Map.of(), labels), request.constraints(), request.preferred());
    }

    static AddressRequest ofNamespace(AddressRequest request, Map<String, String> labels) {
        return with(request, new Requester(List.of(), labels, Map.of()), request.constraints(), request.preferred());
    }

    static AddressRequest preferring(AddressRequest request, String... ips) {
        return preferring(request, ips(ips));
    }

    static AddressRequest preferring(AddressRequest request, List<Ip> ips) {
        return with(request, request.requester(), request.constraints(), ips);
    }

    static AddressRequest ofClass(AddressRequest request, String... pools) {
        return with(
                request, new Requester(List.of(pools), Map.of(), Map.of()), request.constraints(), request.preferred());
    }

    /** One that asks for these very addresses. */
    static AddressRequest asking(AddressRequest request, String... ips) {
        return movingFamilies(
                request,
                new AddressConstraints(
                        ips(ips), List.of(), request.constraints().sharing(), false));
    }

    static AddressRequest movingFamilies(AddressRequest request, AddressConstraints constraints) {
        return with(request, request.requester(), constraints, request.preferred());
    }

    /** One that shares by {@code key} and has these TCP ports. */
    static AddressRequest sharing(AddressRequest request, String key, int... ports) {
        return movingFamilies(
                request,
                new AddressConstraints(
                        request.constraints().addresses(),
                        List.of(),
                        new Sharing(
                                key,
                                "VIP",
                                IntStream.of(ports)
                                        .mapToObj(port -> new Sharing.Port(request.service(), "TCP", port))
                                        .toList()),
                        false));
    }

    private static List<Ip> ips(String... ips) {
        return Stream.of(ips).map(Ip::parse).toList();
    }

    /** What the API server would answer to the claim that {@code pick} is for. */
    static Claim claim(AddressRequest request, Choice.Pick pick, int resourceVersion) {
        Claim joined = pick.joins();
        Sharing sharing = request.constraints().sharing();
        ClaimSpec spec = joined == null || sharing == null
                ? request.claimOf(pick.pool())
                : joined.spec().joinedBy(request.owner(), sharing);
        return new Claim(pick.ip(), "claim-" + pick.ip(), Integer.toString(resourceVersion), spec);
    }

    static Claim claim(String ip, String name, int resourceVersion) {
        return new Claim(
                Ip.parse(ip),
                "claim-" + ip,
                Integer.toString(resourceVersion),
                ClaimSpec.of("edge", "berth.dev/pool", new Owner(key(name), "uid-" + name)));
    }
}
