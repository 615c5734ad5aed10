package dev.berth.provider.tck;

import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.AddressSource;
import dev.berth.provider.Capabilities.Family;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Endpoint;
import dev.berth.provider.LoadBalancerRequest.HealthCheck;
import dev.berth.provider.LoadBalancerRequest.Node;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.Protocol;
import dev.berth.provider.ServiceIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/** Makes requests that fit what a provider can do. */
final class Requests {
    static final int NODE_PORT = 30080;

    private final String cluster;
    private final Capabilities capabilities;
    private final Map<String, String> parameters;
    private final BiFunction<Family, Integer, String> address;
    private int addressesTaken;

    Requests(
            String cluster,
            Capabilities capabilities,
            Map<String, String> parameters,
            BiFunction<Family, Integer, String> address) {
        this.cluster = cluster;
        this.capabilities = capabilities;
        this.parameters = parameters;
        this.address = address;
    }

    List<Family> firstFamily() {
        return List.of(capabilities.families().getFirst());
    }

    Protocol firstProtocol() {
        return capabilities.protocols().getFirst();
    }

    static ServiceIdentity identity(String name) {
        return new ServiceIdentity("tck", name, UUID.randomUUID().toString());
    }

    /** As long as Kubernetes allows. */
    static ServiceIdentity longest() {
        return new ServiceIdentity(
                "n".repeat(63), "s".repeat(63), UUID.randomUUID().toString());
    }

    /** Of a new Service of this name, with one port, as the provider can surely serve it. */
    LoadBalancerRequest of(String name) {
        return of(identity(name), firstFamily());
    }

    LoadBalancerRequest of(ServiceIdentity service, List<Family> families) {
        LoadBalancerRequest one = LoadBalancerRequest.builder(
                        cluster, service, capabilities.ipModes().getFirst())
                .fencingToken(1)
                .families(families)
                .addresses(addresses(families))
                .ports(List.of(port(firstProtocol(), 80)))
                .healthCheck(new HealthCheck(10256, "/healthz"))
                .parameters(parameters)
                .labels(Map.of("app.kubernetes.io/name", service.name()))
                .build();
        return to(one, 1, 2);
    }

    /** New ones, one per family; none if the provider brings its own. */
    List<String> addresses(List<Family> families) {
        List<String> taken = new ArrayList<>();
        if (capabilities.addresses() == AddressSource.POOLS) {
            families.forEach(family -> taken.add(address.apply(family, addressesTaken)));
            addressesTaken++;
        }
        return taken;
    }

    /** The same with {@code externalTrafficPolicy: Local}. */
    static LoadBalancerRequest local(LoadBalancerRequest request) {
        return request.toBuilder()
                .localTrafficPolicy(true)
                .healthCheck(new HealthCheck(32000, "/healthz"))
                .build();
    }

    Port port(Protocol protocol, int number) {
        return new Port(
                protocol.name().toLowerCase(Locale.ROOT) + "-" + number,
                protocol,
                number,
                NODE_PORT + number % 100 + 100 * capabilities.protocols().indexOf(protocol));
    }

    /** The same with other ports, to the targets that it has from the start. */
    LoadBalancerRequest withPorts(LoadBalancerRequest request, Port... ports) {
        return to(request.toBuilder().ports(List.of(ports)).build(), 1, 2);
    }

    /** The same for these nodes, or for their endpoints, by number; for none if the provider has no targets. */
    LoadBalancerRequest to(LoadBalancerRequest request, int... numbers) {
        return switch (capabilities.targets()) {
            case NONE -> request;
            case NODE_PORTS ->
                request.toBuilder()
                        .nodes(IntStream.of(numbers).mapToObj(this::node).toList())
                        .build();
            case ENDPOINTS ->
                request.toBuilder()
                        .endpoints(request.ports().stream()
                                .flatMap(port -> IntStream.of(numbers).mapToObj(number -> endpoint(port, number)))
                                .toList())
                        .build();
        };
    }

    private Endpoint endpoint(Port port, int number) {
        String address = isIpv4First() ? "192.0.2." + (100 + number) : "2001:db8:2::" + number;
        return new Endpoint(port.name(), address, 8080, "node-" + number, zone(number));
    }

    private boolean isIpv4First() {
        return firstFamily().contains(Family.IPV4);
    }

    Node node(int number) {
        String address = isIpv4First() ? "192.0.2." + number : "2001:db8:1::" + number;
        return Node.named("node-" + number)
                .withProviderId("tck://node-" + number)
                .withAddresses(List.of(address))
                .withZone(zone(number))
                .withRegion("tck-region")
                .withLabels(Map.of("kubernetes.io/hostname", "node-" + number));
    }

    private static String zone(int number) {
        return "tck-zone-" + number % 3;
    }
}
