package dev.berth.kube;

import static dev.berth.kube.NullSafe.list;
import static dev.berth.kube.NullSafe.map;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.Condition;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.Published.PortStatus;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.ServiceState.FamilyPolicy;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.Protocol;
import io.fabric8.kubernetes.api.model.LoadBalancerIngress;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServiceSpec;
import io.fabric8.kubernetes.api.model.ServiceStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** From Kubernetes' Service to ours. */
public final class ServiceStates {
    private static final String TYPE_LOAD_BALANCER = "LoadBalancer";

    /** Of {@code sessionAffinityConfig.clientIP.timeoutSeconds}. */
    private static final Duration DEFAULT_AFFINITY = Duration.ofHours(3);

    private ServiceStates() {}

    public static ServiceKey keyOf(Service service) {
        return new ServiceKey(
                service.getMetadata().getNamespace(), service.getMetadata().getName());
    }

    public static boolean isLoadBalancer(Service service) {
        return service.getSpec() != null
                && TYPE_LOAD_BALANCER.equals(service.getSpec().getType());
    }

    public static List<String> finalizers(Service service) {
        return list(service.getMetadata().getFinalizers());
    }

    public static List<String> conditionTypes(Service service) {
        return service.getStatus() == null
                ? List.of()
                : list(service.getStatus().getConditions()).stream()
                        .map(io.fabric8.kubernetes.api.model.Condition::getType)
                        .filter(Objects::nonNull)
                        .toList();
    }

    /**
     * What the Service says. Its status is read whatever it holds: others than Kubernetes write it, and it is checked
     * for little.
     *
     * @throws Unreadable if its spec uses a word that this Berth does not know
     */
    public static ServiceState of(Service service) {
        ObjectMeta meta = service.getMetadata();
        ServiceSpec spec = service.getSpec();
        ServiceStatus status = service.getStatus();
        return new ServiceState(
                keyOf(service),
                meta.getUid(),
                meta.getResourceVersion(),
                time(meta.getCreationTimestamp()),
                meta.getDeletionTimestamp() != null,
                isLoadBalancer(service),
                spec == null ? null : spec.getLoadBalancerClass(),
                spec == null ? List.of() : families(spec),
                spec == null ? FamilyPolicy.SINGLE_STACK : policy(spec.getIpFamilyPolicy()),
                spec == null
                        ? List.of()
                        : list(spec.getPorts()).stream()
                                .map(ServiceStates::port)
                                .toList(),
                map(meta.getLabels()),
                new ServiceState.Asked(
                        map(meta.getAnnotations()),
                        spec == null
                                        || spec.getLoadBalancerIP() == null
                                        || spec.getLoadBalancerIP().isEmpty()
                                ? null
                                : spec.getLoadBalancerIP(),
                        spec != null && "Local".equals(spec.getExternalTrafficPolicy()),
                        spec == null ? Map.of() : map(spec.getSelector())),
                delivery(spec),
                finalizers(service),
                ingress(service),
                status == null
                        ? List.of()
                        : list(status.getConditions()).stream()
                                .map(ServiceStates::condition)
                                .toList());
    }

    /** Whether {@link #of} does not throw. */
    public static boolean canBeRead(Service service) {
        try {
            of(service);
            return true;
        } catch (RuntimeException unreadable) {
            return false;
        }
    }

    /** What its status publishes, whatever the rest of it says. */
    static List<Published> ingress(Service service) {
        ServiceStatus status = service.getStatus();
        return status == null || status.getLoadBalancer() == null
                ? List.of()
                : list(status.getLoadBalancer().getIngress()).stream()
                        .map(ServiceStates::published)
                        .toList();
    }

    private static ServiceState.Delivery delivery(@Nullable ServiceSpec spec) {
        return spec == null
                ? ServiceState.Delivery.PLAIN
                : new ServiceState.Delivery(
                        list(spec.getLoadBalancerSourceRanges()),
                        affinity(spec),
                        number(spec.getHealthCheckNodePort()));
    }

    private static @Nullable Duration affinity(ServiceSpec spec) {
        if (!"ClientIP".equals(spec.getSessionAffinity())) {
            return null;
        }
        return Optional.ofNullable(spec.getSessionAffinityConfig())
                .map(config -> config.getClientIP())
                .map(config -> config.getTimeoutSeconds())
                .map(Duration::ofSeconds)
                .orElse(DEFAULT_AFFINITY);
    }

    private static List<IpFamily> families(ServiceSpec spec) {
        try {
            return list(spec.getIpFamilies()).stream().map(IpFamily::of).toList();
        } catch (IllegalArgumentException unknown) {
            throw new Unreadable("spec.ipFamilies: " + unknown.getMessage());
        }
    }

    private static FamilyPolicy policy(@Nullable String text) {
        if (text == null) {
            return FamilyPolicy.SINGLE_STACK;
        }
        return switch (text) {
            case "PreferDualStack" -> FamilyPolicy.PREFER_DUAL_STACK;
            case "RequireDualStack" -> FamilyPolicy.REQUIRE_DUAL_STACK;
            default -> FamilyPolicy.SINGLE_STACK;
        };
    }

    private static Port port(ServicePort port) {
        return new Port(
                Optional.ofNullable(port.getName()).orElse(""),
                protocol(port.getProtocol()),
                number(port.getPort()),
                number(port.getNodePort()),
                port.getAppProtocol());
    }

    private static Protocol protocol(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return Protocol.TCP;
        }
        try {
            return Protocol.valueOf(text);
        } catch (IllegalArgumentException unknown) {
            throw new Unreadable("spec.ports: unknown protocol \"" + text + "\"; use TCP, UDP or SCTP");
        }
    }

    private static int number(@Nullable Integer number) {
        return number == null ? 0 : number;
    }

    private static Published published(LoadBalancerIngress ingress) {
        return new Published(
                ingress.getIp(),
                ingress.getHostname(),
                Optional.ofNullable(ingress.getIpMode()).flatMap(IpMode::of).orElse(null),
                list(ingress.getPorts()).stream()
                        .map(port -> new PortStatus(
                                number(port.getPort()), NullSafe.text(port.getProtocol()), port.getError()))
                        .toList());
    }

    private static Condition condition(io.fabric8.kubernetes.api.model.Condition condition) {
        return new Condition(
                NullSafe.text(condition.getType()),
                Condition.Status.of(NullSafe.text(condition.getStatus())),
                NullSafe.text(condition.getReason()),
                NullSafe.text(condition.getMessage()),
                time(condition.getLastTransitionTime()));
    }

    /** A time as the API server writes it; the epoch if it is absent or unreadable. */
    static Instant time(@Nullable String text) {
        try {
            return text == null ? Instant.EPOCH : Instant.parse(text);
        } catch (DateTimeParseException unreadable) {
            return Instant.EPOCH;
        }
    }
}
