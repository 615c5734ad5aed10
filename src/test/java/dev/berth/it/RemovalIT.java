package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.Installation;
import dev.berth.testing.SharedInstallation;
import dev.berth.testing.TypedPage;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** docs/operations.md, Remove: of an installation with its components. */
@ExtendWith(SharedInstallation.class)
class RemovalIT {
    private static final Path PAGE = Path.of("docs/operations.md");
    private static final Path MANIFESTS = Path.of(Installation.MANIFESTS).toAbsolutePath();
    private static final String NOT_THE_KINDS = "app.kubernetes.io/component!=crds";

    @TempDir
    private Path folder;

    private void writeKustomization() throws IOException {
        Path manifests = folder.toRealPath().relativize(MANIFESTS);
        String components = Stream.of(
                        "agent",
                        "agent-metrics",
                        "bgp",
                        "haproxy",
                        "cluster-addresses",
                        "monitoring",
                        "network-policy",
                        "release-node-ports",
                        "strict-validation",
                        "tls")
                .map(name -> "  - " + manifests + "/components/" + name + "\n")
                .reduce("", String::concat);
        Files.writeString(folder.resolve("kustomization.yaml"), """
                apiVersion: kustomize.config.k8s.io/v1beta1
                kind: Kustomization
                resources: [%s]
                components:
                %s""".formatted(manifests, components));
    }

    private static List<String> lines(String text) {
        return text.lines().filter(line -> !line.isBlank()).sorted().toList();
    }

    /** By a policy, as its label says. */
    private static final String RANGE = """
            apiVersion: networking.k8s.io/v1
            kind: ServiceCIDR
            metadata: {name: berth-10.99.0.0-24, labels: {app.kubernetes.io/managed-by: berth}}
            spec: {cidrs: [10.99.0.0/24]}
            """;

    private void apply(Installation berth, String yaml) throws IOException {
        Path file = Files.writeString(folder.resolve("applied.yaml"), yaml);
        berth.controlPlane().kubectl("apply", "-f", file.toString());
    }

    private void installKindsOfMonitoring(Installation berth) throws IOException {
        for (String kind : List.of("ServiceMonitor", "PodMonitor", "PrometheusRule")) {
            String plural = kind.toLowerCase(Locale.ROOT) + "s";
            // As the Prometheus Operator brings them, with any content.
            apply(berth, """
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata: {name: %2$s.monitoring.coreos.com}
            spec:
              group: monitoring.coreos.com
              scope: Namespaced
              names: {kind: %1$s, plural: %2$s}
              versions:
                - name: v1
                  served: true
                  storage: true
                  schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
            """.formatted(kind, plural));
            berth.controlPlane()
                    .kubectl(
                            "wait",
                            "--for=condition=Established",
                            "--timeout=50s",
                            "crd/" + plural + ".monitoring.coreos.com");
        }
    }

    /** Of all that Berth brings, but for the kinds and what is made of them. */
    private static void assertNothingIsLeft(Installation berth, String... more) {
        String kinds = Stream.concat(
                        Stream.of(
                                "clusterroles,clusterrolebindings,validatingadmissionpolicies,validatingadmissionpolicybindings",
                                "deployments,daemonsets,services,serviceaccounts,roles,rolebindings,poddisruptionbudgets",
                                "networkpolicies,configmaps,secrets"),
                        Stream.of(more))
                .collect(Collectors.joining(","));
        assertThat(lines(berth.controlPlane()
                        .kubectl(
                                "get",
                                kinds,
                                "--all-namespaces",
                                "-o",
                                "custom-columns=NAME:.metadata.name",
                                "--no-headers")))
                .noneMatch(name -> name.contains("berth"));
    }

    /** The base alone, and what pages have one apply by itself. */
    @Test
    void componentsThatWereAppliedByThemselves_goByTheLineOfThePage(Installation berth) throws IOException {
        for (String file :
                List.of("strict-validation/policies.yaml", "release-node-ports/rbac.yaml", "tls/rbac.yaml")) {
            berth.controlPlane().kubectl("apply", "-f", Installation.MANIFESTS + "/components/" + file);
        }

        berth.controlPlane().kubectl("delete", "--wait=false", "-k", Installation.MANIFESTS, "-l", NOT_THE_KINDS);
        String typed = Files.readAllLines(PAGE).stream()
                .map(String::strip)
                .filter(line -> line.startsWith("kubectl delete --ignore-not-found -f "))
                .findFirst()
                .orElseThrow();
        berth.controlPlane().kubectl(typed.substring("kubectl ".length()).split(" "));

        assertNothingIsLeft(berth);
        assertThat(berth.controlPlane().kubectl("get", "addresspools", "-o", "name"))
                .as("the kinds are there")
                .isEmpty();
    }

    @Test
    void byThePage_nothingIsLeftButTheKinds_andWhatWasMadeOfThem(Installation berth) throws IOException {
        installKindsOfMonitoring(berth);
        apply(berth, RANGE);
        writeKustomization();
        berth.controlPlane().kubectl("apply", "-k", folder.toString());
        berth.operator();
        String namespace = berth.namespace("removal");
        berth.pool(namespace, "198.18.2.0/28");
        berth.service(
                namespace,
                "web",
                builder -> builder.editMetadata()
                        .addToAnnotations("berth.dev/retain", "true")
                        .endMetadata());
        berth.awaitAddress(namespace, "web");
        berth.deleteService(namespace, "web");
        berth.stopOperator();

        berth.controlPlane().kubectl("delete", "--wait=false", "-k", folder.toString(), "-l", NOT_THE_KINDS);

        // Nobody finishes the deletion of namespaces here: the control plane has no controller manager.
        List<String> ending = berth.client().namespaces().list().getItems().stream()
                .filter(HasMetadata::isMarkedForDeletion)
                .map(one -> "namespace/" + one.getMetadata().getName())
                .sorted()
                .toList();
        assertThat(ending)
                .containsExactly("namespace/berth-agents", "namespace/berth-haproxy", "namespace/berth-system");
        TypedPage.Step page = TypedPage.step(PAGE, "kubectl get crds,namespaces");
        List<String> left = lines(berth.controlPlane()
                .kubectl(page.typed().substring("kubectl ".length()).split(" ")));
        assertThat(left.stream().filter(one -> !ending.contains(one))).containsExactlyElementsOf(lines(page.printed()));
        assertNothingIsLeft(berth, "servicemonitors,podmonitors,prometheusrules");
        assertThat(lines(berth.controlPlane().kubectl("get", "addresspools,addresses", "-o", "name")))
                .containsExactly("address.berth.dev/198.18.2.0", "addresspool.berth.dev/" + namespace);
        assertThat(lines(berth.controlPlane().kubectl("get", "servicecidrs", "-o", "name")))
                .contains("servicecidr.networking.k8s.io/berth-10.99.0.0-24");
    }

    @Test
    void thePage_warnsInItsFirstLine() throws IOException {
        List<String> lines = Files.readAllLines(PAGE);

        assertThat(lines.get(lines.indexOf("## Remove") + 1))
                .contains("Never without")
                .contains(NOT_THE_KINDS)
                .contains("takes the kinds");
    }
}
