package dev.berth.plugin.grpc.wire;

import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Endpoint;
import dev.berth.provider.LoadBalancerRequest.HealthCheck;
import dev.berth.provider.LoadBalancerRequest.Node;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.LoadBalancerRequest.Tls;
import dev.berth.provider.ServiceIdentity;
import org.jspecify.annotations.Nullable;

/** What a Service asks for, both ways. */
public final class RequestMapping {
    private RequestMapping() {}

    /** What a plug-in is asked for. */
    public static dev.berth.plugin.grpc.v1.LoadBalancerRequest write(LoadBalancerRequest request) {
        var wire = dev.berth.plugin.grpc.v1.LoadBalancerRequest.newBuilder()
                .setClusterName(request.clusterName())
                .setService(write(request.service()))
                .setFencingToken(request.fencingToken())
                .addAllAddresses(request.addresses())
                .addAllWantedAddresses(request.wantedAddresses())
                .addAllFamilies(EnumMapping.FAMILIES.write(request.families()))
                .setIpMode(EnumMapping.IP_MODES.write(request.ipMode()))
                .addAllSourceRanges(request.sourceRanges())
                .setLocalTrafficPolicy(request.localTrafficPolicy())
                .putAllParameters(request.parameters())
                .putAllAnnotations(request.annotations())
                .putAllLabels(request.labels());
        request.ports().forEach(port -> wire.addPorts(write(port)));
        request.nodes().forEach(node -> wire.addNodes(write(node)));
        request.endpoints().forEach(endpoint -> wire.addEndpoints(write(endpoint)));
        if (request.healthCheck() != null) {
            wire.setHealthCheck(write(request.healthCheck()));
        }
        if (request.sessionAffinity() != null) {
            wire.setSessionAffinity(Durations.write(request.sessionAffinity()));
        }
        if (request.tls() != null) {
            wire.setTls(write(request.tls()));
        }
        return wire.build();
    }

    /** For which Service. */
    public static dev.berth.plugin.grpc.v1.ServiceIdentity write(ServiceIdentity service) {
        return dev.berth.plugin.grpc.v1.ServiceIdentity.newBuilder()
                .setNamespace(service.namespace())
                .setName(service.name())
                .setUid(service.uid())
                .build();
    }

    private static dev.berth.plugin.grpc.v1.Port write(Port port) {
        var wire = dev.berth.plugin.grpc.v1.Port.newBuilder()
                .setName(port.name())
                .setProtocol(EnumMapping.PROTOCOLS.write(port.protocol()))
                .setPort(port.port())
                .setNodePort(port.nodePort());
        if (port.appProtocol() != null) {
            wire.setAppProtocol(port.appProtocol());
        }
        return wire.build();
    }

    private static dev.berth.plugin.grpc.v1.Node write(Node node) {
        return dev.berth.plugin.grpc.v1.Node.newBuilder()
                .setName(node.name())
                .setProviderId(node.providerId())
                .addAllAddresses(node.addresses())
                .setZone(node.zone())
                .setRegion(node.region())
                .putAllLabels(node.labels())
                .build();
    }

    private static dev.berth.plugin.grpc.v1.Endpoint write(Endpoint endpoint) {
        return dev.berth.plugin.grpc.v1.Endpoint.newBuilder()
                .setPort(endpoint.port())
                .setAddress(endpoint.address())
                .setTargetPort(endpoint.targetPort())
                .setNode(endpoint.node())
                .setZone(endpoint.zone())
                .build();
    }

    private static dev.berth.plugin.grpc.v1.HealthCheck write(HealthCheck check) {
        var wire = dev.berth.plugin.grpc.v1.HealthCheck.newBuilder().setPort(check.port());
        if (check.path() != null) {
            wire.setPath(check.path());
        }
        return wire.build();
    }

    private static dev.berth.plugin.grpc.v1.Tls write(Tls tls) {
        return dev.berth.plugin.grpc.v1.Tls.newBuilder()
                .addAllPorts(tls.ports())
                .setCertificate(tls.certificate())
                .setPrivateKey(tls.privateKey())
                .build();
    }

    /**
     * What is asked for.
     *
     * @throws ProtocolViolation if it has a value that is not known here, or no Service
     */
    public static LoadBalancerRequest read(dev.berth.plugin.grpc.v1.LoadBalancerRequest wire) {
        return LoadBalancerRequest.builder(wire.getClusterName(), read(wire.getService()), ipMode(wire))
                .fencingToken(wire.getFencingToken())
                .addresses(wire.getAddressesList())
                .wantedAddresses(wire.getWantedAddressesList())
                .families(EnumMapping.FAMILIES.read(wire.getFamiliesList(), "a family"))
                .ports(wire.getPortsList().stream().map(RequestMapping::read).toList())
                .nodes(wire.getNodesList().stream().map(RequestMapping::read).toList())
                .endpoints(wire.getEndpointsList().stream()
                        .map(RequestMapping::read)
                        .toList())
                .healthCheck(wire.hasHealthCheck() ? read(wire.getHealthCheck()) : null)
                .sourceRanges(wire.getSourceRangesList())
                .sessionAffinity(wire.hasSessionAffinity() ? Durations.read(wire.getSessionAffinity()) : null)
                .localTrafficPolicy(wire.getLocalTrafficPolicy())
                .parameters(wire.getParametersMap())
                .annotations(wire.getAnnotationsMap())
                .labels(wire.getLabelsMap())
                .tls(wire.hasTls() ? read(wire.getTls()) : null)
                .build();
    }

    /** Not set, it is VIP, as in Kubernetes. */
    private static IpMode ipMode(dev.berth.plugin.grpc.v1.LoadBalancerRequest wire) {
        return wire.getIpMode() == dev.berth.plugin.grpc.v1.IpMode.IP_MODE_UNSPECIFIED
                ? IpMode.VIP
                : EnumMapping.IP_MODES.read(wire.getIpMode(), "ip_mode");
    }

    /**
     * Which Service.
     *
     * @throws ProtocolViolation if a part of it is missing
     */
    public static ServiceIdentity read(dev.berth.plugin.grpc.v1.ServiceIdentity wire) {
        return new ServiceIdentity(
                TextLimits.name(wire.getNamespace(), "the namespace of a Service"),
                TextLimits.name(wire.getName(), "the name of a Service"),
                TextLimits.name(wire.getUid(), "the uid of a Service"));
    }

    private static Port read(dev.berth.plugin.grpc.v1.Port wire) {
        return new Port(
                wire.getName(),
                EnumMapping.PROTOCOLS.read(wire.getProtocol(), "the protocol of a port"),
                wire.getPort(),
                wire.getNodePort(),
                present(wire.hasAppProtocol(), wire.getAppProtocol()));
    }

    private static Node read(dev.berth.plugin.grpc.v1.Node wire) {
        return Node.named(wire.getName())
                .withProviderId(wire.getProviderId())
                .withAddresses(wire.getAddressesList())
                .withZone(wire.getZone())
                .withRegion(wire.getRegion())
                .withLabels(wire.getLabelsMap());
    }

    private static Endpoint read(dev.berth.plugin.grpc.v1.Endpoint wire) {
        return new Endpoint(wire.getPort(), wire.getAddress(), wire.getTargetPort(), wire.getNode(), wire.getZone());
    }

    private static HealthCheck read(dev.berth.plugin.grpc.v1.HealthCheck wire) {
        return new HealthCheck(wire.getPort(), present(wire.hasPath(), wire.getPath()));
    }

    private static Tls read(dev.berth.plugin.grpc.v1.Tls wire) {
        return new Tls(wire.getPortsList(), wire.getCertificate(), wire.getPrivateKey());
    }

    private static @Nullable String present(boolean has, String text) {
        return has ? text : null;
    }
}
