package dev.berth.kube;

import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.plan.ClassDeclaration;
import dev.berth.plan.ClassDeclaration.Classless;
import dev.berth.plan.HealthCheckPolicy;
import dev.berth.plan.HealthCheckPolicy.Kind;
import dev.berth.provider.IpMode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** From LoadBalancerClass objects to declarations. */
public final class Classes {
    private Classes() {}

    /** What the object declares; what the API server defaults is there. */
    public static ClassDeclaration declaration(LoadBalancerClass object) {
        LoadBalancerClass.Spec spec = object.getSpec();
        return new ClassDeclaration(
                object.getMetadata().getName(),
                ServiceStates.time(object.getMetadata().getCreationTimestamp()),
                spec.loadBalancerClass(),
                Optional.ofNullable(spec.controllerName()).orElse(""),
                Optional.ofNullable(spec.provider()).orElse(""),
                Optional.ofNullable(spec.parameters()).orElse(Map.of()),
                Optional.ofNullable(spec.pools()).orElse(List.of()),
                Optional.ofNullable(spec.ipMode()).flatMap(IpMode::of).orElse(null),
                healthCheck(spec.healthCheck()),
                "Release".equals(spec.nodePorts()),
                Optional.ofNullable(spec.isDefault()).orElse(false),
                switch (Optional.ofNullable(spec.classless()).orElse("Auto")) {
                    case "Always" -> Classless.ALWAYS;
                    case "Never" -> Classless.NEVER;
                    default -> Classless.AUTO;
                });
    }

    private static HealthCheckPolicy healthCheck(LoadBalancerClass.@Nullable HealthCheck said) {
        if (said == null) {
            return HealthCheckPolicy.AUTO;
        }
        Kind kind = switch (Optional.ofNullable(said.type()).orElse("Auto")) {
            case "KubeProxy" -> Kind.KUBE_PROXY;
            case "TCP" -> Kind.TCP;
            case "None" -> Kind.NONE;
            default -> Kind.AUTO;
        };
        return new HealthCheckPolicy(kind, said.port());
    }
}
