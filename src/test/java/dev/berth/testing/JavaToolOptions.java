package dev.berth.testing;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What the manifests set the environment variable JAVA_TOOL_OPTIONS to: the options of the JVM beside those of the image. */
public final class JavaToolOptions {
    private static final Path MANIFESTS = Path.of("src/main/kubernetes");

    private JavaToolOptions() {}

    /** Of the operator's Deployment. */
    public static List<String> ofOperator() {
        return in(MANIFESTS.resolve("operator.yaml"));
    }

    /** Of the agents' DaemonSet. */
    public static List<String> ofAgents() {
        return in(MANIFESTS.resolve("components/agent/agent.yaml"));
    }

    private static List<String> in(Path manifest) {
        try {
            return Stream.of(Files.readString(manifest).split("(?m)^---$", -1))
                    .map(document -> (HasMetadata) Serialization.unmarshal(document))
                    .flatMap(JavaToolOptions::containers)
                    .flatMap(container -> container.getEnv().stream())
                    .filter(variable -> variable.getName().equals("JAVA_TOOL_OPTIONS"))
                    .map(EnvVar::getValue)
                    .map(value -> List.of(value.strip().split("\\s+")))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException(manifest + " sets no JAVA_TOOL_OPTIONS"));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Stream<Container> containers(HasMetadata object) {
        PodTemplateSpec pods = switch (object) {
            case Deployment deployment -> deployment.getSpec().getTemplate();
            case DaemonSet agents -> agents.getSpec().getTemplate();
            default -> new PodTemplateSpec();
        };
        return pods.getSpec() == null ? Stream.empty() : pods.getSpec().getContainers().stream();
    }
}
