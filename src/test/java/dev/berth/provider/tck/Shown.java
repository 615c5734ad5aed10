package dev.berth.provider.tck;

import dev.berth.provider.Ingress;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.PortError;
import dev.berth.provider.tck.World.Listener;
import java.util.List;
import java.util.Optional;

/** What requests ask for and statuses show, in a form to compare. */
final class Shown {
    private Shown() {}

    static List<Listener> listeners(LoadBalancerRequest request) {
        return request.ports().stream()
                .map(port -> new Listener(port.protocol(), port.port()))
                .toList();
    }

    static List<PortError> errorsOfPortsAsked(LoadBalancerRequest request, LoadBalancerStatus status) {
        List<Listener> asked = listeners(request);
        return status.portErrors().stream()
                .filter(error -> asked.contains(new Listener(error.protocol(), error.port())))
                .toList();
    }

    static List<String> ips(LoadBalancerStatus status) {
        return status.ingress().stream()
                .flatMap(entry -> Optional.ofNullable(entry.ip()).stream())
                .toList();
    }

    static List<String> hostnames(LoadBalancerStatus status) {
        return status.ingress().stream()
                .flatMap(entry -> Optional.ofNullable(entry.hostname()).stream())
                .toList();
    }

    /** Sorted: the order of an answer has no meaning. */
    static List<Ingress> ingress(LoadBalancerStatus status) {
        return status.canonical().ingress();
    }

    static List<Ingress> ingress(Optional<LoadBalancerStatus> status) {
        return status.map(Shown::ingress).orElse(List.of());
    }

    /** All that counts where two are compared. */
    static Optional<LoadBalancerStatus> shown(LoadBalancerStatus status) {
        return shown(Optional.of(status));
    }

    static Optional<LoadBalancerStatus> shown(Optional<LoadBalancerStatus> status) {
        return status.map(LoadBalancerStatus::canonical);
    }
}
