package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.KubeApiTestBinaries;
import dev.berth.testing.KubeBinaries;
import io.fabric8.kubeapitest.junit.EnableKubeAPIServer;
import io.fabric8.kubeapitest.junit.KubeConfig;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The kinds on the newest Kubernetes, and on the oldest one that they are made for. */
class CrdIT {
    @Nested
    @ExtendWith(KubeApiTestBinaries.class)
    @EnableKubeAPIServer(kubeAPIVersion = KubeBinaries.KUBERNETES, updateKubeConfigFile = false)
    class OnTheNewest extends CrdRules {
        @KubeConfig
        static String kubeconfig = "";

        @Override
        String kubeconfig() {
            return kubeconfig;
        }

        /** Anyone who knows fabric8's kube-api-test can write tests against it. */
        @Test
        void kubeApiTest_startsOfflineWithOurBinaries() {
            client().resource(new ServiceBuilder()
                            .withNewMetadata()
                            .withNamespace("default")
                            .withName("smoke")
                            .endMetadata()
                            .withNewSpec()
                            .withType("LoadBalancer")
                            .addNewPort()
                            .withPort(80)
                            .endPort()
                            .endSpec()
                            .build())
                    .create();
            assertThat(client().services()
                            .inNamespace("default")
                            .withName("smoke")
                            .get()
                            .getSpec()
                            .getClusterIP())
                    .startsWith("10.0.0.");
        }
    }

    @Nested
    @ExtendWith(KubeApiTestBinaries.class)
    @EnableKubeAPIServer(kubeAPIVersion = KubeBinaries.GATED_KUBERNETES, updateKubeConfigFile = false)
    class OnTheOldest extends CrdRules {
        @KubeConfig
        static String kubeconfig = "";

        @Override
        String kubeconfig() {
            return kubeconfig;
        }
    }
}
