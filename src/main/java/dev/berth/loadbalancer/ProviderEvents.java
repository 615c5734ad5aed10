package dev.berth.loadbalancer;

import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Node;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.reason.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What events say of the calls to a provider, in the words of a cloud's own controller. Of a provider that touches nothing
 * outside, they say nothing that is no fault. What the load balancer is called in them is by
 * {@link NamedLoadBalancer#called}. Pure.
 */
final class ProviderEvents {
    /** How many nodes an event names. */
    private static final int NODES_NAMED = 20;

    private ProviderEvents() {}

    /** Before the call. */
    static List<ServiceEvent> before(ProviderCall.Made call, ServedClass served) {
        return switch (call) {
            case ProviderCall.Ensure(LoadBalancerRequest request) -> beforeEnsuring(request, served);
            case ProviderCall.Update update -> List.of();
            case ProviderCall.Look look -> List.of();
            case ProviderCall.Delete delete -> List.of();
        };
    }

    private static List<ServiceEvent> beforeEnsuring(LoadBalancerRequest request, ServedClass served) {
        List<ServiceEvent> events = new ArrayList<>();
        if (!served.capabilities().immediate()) {
            events.add(ServiceEvent.normal(Reason.EnsuringLoadBalancer, "Ensuring load balancer"));
        }
        if (targetsNodes(served) && request.nodes().isEmpty()) {
            events.add(ServiceEvent.warning(
                    Reason.UnAvailableLoadBalancer, "There are no available nodes for LoadBalancer"));
        }
        return events;
    }

    /** Once the call is done. Endpoints change with each roll-out, and nobody wants to read of them. */
    static List<ServiceEvent> after(ProviderCall.Made call, ServedClass served) {
        return call instanceof ProviderCall.Update && targetsNodes(served)
                ? List.of(ServiceEvent.normal(Reason.UpdatedLoadBalancer, "Updated load balancer with new hosts"))
                : List.of();
    }

    /** The provider could not take other targets. */
    static ServiceEvent notUpdated(LoadBalancerRequest request, ServedClass served, String cause) {
        return ServiceEvent.warning(
                Reason.UpdateLoadBalancerFailed,
                "Error updating load balancer with new "
                        + (targetsNodes(served)
                                ? "hosts " + names(request.nodes())
                                : request.endpoints().size() + " endpoints")
                        + ", error: " + cause);
    }

    private static String names(List<Node> nodes) {
        String some = nodes.stream().limit(NODES_NAMED).map(Node::name).collect(Collectors.joining(" "));
        return nodes.size() > NODES_NAMED ? "[" + some + " ...] (" + nodes.size() + " in all)" : "[" + some + "]";
    }

    /** The provider has something else than it answered; {@code found} absent: nothing. */
    static ServiceEvent drifted(String called, LoadBalancerStatus known, Optional<LoadBalancerStatus> found) {
        return ServiceEvent.warning(
                Reason.LoadBalancerDrifted,
                "The " + called + " "
                        + found.map(status -> "has " + ingress(status) + " instead of " + ingress(known))
                                .orElse("is gone")
                        + "; ensuring it again");
    }

    private static String ingress(LoadBalancerStatus status) {
        return OneLine.of(status.ingress().stream()
                .map(entry -> (entry.ip() == null ? entry.hostname() : entry.ip())
                        + (entry.ipMode() == null ? "" : " (" + entry.ipMode() + ")"))
                .collect(Collectors.joining(", ")));
    }

    /** Before what was made is deleted. */
    static List<ServiceEvent> deleting(ServedClass served, String called) {
        return served.capabilities().immediate()
                ? List.of()
                : List.of(ServiceEvent.normal(Reason.DeletingLoadBalancer, "Deleting " + called));
    }

    /** Once it is. */
    static List<ServiceEvent> deleted(ServedClass served, String called) {
        return served.capabilities().immediate()
                ? List.of()
                : List.of(ServiceEvent.normal(Reason.DeletedLoadBalancer, "Deleted " + called));
    }

    private static boolean targetsNodes(ServedClass served) {
        return served.capabilities().targets() == Targets.NODE_PORTS;
    }
}
