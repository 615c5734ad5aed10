package dev.berth.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The roles of people, beside those of the operator. */
class UserRolesTest {
    private static final String AGGREGATE = "rbac.authorization.k8s.io/aggregate-to-";

    private static final KubernetesSerialization YAML = new KubernetesSerialization();

    @Test
    void view_readsEveryKind_andWritesNone() throws IOException {
        ClusterRole view = role("berth-view");
        assertThat(view.getMetadata().getLabels()).isEqualTo(Map.of(AGGREGATE + "view", "true"));
        assertThat(rule(view).getResources()).containsExactlyInAnyOrderElementsOf(kinds());
        assertThat(rule(view).getVerbs()).containsExactlyInAnyOrder("get", "list", "watch");
    }

    @Test
    void edit_writesEveryKind_butNoStatusAndNoReport_andIsNotPartOfView() throws IOException {
        ClusterRole edit = role("berth-edit");
        assertThat(edit.getMetadata().getLabels()).isEqualTo(Map.of(AGGREGATE + "edit", "true"));
        // Only agents write reports.
        assertThat(rule(edit).getResources())
                .containsExactlyInAnyOrderElementsOf(kinds().stream()
                        .filter(kind -> !kind.equals("agentreports"))
                        .toList());
        assertThat(rule(edit).getVerbs())
                .containsExactlyInAnyOrder("create", "update", "patch", "delete", "deletecollection");
    }

    private static PolicyRule rule(ClusterRole role) {
        assertThat(role.getRules()).hasSize(1);
        assertThat(role.getRules().getFirst().getApiGroups()).containsExactly("berth.dev");
        return role.getRules().getFirst();
    }

    private static ClusterRole role(String name) throws IOException {
        return Stream.of(Files.readString(Path.of("src/main/kubernetes/user-roles.yaml"))
                        .split("(?m)^---$"))
                .map(document -> YAML.unmarshal(document, ClusterRole.class))
                .filter(role -> role.getMetadata().getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> kinds() throws IOException {
        List<String> plurals = new ArrayList<>();
        for (Path file : CrdFiles.list(Path.of("crds"))) {
            if (!file.endsWith("kustomization.yaml")) {
                plurals.add(YAML.unmarshal(Files.readString(file), CustomResourceDefinition.class)
                        .getSpec()
                        .getNames()
                        .getPlural());
            }
        }
        assertThat(plurals).isNotEmpty();
        return plurals;
    }
}
