package dev.berth.provider.tck;

import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.PortError;
import dev.berth.provider.tck.World.Listener;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

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

    /** Kubernetes takes what is not told for VIP. */
    static IpMode mode(Ingress entry) {
        IpMode told = entry.ipMode();
        return told == null ? IpMode.VIP : told;
    }

    /** The ingress as text; its order says nothing. */
    static Set<String> ingress(LoadBalancerStatus status) {
        return status.ingress().stream()
                .map(entry -> entry.ip() == null ? String.valueOf(entry.hostname()) : entry.ip() + " " + mode(entry))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    static Set<String> ingress(Optional<LoadBalancerStatus> status) {
        return status.map(Shown::ingress).orElse(Set.of());
    }

    /** The whole status as text. */
    static Set<String> shown(LoadBalancerStatus status) {
        Set<String> all = ingress(status);
        status.portErrors().forEach(error -> all.add(error.protocol() + " " + error.port() + ": " + error.error()));
        return all;
    }

    static Set<String> shown(Optional<LoadBalancerStatus> status) {
        return status.map(Shown::shown).orElse(Set.of());
    }
}
