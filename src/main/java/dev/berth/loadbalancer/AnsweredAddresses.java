package dev.berth.loadbalancer;

import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.ip.Ip;
import dev.berth.pool.PoolSet;
import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.AddressSource;
import dev.berth.provider.LoadBalancerStatus;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Who has the addresses that a provider answered: one that brings its own must not answer another's.
 *
 * @param holdings of these addresses, for whomever they are held
 * @param nodes those that a Node of the cluster has
 */
public record AnsweredAddresses(List<Holding> holdings, PoolSet pools, List<Ip> nodes) {
    /** Nobody has one of them. */
    public static final AnsweredAddresses NONE =
            new AnsweredAddresses(List.of(), PoolSet.of(List.of(), List.of()), List.of());

    public AnsweredAddresses {
        holdings = List.copyOf(holdings);
        nodes = List.copyOf(nodes);
    }

    /** The addresses of which it has to be known who has them; empty for a provider that is given its addresses. */
    public static List<Ip> toLookUp(LoadBalancerStatus answer, Capabilities can) {
        return can.addresses() == AddressSource.POOLS
                ? List.of()
                : answer.ingress().stream()
                        .flatMap(entry -> Stream.ofNullable(entry.ip()))
                        .flatMap(text -> Ip.find(text).stream())
                        .toList();
    }

    boolean isNodes(Ip ip) {
        return nodes.contains(ip);
    }

    /** Who has an address that the provider of {@code owner} could not bring itself; absent: nobody else. */
    Optional<String> whose(Ip ip, Owner owner) {
        return holdings.stream()
                .filter(holding -> holding.ip().equals(ip)
                        && holding.isClaimedOrOwned()
                        && !holding.owners().contains(owner))
                .findFirst()
                .map(holding -> holder(holding, owner))
                .or(() -> pools.whose(ip));
    }

    /** Those of other namespaces are not this one's to read. */
    private static String holder(Holding holding, Owner owner) {
        return holding.owners().stream()
                .map(Owner::service)
                .filter(service -> service.namespace().equals(owner.service().namespace()))
                .findFirst()
                .map(service -> "Service " + service)
                .orElseGet(() -> (holding.owners().isEmpty() ? "nobody" : "a Service of another namespace")
                        + " (kubectl get address " + holding.ip().objectName() + ")");
    }
}
