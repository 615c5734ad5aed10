package dev.berth.loadbalancer;

import dev.berth.claim.AddressConstraints;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.provider.Capabilities;
import dev.berth.provider.Capabilities.AddressSource;
import dev.berth.provider.Capabilities.Family;
import dev.berth.provider.Capabilities.Feature;
import dev.berth.provider.Capabilities.Targets;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.LoadBalancerRequest.Tls;
import dev.berth.provider.PortError;
import dev.berth.provider.Protocol;
import dev.berth.provider.ServiceIdentity;
import dev.berth.reason.Reason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What a Service asks of the provider of its class, and what of it that provider cannot do. Pure.
 *
 * @param request without what the provider cannot carry; with no ports if it can carry none
 * @param unmet requests that cannot be met, human-readable; empty: all can be met
 * @param portErrors the ports that are left out of the request, and why
 * @param held why the provider cannot be asked yet, human-readable; absent: it can
 */
public record Demand(
        LoadBalancerRequest request, List<Unmet> unmet, List<PortError> portErrors, Optional<String> held) {
    public Demand {
        unmet = List.copyOf(unmet);
        portErrors = List.copyOf(portErrors);
    }

    /** One that the provider can be asked for. */
    public Demand(LoadBalancerRequest request, List<Unmet> unmet, List<PortError> portErrors) {
        this(request, unmet, portErrors, Optional.empty());
    }

    /** A request that cannot be met. */
    record Unmet(Reason reason, String message) {}

    /**
     * What the Service asks.
     *
     * @param addresses that are surely its own
     * @param backends that may get packets
     * @param certificates of classes, by the name of their Secret
     */
    public static Demand of(
            ServiceState service,
            ServedClass served,
            String clusterName,
            long fencingToken,
            AddressConstraints constraints,
            List<Ip> addresses,
            Backends backends,
            Function<String, ClassCertificate> certificates) {
        return new Reading(service, served)
                .demand(clusterName, fencingToken, constraints, addresses, backends, certificates);
    }

    /** The same, of a class without TLS. */
    public static Demand of(
            ServiceState service,
            ServedClass served,
            String clusterName,
            long fencingToken,
            AddressConstraints constraints,
            List<Ip> addresses,
            Backends backends) {
        return of(
                service,
                served,
                clusterName,
                fencingToken,
                constraints,
                addresses,
                backends,
                secret -> ClassCertificate.NONE);
    }

    /** Whether there is anything that the provider can be asked for. */
    public boolean isServable() {
        return !request.ports().isEmpty() && !request.families().isEmpty();
    }

    /** All that cannot be met as one, by the reason of the first; absent: all can be. */
    Optional<Unmet> unsupported() {
        return unmet.stream()
                .findFirst()
                .map(first -> new Unmet(
                        first.reason(), unmet.stream().map(Unmet::message).collect(Collectors.joining("; "))));
    }

    /**
     * What the Service's status says of it; empty: nothing, for all can be done.
     *
     * @param notServed the ports that are not served, left out or refused by the provider
     */
    List<Condition> conditions(ServiceState service, List<PortError> notServed, Instant now) {
        List<Condition> conditions = new ArrayList<>();
        unsupported()
                .ifPresent(all -> conditions.add(Publication.condition(
                        service, WellKnownNames.UNSUPPORTED, true, all.reason(), all.message(), now)));
        if (!notServed.isEmpty()) {
            boolean mixed =
                    notServed.stream().anyMatch(error -> error.error().equals(Reason.MixedProtocolNotSupported.name()));
            conditions.add(Publication.condition(
                    service,
                    WellKnownNames.PORTS_ERROR,
                    true,
                    mixed ? Reason.LoadBalancerMixedProtocolNotSupported : Reason.PortsNotServed,
                    notServed.stream()
                            .map(error -> error.protocol() + "/" + error.port() + ": " + error.error())
                            .collect(Collectors.joining(", ")),
                    now));
        }
        return conditions;
    }

    private static final class Reading {
        private final ServiceState service;
        private final ServedClass served;
        private final Capabilities can;
        private final String provider;
        private final List<Unmet> unmet = new ArrayList<>();
        private final List<PortError> portErrors = new ArrayList<>();

        Reading(ServiceState service, ServedClass served) {
            this.service = service;
            this.served = served;
            can = served.capabilities();
            provider = "provider \"" + served.provider() + "\"";
        }

        Demand demand(
                String clusterName,
                long fencingToken,
                AddressConstraints constraints,
                List<Ip> addresses,
                Backends backends,
                Function<String, ClassCertificate> certificates) {
            List<Family> families = families();
            List<Port> ports = letsNobodyIn() || refusesSourceRanges() ? List.of() : ports();
            boolean targetsNodes = can.targets() == Targets.NODE_PORTS;
            if (service.delivery().sessionAffinity() != null && !can.has(Feature.SESSION_AFFINITY)) {
                unmet(
                        Reason.SessionAffinityNotSupported,
                        provider + " does not support session affinity; set spec.sessionAffinity: None");
            }
            List<String> sourceRanges = sourceRanges();
            if (service.asked().localTraffic() && !can.has(Feature.LOCAL_TRAFFIC_POLICY)) {
                unmet(
                        Reason.LocalTrafficPolicyNotSupported,
                        provider + " sends packets to nodes without an endpoint, too, where"
                                + " spec.externalTrafficPolicy: Local drops them; use Cluster");
            }
            List<Integer> withTls = withTls(ports);
            Optional<ClassCertificate> certificate = withTls.isEmpty()
                    ? Optional.empty()
                    : Optional.ofNullable(served.tls()).map(tls -> certificates.apply(tls.secretName()));
            LoadBalancerRequest request = LoadBalancerRequest.builder(
                            clusterName,
                            new ServiceIdentity(
                                    service.key().namespace(), service.key().name(), service.uid()),
                            served.ipMode())
                    .fencingToken(fencingToken)
                    .addresses(texts(addresses, families))
                    .wantedAddresses(
                            can.addresses() == AddressSource.PROVIDER ? texts(constraints.addresses()) : List.of())
                    .families(families)
                    .ports(ports)
                    .nodes(targetsNodes ? backends.nodes() : List.of())
                    .endpoints(
                            can.targets() == Targets.ENDPOINTS
                                    ? backends.endpoints().get()
                                    : List.of())
                    .healthCheck(targetsNodes ? served.healthCheck().of(service, backends.kubeProxy()) : null)
                    .sourceRanges(sourceRanges)
                    .sessionAffinity(
                            can.has(Feature.SESSION_AFFINITY)
                                    ? service.delivery().sessionAffinity()
                                    : null)
                    .localTrafficPolicy(service.asked().localTraffic())
                    .parameters(served.parameters())
                    .annotations(annotations())
                    .labels(new TreeMap<>(service.labels()))
                    .tls(certificate
                            .flatMap(ClassCertificate::used)
                            .map(used -> new Tls(withTls, used.chain(), used.privateKey()))
                            .orElse(null))
                    .build();
            return new Demand(
                    request,
                    unmet,
                    portErrors,
                    certificate
                            .filter(found -> found.used().isEmpty())
                            .map(found -> "port " + withTls.getFirst()
                                    + " needs the certificate of LoadBalancerClass \"" + served.name() + "\": "
                                    + found.message()));
        }

        private static List<String> texts(List<Ip> addresses, List<Family> families) {
            List<Ip> some = new ArrayList<>(addresses);
            some.removeIf(ip -> !families.contains(family(ip.family())));
            return texts(some);
        }

        private static List<String> texts(List<Ip> ips) {
            List<String> texts = new ArrayList<>(ips.size());
            for (Ip ip : ips) {
                texts.add(ip.toString());
            }
            return texts;
        }

        private List<Integer> withTls(List<Port> ports) {
            ClassTls tls = served.tls();
            return tls == null
                    ? List.of()
                    : ports.stream().filter(tls::terminates).map(Port::port).toList();
        }

        private List<String> sourceRanges() {
            List<String> asked = service.delivery().sourceRanges();
            if (asked.isEmpty()) {
                return List.of();
            }
            List<String> unreadable = SourceRanges.unreadable(asked);
            if (refusesSourceRanges()) {
                unmet.addFirst(
                        new Unmet(
                                Reason.SourceRangesRefused,
                                provider + " cannot enforce spec.loadBalancerSourceRanges"
                                        + (can.has(Feature.SOURCE_RANGES)
                                                ? ", because it leaves them to kube-proxy, which enforces them only"
                                                        + " for ipMode VIP"
                                                : "")
                                        + ", and LoadBalancerClass \"" + served.name()
                                        + "\" has unenforcedSourceRanges: Refuse; nothing is served until the ranges are removed"));
                return List.of();
            }
            if (!can.has(Feature.SOURCE_RANGES)) {
                unmet(
                        Reason.SourceRangesNotSupported,
                        provider + " allows all clients, ignoring spec.loadBalancerSourceRanges");
                return List.of();
            }
            if (!enforcesSourceRanges()) {
                unmet(
                        Reason.SourceRangesNotSupported,
                        provider + " allows all clients, ignoring spec.loadBalancerSourceRanges: it leaves them to"
                                + " kube-proxy, which enforces them only for ipMode VIP; let the proxy that has the"
                                + " address do it");
                return List.of();
            }
            if (!unreadable.isEmpty()) {
                unmet(
                        Reason.SourceRangesUnreadable,
                        "spec.loadBalancerSourceRanges: " + unreadable.getFirst() + " is not a CIDR; "
                                + (letsNobodyIn() ? "nothing is served" : "no client is allowed"));
            }
            return SourceRanges.canonical(asked);
        }

        /** Provider {@code pool} leaves it to kube-proxy. */
        private boolean enforcesSourceRanges() {
            return can.has(Feature.SOURCE_RANGES)
                    && !(can.targets() == Targets.NONE && served.ipMode() == IpMode.PROXY);
        }

        private boolean refusesSourceRanges() {
            return served.refusesUnenforcedSourceRanges()
                    && !service.delivery().sourceRanges().isEmpty()
                    && !enforcesSourceRanges();
        }

        /** An empty list would let everybody in. */
        private boolean letsNobodyIn() {
            List<String> asked = service.delivery().sourceRanges();
            return can.has(Feature.SOURCE_RANGES)
                    && !asked.isEmpty()
                    && SourceRanges.canonical(asked).isEmpty();
        }

        private void unmet(Reason reason, String message) {
            unmet.add(new Unmet(reason, message));
        }

        private static Family family(IpFamily family) {
            return switch (family) {
                case IPV4 -> Family.IPV4;
                case IPV6 -> Family.IPV6;
            };
        }

        private List<Family> families() {
            List<Family> wanted = new ArrayList<>();
            for (IpFamily family : service.wantedFamilies()) {
                wanted.add(family(family));
            }
            List<Family> carried = new ArrayList<>(wanted);
            carried.retainAll(can.families());
            if (carried.size() < wanted.size()) {
                String missing = wanted.stream()
                        .filter(family -> !carried.contains(family))
                        .map(family -> family == Family.IPV4 ? "IPv4" : "IPv6")
                        .collect(Collectors.joining(" and "));
                unmet(Reason.FamilyNotSupported, provider + " cannot carry " + missing + "; change spec.ipFamilies");
            }
            return carried;
        }

        /** The ports that the provider can carry: of two protocols that exclude each other, the first one's. */
        private List<Port> ports() {
            List<Port> carried = new ArrayList<>();
            List<Protocol> unknown = new ArrayList<>();
            boolean mixed = false;
            List<Integer> withoutNodePort = new ArrayList<>();
            for (Port port : service.ports()) {
                if (!can.protocols().contains(port.protocol())) {
                    left(port, Reason.ProtocolNotSupported);
                    unknown.add(port.protocol());
                } else if (!can.has(Feature.MIXED_PROTOCOLS)
                        && !carried.isEmpty()
                        && carried.getFirst().protocol() != port.protocol()) {
                    left(port, Reason.MixedProtocolNotSupported);
                    mixed = true;
                } else if (can.targets() == Targets.NODE_PORTS && port.nodePort() == 0) {
                    left(port, Reason.NodePortMissing);
                    withoutNodePort.add(port.port());
                } else {
                    carried.add(port);
                }
            }
            if (!unknown.isEmpty()) {
                unmet(
                        Reason.ProtocolNotSupported,
                        provider + " cannot carry " + unknown.getFirst() + ", only "
                                + can.protocols().stream().map(Protocol::name).collect(Collectors.joining(", ")));
            }
            if (mixed) {
                unmet(
                        Reason.MixedProtocolNotSupported,
                        provider + " carries one protocol for each load balancer, and this one carries "
                                + carried.getFirst().protocol()
                                + "; make a Service for each protocol, with one " + WellKnownNames.SHARING_KEY
                                + WellKnownNames.ANNOTATIONS_PAGE);
            }
            if (!withoutNodePort.isEmpty()) {
                unmet(
                        Reason.NodePortMissing,
                        provider + " sends packets to node ports, and port " + withoutNodePort.getFirst()
                                + " has none; remove spec.allocateLoadBalancerNodePorts: false");
            }
            return carried;
        }

        private void left(Port port, Reason error) {
            portErrors.add(new PortError(port.port(), port.protocol(), error.name()));
        }

        private Map<String, String> annotations() {
            Map<String, String> read = new TreeMap<>();
            service.asked().annotations().forEach((name, text) -> {
                if (can.reads(name)) {
                    read.put(name, text);
                }
            });
            return read;
        }
    }
}
