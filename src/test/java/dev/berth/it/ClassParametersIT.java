package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.testing.ControlPlane;
import dev.berth.testing.KubeBinaries;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a provider made with a class's parameters it finds again only with these. */
class ClassParametersIT {
    @ParameterizedTest
    @ValueSource(strings = {KubeBinaries.KUBERNETES, KubeBinaries.GATED_KUBERNETES})
    void parametersOfAClass_cannotBeChanged_addedOrRemoved(String kubernetes) {
        try (ControlPlane cluster = ControlPlane.builder().version(kubernetes).start()) {
            BerthOnCluster berth = BerthOnCluster.on(cluster);
            berth.createClass("with", "loadBalancerClass: example.com/with, provider: any, parameters: {zone: a}");
            berth.createClass("without", "loadBalancerClass: example.com/without, provider: any");

            assertRefused(cluster, "with", "{\"spec\":{\"parameters\":{\"zone\":\"b\"}}}");
            assertRefused(cluster, "with", "{\"spec\":{\"parameters\":{\"size\":\"m\"}}}");
            assertRefused(cluster, "with", "{\"spec\":{\"parameters\":null}}");
            assertRefused(cluster, "without", "{\"spec\":{\"parameters\":{\"zone\":\"a\"}}}");
            assertThat(patch(cluster, "with", "{\"spec\":{\"ipMode\":\"Proxy\",\"parameters\":{\"zone\":\"a\"}}}"))
                    .contains("patched");
            assertThat(patch(cluster, "without", "{\"spec\":{\"ipMode\":\"Proxy\"}}"))
                    .contains("patched");
        }
    }

    private static void assertRefused(ControlPlane cluster, String name, String change) {
        assertThatThrownBy(() -> patch(cluster, name, change))
                .as(change)
                .hasMessageContaining("spec.parameters cannot be changed");
    }

    private static String patch(ControlPlane cluster, String name, String change) {
        return cluster.kubectl("patch", "loadbalancerclass", name, "--type=merge", "--patch=" + change);
    }
}
