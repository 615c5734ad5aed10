package dev.berth.plugin.grpc.wire;

import dev.berth.plugin.grpc.v1.EnsureLoadBalancerResponse;
import dev.berth.plugin.grpc.v1.GetLoadBalancerResponse;
import dev.berth.plugin.grpc.v1.ImplementedElsewhere;
import dev.berth.plugin.grpc.v1.Pending;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.ListedLoadBalancer;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.PortError;
import dev.berth.provider.TargetHealth;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a provider answers, both ways. */
public final class StatusMapping {
    private static final int MOST_INGRESS = 100;
    private static final int MOST_PORT_ERRORS = 1_000;

    private StatusMapping() {}

    /** What came of it. */
    public static EnsureLoadBalancerResponse write(EnsureOutcome outcome) {
        var wire = EnsureLoadBalancerResponse.newBuilder();
        switch (outcome) {
            case EnsureOutcome.Ready ready -> wire.setReady(write(ready.status()));
            case EnsureOutcome.Pending pending ->
                wire.setPending(Pending.newBuilder()
                        .setRetryAfter(Durations.write(pending.retryAfter()))
                        .setMessage(pending.message()));
            case EnsureOutcome.ImplementedElsewhere elsewhere ->
                wire.setImplementedElsewhere(ImplementedElsewhere.getDefaultInstance());
        }
        return wire.build();
    }

    /** What exists; absent: nothing does. */
    public static GetLoadBalancerResponse write(Optional<LoadBalancerStatus> found) {
        var wire = GetLoadBalancerResponse.newBuilder();
        found.ifPresent(status -> wire.setStatus(write(status)));
        return wire.build();
    }

    private static dev.berth.plugin.grpc.v1.LoadBalancerStatus write(LoadBalancerStatus status) {
        var wire = dev.berth.plugin.grpc.v1.LoadBalancerStatus.newBuilder();
        status.ingress().forEach(ingress -> wire.addIngress(write(ingress)));
        status.portErrors()
                .forEach(error -> wire.addPortErrors(dev.berth.plugin.grpc.v1.PortError.newBuilder()
                        .setPort(error.port())
                        .setProtocol(EnumMapping.PROTOCOLS.write(error.protocol()))
                        .setError(error.error())));
        TargetHealth targets = status.targets();
        if (targets != null) {
            wire.setTargets(dev.berth.plugin.grpc.v1.TargetHealth.newBuilder()
                    .setTotal(targets.total())
                    .setHealthy(targets.healthy()));
        }
        return wire.build();
    }

    private static dev.berth.plugin.grpc.v1.Ingress write(Ingress ingress) {
        var wire = dev.berth.plugin.grpc.v1.Ingress.newBuilder();
        if (ingress.ip() != null) {
            wire.setIp(ingress.ip());
        }
        if (ingress.hostname() != null) {
            wire.setHostname(ingress.hostname());
        }
        if (ingress.ipMode() != null) {
            wire.setIpMode(EnumMapping.IP_MODES.write(ingress.ipMode()));
        }
        return wire.build();
    }

    /** One of a list. */
    public static dev.berth.plugin.grpc.v1.ListedLoadBalancer write(ListedLoadBalancer listed) {
        return dev.berth.plugin.grpc.v1.ListedLoadBalancer.newBuilder()
                .setName(listed.name())
                .setService(RequestMapping.write(listed.service()))
                .build();
    }

    /**
     * What came of it.
     *
     * @throws ProtocolViolation if nothing did, or what did cannot be
     */
    public static EnsureOutcome read(EnsureLoadBalancerResponse wire) {
        return switch (wire.getOutcomeCase()) {
            case READY -> EnsureOutcome.ready(read(wire.getReady()));
            case PENDING ->
                EnsureOutcome.pending(
                        Durations.readDelay(wire.getPending().getRetryAfter()),
                        TextLimits.message(wire.getPending().getMessage()));
            case IMPLEMENTED_ELSEWHERE -> EnsureOutcome.implementedElsewhere();
            case OUTCOME_NOT_SET -> throw new ProtocolViolation("no outcome");
        };
    }

    /**
     * What exists.
     *
     * @throws ProtocolViolation if that cannot be
     */
    public static Optional<LoadBalancerStatus> read(GetLoadBalancerResponse wire) {
        return wire.hasStatus() ? Optional.of(read(wire.getStatus())) : Optional.empty();
    }

    private static LoadBalancerStatus read(dev.berth.plugin.grpc.v1.LoadBalancerStatus wire) {
        ProtocolViolation.refuseMoreThan(MOST_INGRESS, wire.getIngressCount(), "ingress");
        ProtocolViolation.refuseMoreThan(MOST_PORT_ERRORS, wire.getPortErrorsCount(), "port errors");
        try {
            return LoadBalancerStatus.of(wire.getIngressList().stream()
                            .map(StatusMapping::read)
                            .toList())
                    .withPortErrors(wire.getPortErrorsList().stream()
                            .map(StatusMapping::read)
                            .toList())
                    .withTargets(
                            wire.hasTargets()
                                    ? new TargetHealth(
                                            wire.getTargets().getTotal(),
                                            wire.getTargets().getHealthy())
                                    : null);
        } catch (IllegalArgumentException refused) {
            throw new ProtocolViolation(String.valueOf(refused.getMessage()));
        }
    }

    private static Ingress read(dev.berth.plugin.grpc.v1.Ingress wire) {
        return switch (wire.getAddressCase()) {
            case IP -> Ingress.ofIp(TextLimits.address(wire.getIp()), ipMode(wire));
            case HOSTNAME -> {
                if (ipMode(wire) != null) {
                    throw new IllegalArgumentException("ipMode goes with an ip only");
                }
                yield Ingress.ofHostname(TextLimits.hostname(wire.getHostname()));
            }
            case ADDRESS_NOT_SET -> throw new ProtocolViolation("an ingress without ip and hostname");
        };
    }

    private static @Nullable IpMode ipMode(dev.berth.plugin.grpc.v1.Ingress wire) {
        return wire.getIpMode() == dev.berth.plugin.grpc.v1.IpMode.IP_MODE_UNSPECIFIED
                ? null
                : EnumMapping.IP_MODES.read(wire.getIpMode(), "the ip_mode of an ingress");
    }

    private static PortError read(dev.berth.plugin.grpc.v1.PortError wire) {
        if (wire.getPort() < 1 || wire.getPort() > 65535) {
            throw new ProtocolViolation("a port error for port " + wire.getPort());
        }
        return new PortError(
                wire.getPort(),
                EnumMapping.PROTOCOLS.read(wire.getProtocol(), "the protocol of a port error"),
                wire.getError());
    }

    /**
     * The name of a load balancer.
     *
     * @throws ProtocolViolation if it is none
     */
    public static String readName(String name) {
        return TextLimits.name(name, "the name of a load balancer");
    }

    /**
     * A load balancer that there is.
     *
     * @throws ProtocolViolation if it lacks a part
     */
    public static ListedLoadBalancer read(dev.berth.plugin.grpc.v1.ListedLoadBalancer wire) {
        return new ListedLoadBalancer(readName(wire.getName()), RequestMapping.read(wire.getService()));
    }
}
