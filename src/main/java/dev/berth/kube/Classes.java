package dev.berth.kube;

import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.loadbalancer.ClassDeclaration;
import dev.berth.loadbalancer.ClassDeclaration.Classless;
import dev.berth.loadbalancer.ClassTls;
import dev.berth.loadbalancer.HealthCheckPolicy;
import dev.berth.loadbalancer.HealthCheckPolicy.Kind;
import dev.berth.provider.IpMode;
import dev.berth.reason.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** From LoadBalancerClass objects to declarations. */
public final class Classes {
    /** The condition of a class: whether Services of its value are served by it. */
    public static final String ACCEPTED = "Accepted";

    /** The condition of a class that asks to be the default: whether it serves Services that name no class. */
    public static final String SERVES_CLASSLESS = "ServesClassless";

    private static final int HIGHEST_PORT = 65535;
    private static final Pattern SECRET_NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");

    private static final LoadBalancerClass.Spec NOTHING =
            new LoadBalancerClass.Spec("", null, null, null, null, null, null, null, null, null, null);

    private Classes() {}

    /** What each of them declares. */
    public static List<ClassDeclaration> declarations(Stream<LoadBalancerClass> classes) {
        return LenientReader.read(classes, object -> Stream.of(declaration(object)));
    }

    /** What the object declares. Its schema may be another than ours: any content is understood, or said to be none. */
    public static ClassDeclaration declaration(LoadBalancerClass object) {
        LoadBalancerClass.Spec spec = Objects.requireNonNullElse(object.getSpec(), NOTHING);
        List<String> faults = new ArrayList<>(object.adjusted());
        faults.addAll(object.unreadable());
        EnumMapping words = new EnumMapping(faults);
        return new ClassDeclaration(
                object.getMetadata().getName(),
                ServiceStates.time(object.getMetadata().getCreationTimestamp()),
                NullSafe.text(spec.loadBalancerClass()),
                Optional.ofNullable(spec.controllerName()).orElse(""),
                Optional.ofNullable(spec.provider()).orElse(""),
                NullSafe.map(spec.parameters()),
                NullSafe.list(spec.pools()),
                IpMode.of(words.one("ipMode", spec.ipMode(), "Auto", "VIP", "Proxy"))
                        .orElse(null),
                healthCheck(spec.healthCheck(), words),
                "Release".equals(words.one("nodePorts", spec.nodePorts(), "Keep", "Release")),
                switch (words.one("classless", spec.classless(), "Never", "Auto", "Always")) {
                    case "Always" -> Classless.ALWAYS;
                    case "Auto" -> Classless.AUTO;
                    default -> Classless.NEVER;
                },
                "Refuse".equals(words.one("unenforcedSourceRanges", spec.unenforcedSourceRanges(), "Allow", "Refuse")),
                tls(spec.tls(), faults),
                faults,
                hasServedClassless(object));
    }

    private static boolean hasServedClassless(LoadBalancerClass object) {
        return Conditions.find(Conditions.of(object.getStatus()), SERVES_CLASSLESS)
                .filter(said -> "True".equals(said.getStatus())
                        || Reason.NoLongerTheDefault.name().equals(said.getReason()))
                .isPresent();
    }

    /** Reads words of which there are few. */
    private record EnumMapping(List<String> faults) {
        /** The one of {@code known} that {@code field} says; the first of them if it says none, or another. */
        String one(String field, @Nullable String said, String... known) {
            List<String> all = List.of(known);
            if (said != null && !all.contains(said)) {
                faults.add("spec." + field + " is \"" + NullSafe.shortened(said) + "\", and must be one of "
                        + String.join(", ", all));
            }
            return said != null && all.contains(said) ? said : all.getFirst();
        }
    }

    private static @Nullable ClassTls tls(LoadBalancerClass.@Nullable Tls said, List<String> faults) {
        if (said == null) {
            return null;
        }
        String secret = NullSafe.text(said.secretName());
        if (!SECRET_NAME.matcher(secret).matches()) {
            faults.add(
                    "spec.tls.secretName is \"" + NullSafe.shortened(secret) + "\", which is not a name of a Secret");
        }
        List<Integer> ports = NullSafe.list(said.ports());
        ports.stream()
                .filter(port -> port < 1 || port > HIGHEST_PORT)
                .findFirst()
                .ifPresent(
                        port -> faults.add("spec.tls.ports has " + port + ", and a port must be 1 to " + HIGHEST_PORT));
        return new ClassTls(secret, ports);
    }

    private static HealthCheckPolicy healthCheck(LoadBalancerClass.@Nullable HealthCheck said, EnumMapping words) {
        if (said == null) {
            return HealthCheckPolicy.AUTO;
        }
        Integer port = said.port();
        if (port != null && (port < 1 || port > HIGHEST_PORT)) {
            words.faults().add("spec.healthCheck.port is " + port + ", and must be 1 to " + HIGHEST_PORT);
            port = null;
        }
        Kind kind = switch (words.one("healthCheck.type", said.type(), "Auto", "KubeProxy", "TCP", "None")) {
            case "KubeProxy" -> Kind.KUBE_PROXY;
            case "TCP" -> Kind.TCP;
            case "None" -> Kind.NONE;
            default -> Kind.AUTO;
        };
        return new HealthCheckPolicy(kind, port);
    }
}
