package dev.berth.kube;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.ip.IpRange;
import dev.berth.servicecidr.ExcludedNetwork;
import dev.berth.servicecidr.PoolRange;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The networks of a cluster that its Service ranges must keep clear of. */
public final class TakenNetworks {
    private TakenNetworks() {}

    /** Of Nodes, their Pods, the API servers and AddressPools, and what Services publish. */
    public static List<ExcludedNetwork> of(Caches caches) {
        List<ExcludedNetwork> all = ofOthers(caches);
        pools(caches).forEach(pool -> all.add(of(pool)));
        return all;
    }

    /** The same without AddressPools. */
    public static List<ExcludedNetwork> ofOthers(Caches caches) {
        List<ExcludedNetwork> all = new ArrayList<>();
        caches.nodes().list().forEach(node -> all.addAll(of(node)));
        caches.apiServers().list().flatMap(TakenNetworks::of).forEach(all::add);
        caches.services().list().forEach(service -> all.addAll(of(service)));
        return all;
    }

    private static ExcludedNetwork of(PoolRange pool) {
        return new ExcludedNetwork("AddressPool \"" + pool.pool() + "\"", pool.range());
    }

    private static Stream<ExcludedNetwork> of(EndpointSlice slice) {
        return ClusterInformers.addresses(slice).stream()
                .flatMap(address -> IpRange.find(address).stream())
                .map(range -> new ExcludedNetwork("an API server", range));
    }

    static Stream<ExcludedNetwork> ofNode(HasMetadata node) {
        return node instanceof Node known ? of(known).stream() : Stream.empty();
    }

    static Stream<ExcludedNetwork> ofApiServer(HasMetadata slice) {
        return slice instanceof EndpointSlice known ? of(known) : Stream.empty();
    }

    static Stream<ExcludedNetwork> ofService(HasMetadata service) {
        return service instanceof Service known ? of(known).stream() : Stream.empty();
    }

    static Stream<ExcludedNetwork> ofPool(HasMetadata pool) {
        return pool instanceof AddressPool known
                ? pools(Stream.of(known)).stream().map(TakenNetworks::of)
                : Stream.empty();
    }

    /** What the Service is reached at from outside, no matter who saw to that. */
    static List<ExcludedNetwork> of(Service service) {
        Stream<String> external =
                Stream.ofNullable(service.getSpec()).flatMap(spec -> NullSafe.list(spec.getExternalIPs()).stream());
        Stream<String> published = Stream.ofNullable(service.getStatus())
                .flatMap(status -> Stream.ofNullable(status.getLoadBalancer()))
                .flatMap(load -> NullSafe.list(load.getIngress()).stream())
                .flatMap(ingress -> Stream.ofNullable(ingress.getIp()));
        String name = "Service \"" + service.getMetadata().getNamespace() + "/"
                + service.getMetadata().getName() + "\" (published)";
        return Stream.concat(external, published)
                .flatMap(address -> IpRange.find(address).stream())
                .map(range -> new ExcludedNetwork(name, range))
                .toList();
    }

    /** The addresses of a Pod, as far as they are in one of these networks. */
    static Stream<ExcludedNetwork> of(HasMetadata pod, List<IpRange> networks) {
        String name = "Pod \"" + pod.getMetadata().getNamespace() + "/"
                + pod.getMetadata().getName() + "\"";
        return pod instanceof Pod known && known.getStatus() != null
                ? NullSafe.list(known.getStatus().getPodIPs()).stream()
                        .flatMap(address -> Stream.ofNullable(address.getIp()))
                        .flatMap(address -> IpRange.find(address).stream())
                        .filter(range -> networks.stream().anyMatch(network -> network.overlaps(range)))
                        .map(range -> new ExcludedNetwork(name, range))
                : Stream.empty();
    }

    static List<ExcludedNetwork> of(Node node) {
        String name = "Node \"" + node.getMetadata().getName() + "\"";
        Stream<ExcludedNetwork> pods = Stream.ofNullable(node.getSpec())
                .flatMap(spec -> NullSafe.list(spec.getPodCIDRs()).stream())
                .flatMap(cidr -> IpRange.find(cidr).stream())
                .map(range -> new ExcludedNetwork(name + " (podCIDR)", range));
        Stream<ExcludedNetwork> own = Nodes.addresses(node, type -> true).stream()
                .flatMap(address -> IpRange.find(address).stream())
                .map(range -> new ExcludedNetwork(name, range));
        return Stream.concat(pods, own).toList();
    }

    /** The addresses of all AddressPools; what cannot be read is in no range. */
    public static List<PoolRange> pools(Caches caches) {
        return pools(caches.pools().list());
    }

    private static List<String> addresses(AddressPool pool) {
        return pool.getSpec() == null ? List.of() : NullSafe.list(pool.getSpec().addresses());
    }

    /** The same of these. */
    static List<PoolRange> pools(Stream<AddressPool> pools) {
        return pools.flatMap(pool -> addresses(pool).stream()
                        .flatMap(text -> IpRange.find(text).stream())
                        .map(range -> new PoolRange(pool.getMetadata().getName(), range)))
                .toList();
    }
}
