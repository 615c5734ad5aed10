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
                        "bgp",
                        "haproxy",
                        "cluster-addresses",
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

    @Test
    void byThePage_nothingIsLeftButTheKinds_andWhatWasMadeOfThem(Installation berth) throws IOException {
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
        assertThat(lines(berth.controlPlane()
                        .kubectl(
                                "get",
                                "clusterroles,clusterrolebindings,validatingadmissionpolicies,validatingadmissionpolicybindings,"
                                        + "deployments,daemonsets,services,serviceaccounts,roles,rolebindings,poddisruptionbudgets",
                                "--all-namespaces",
                                "-o",
                                "custom-columns=NAME:.metadata.name",
                                "--no-headers")))
                .noneMatch(name -> name.contains("berth"));
        assertThat(lines(berth.controlPlane().kubectl("get", "addresspools,addresses", "-o", "name")))
                .containsExactly("address.berth.dev/198.18.2.0", "addresspool.berth.dev/" + namespace);
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
