package dev.berth.demo;

import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Berth, installed as its users install it: the manifests of src/main/kubernetes, and the packaged operator with the
 * flags and the ServiceAccount of its Deployment and the JVM options of its image. A process stands in for its Pod.
 */
public final class InstalledBerth {
    private static final String NAMESPACE = "berth-system";
    private static final String NAME = "berth";

    /** Made by the Makefile, as the Dockerfile makes the image's. */
    private static final String AOT_CACHE = "-XX:AOTCache=target/quarkus-app/app.aot";

    private final ControlPlane cluster;
    private final List<String> command;

    private InstalledBerth(ControlPlane cluster, List<String> command) {
        this.cluster = cluster;
        this.command = command;
    }

    /** Applies the manifests, and the default class once its kind is known. */
    public static InstalledBerth into(ControlPlane cluster) {
        return into(cluster, Installation.MANIFESTS);
    }

    /** The same with one's own kustomization. */
    static InstalledBerth into(ControlPlane cluster, String kustomization) {
        Installation.applyManifests(cluster, kustomization);
        return new InstalledBerth(cluster, List.of());
    }

    /** The same installation, whose operator starts by a command that becomes it. */
    public InstalledBerth startedBy(List<String> command) {
        return new InstalledBerth(cluster, command);
    }

    /** Starts the operator and returns once it says that it works. */
    public OperatorProcess startOperator() {
        return start(List.of(), flags().stream());
    }

    /** The same, without one of its flags. */
    public OperatorProcess startOperatorWithout(String flag) {
        return start(List.of(), flags().stream().filter(other -> !other.equals(flag)));
    }

    /** The same, with a heap that may have so many MiB, and one more flag. */
    public OperatorProcess startOperatorWith(int heap, String flag) {
        return start(List.of("-Xmx%dm".formatted(heap)), Stream.concat(flags().stream(), Stream.of(flag)));
    }

    private OperatorProcess start(List<String> jvmOptions, Stream<String> deployed) {
        List<String> asInAPod = new ArrayList<>(command);
        asInAPod.add("env");
        asInAPod.addAll(cluster.podEnvironment(NAMESPACE, NAME));
        // There is no other ServiceCIDR controller to wait for.
        String[] flags = Stream.concat(deployed, Stream.of("--service-cidr-takeover-delay=1s"))
                .toArray(String[]::new);
        OperatorProcess operator = OperatorProcess.startBy(
                asInAPod,
                Stream.concat(Stream.of(AOT_CACHE), jvmOptions.stream()).toList(),
                flags);
        try {
            operator.awaitLog("ready after");
            return operator;
        } catch (RuntimeException failure) {
            operator.close();
            throw failure;
        }
    }

    /** Of the Deployment, without where to listen: here it is a free port of this machine alone. */
    public List<String> flags() {
        return container().getArgs().stream()
                .filter(argument -> argument.startsWith("--") && !argument.startsWith("--http-"))
                .toList();
    }

    /** The limit of memory of the Pod, in bytes. */
    public long memoryLimit() {
        Quantity limit =
                Objects.requireNonNull(container().getResources().getLimits().get("memory"));
        return limit.getNumericalAmount().longValueExact();
    }

    private Container container() {
        return cluster.adminClient()
                .apps()
                .deployments()
                .inNamespace(NAMESPACE)
                .withName(NAME)
                .require()
                .getSpec()
                .getTemplate()
                .getSpec()
                .getContainers()
                .getFirst();
    }
}
