package dev.berth.kube;

import dev.berth.address.IpRange;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.clusterip.Avoided;
import dev.berth.clusterip.PoolRange;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The networks of a cluster that its Service ranges must keep clear of. */
public final class TakenNetworks {
    private TakenNetworks() {}

    /** Of Nodes, their Pods, the API servers and AddressPools. */
    public static List<Avoided> of(Caches caches) {
        List<Avoided> all = new ArrayList<>();
        caches.nodes().list().forEach(node -> all.addAll(of(node)));
        caches.apiServers()
                .list()
                .flatMap(slice -> Surroundings.addresses(slice).stream())
                .flatMap(address -> IpRange.find(address).stream())
                .forEach(range -> all.add(new Avoided("an API server", range)));
        pools(caches).forEach(pool -> all.add(new Avoided("AddressPool \"" + pool.pool() + "\"", pool.range())));
        return all;
    }

    private static List<Avoided> of(Node node) {
        String name = "Node \"" + node.getMetadata().getName() + "\"";
        Stream<Avoided> pods = Stream.ofNullable(node.getSpec())
                .flatMap(spec -> Objects.requireNonNullElse(spec.getPodCIDRs(), List.<String>of()).stream())
                .flatMap(cidr -> IpRange.find(cidr).stream())
                .map(range -> new Avoided(name + " (podCIDR)", range));
        Stream<Avoided> own = Stream.ofNullable(node.getStatus())
                .flatMap(status -> Objects.requireNonNullElse(status.getAddresses(), List.<NodeAddress>of()).stream())
                .flatMap(address -> IpRange.find(address.getAddress()).stream())
                .map(range -> new Avoided(name, range));
        return Stream.concat(pods, own).toList();
    }

    /** The addresses of all AddressPools; what cannot be read is in no range. */
    public static List<PoolRange> pools(Caches caches) {
        return pools(caches.pools().list());
    }

    /** The same of these. */
    static List<PoolRange> pools(Stream<AddressPool> pools) {
        return pools.flatMap(pool -> pool.getSpec().addresses().stream()
                        .flatMap(text -> IpRange.find(text).stream())
                        .map(range -> new PoolRange(pool.getMetadata().getName(), range)))
                .toList();
    }
}
