package dev.berth.loadbalancer;

import dev.berth.provider.LoadBalancerRequest.Endpoint;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which endpoints of a Service get packets: those that kube-proxy would send them to. Pure.
 *
 * @see <a href="https://kubernetes.io/docs/reference/networking/virtual-ips/#traffic-to-terminating-endpoints">traffic to terminating endpoints</a>
 */
public final class EndpointRules {
    private static final Comparator<Endpoint> ORDER = Comparator.comparing(Endpoint::port)
            .thenComparing(Endpoint::address)
            .thenComparingInt(Endpoint::targetPort)
            .thenComparing(Endpoint::node)
            .thenComparing(Endpoint::zone);

    private EndpointRules() {}

    /**
     * Of each port and family those that are ready, and if there are none, those that still serve while they end. Each once, in
     * one order, however the slices cut them up.
     */
    public static List<Endpoint> targets(List<EndpointState> all) {
        Map<Kind, List<EndpointState>> alike =
                all.stream().collect(Collectors.groupingBy(Kind::of, LinkedHashMap::new, Collectors.toList()));
        return alike.values().stream()
                .flatMap(EndpointRules::fit)
                .map(EndpointState::endpoint)
                .distinct()
                .sorted(ORDER)
                .toList();
    }

    private record Kind(String port, boolean ipv6) {
        static Kind of(EndpointState state) {
            return new Kind(state.endpoint().port(), state.endpoint().address().contains(":"));
        }
    }

    private static Stream<EndpointState> fit(List<EndpointState> alike) {
        return alike.stream().anyMatch(EndpointState::ready)
                ? alike.stream().filter(EndpointState::ready)
                : alike.stream().filter(state -> state.serving() && state.terminating());
    }
}
