package dev.berth.provider;

import dev.berth.provider.tck.Outage;
import dev.berth.provider.tck.World;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Where {@link ReferenceProvider} keeps what it makes: in memory, and for every provider that is given it. */
final class ReferenceWorld implements World {
    /**
     * A load balancer.
     *
     * @param ready false: it is still being made
     */
    record Held(LoadBalancerRequest request, LoadBalancerStatus status, boolean ready) {}

    private final SequencedMap<String, Held> held = new LinkedHashMap<>();
    private final SequencedMap<String, Long> tokens = new LinkedHashMap<>();
    private final SequencedMap<String, Seen> traffic = new LinkedHashMap<>();
    private boolean away;
    private int given;

    /** Fails while there is an outage. */
    synchronized void reach() {
        if (away) {
            throw new ProviderException("the reference world is away; it comes back by itself");
        }
    }

    synchronized Outage outage() {
        away = true;
        return this::back;
    }

    private synchronized void back() {
        away = false;
    }

    /** The highest fencing token that any call for the cluster has had. */
    synchronized long token(LoadBalancerRequest request) {
        return tokens.merge(request.clusterName(), request.fencingToken(), Math::max);
    }

    /** The next of its own addresses, never the same twice. */
    synchronized String nextAddress(Capabilities.Family family) {
        given++;
        return family == Capabilities.Family.IPV4 ? "203.0.113." + given : "2001:db8:2::" + Integer.toHexString(given);
    }

    synchronized Optional<Held> find(String clusterName, ServiceIdentity service) {
        return Optional.ofNullable(held.get(key(clusterName, service)));
    }

    Optional<Held> find(LoadBalancerRequest request) {
        return find(request.clusterName(), request.service());
    }

    synchronized List<Held> find(Predicate<Held> which) {
        return held.values().stream().filter(which).toList();
    }

    synchronized void hold(Held load) {
        held.put(key(load.request().clusterName(), load.request().service()), load);
    }

    synchronized void forget(LoadBalancerRequest request) {
        held.remove(key(request.clusterName(), request.service()));
    }

    synchronized void carry(LoadBalancerRequest request) {
        traffic.put(
                key(request.clusterName(), request.service()),
                new Seen(
                        request.ports().stream()
                                .map(port -> new Listener(port.protocol(), port.port()))
                                .toList(),
                        Stream.concat(
                                        request.nodes().stream().map(LoadBalancerRequest.Node::name),
                                        request.endpoints().stream().map(LoadBalancerRequest.Endpoint::address))
                                .distinct()
                                .toList(),
                        request.sourceRanges(),
                        request.healthCheck()));
    }

    synchronized void stopTraffic(LoadBalancerRequest request) {
        traffic.remove(key(request.clusterName(), request.service()));
    }

    @Override
    public synchronized Optional<Seen> look(String clusterName, ServiceIdentity service) {
        return Optional.ofNullable(traffic.get(key(clusterName, service)));
    }

    private static String key(String clusterName, ServiceIdentity service) {
        return clusterName + " " + service.uid();
    }
}
