package dev.berth.plan;

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
            .thenComparing(Endpoint::node);

    private EndpointRules() {}

    /**
     * Of each port those that are ready, and if there are none, those that still serve while they end. Each once, in
     * one order, however the slices cut them up.
     */
    public static List<Endpoint> targets(List<EndpointState> all) {
        Map<String, List<EndpointState>> byPort = all.stream()
                .collect(Collectors.groupingBy(
                        state -> state.endpoint().port(), LinkedHashMap::new, Collectors.toList()));
        return byPort.values().stream()
                .flatMap(EndpointRules::fit)
                .map(EndpointState::endpoint)
                .distinct()
                .sorted(ORDER)
                .toList();
    }

    private static Stream<EndpointState> fit(List<EndpointState> ofPort) {
        return ofPort.stream().anyMatch(EndpointState::ready)
                ? ofPort.stream().filter(EndpointState::ready)
                : ofPort.stream().filter(state -> state.serving() && state.terminating());
    }
}
