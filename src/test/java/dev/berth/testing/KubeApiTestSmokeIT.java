package dev.berth.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubeapitest.KubeAPIServer;
import io.fabric8.kubeapitest.KubeAPIServerConfigBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** fabric8's kube-api-test runs with the same binaries: whoever knows it can write tests against it. */
class KubeApiTestSmokeIT {
    @Test
    void kubeApiTest_startsOfflineWithOurBinaries(@TempDir Path temporary) throws IOException {
        link(temporary);
        KubeAPIServer server = new KubeAPIServer(KubeAPIServerConfigBuilder.anAPIServerConfig()
                .withTestDir(temporary.toString())
                .withApiServerVersion(KubeBinaries.KUBERNETES)
                .withOfflineMode(true)
                .withUpdateKubeConfig(false)
                .build());
        server.start();
        try (KubernetesClient client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(server.getKubeConfigYaml()))
                .build()) {
            client.resource(new ServiceBuilder()
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
            assertThat(client.services()
                            .inNamespace("default")
                            .withName("smoke")
                            .get()
                            .getSpec()
                            .getClusterIP())
                    .startsWith("10.0.0.");
        } finally {
            server.stop();
        }
    }

    private static void link(Path testDirectory) throws IOException {
        KubeBinaries binaries = KubeBinaries.ofThisMachine();
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
        String arch = System.getProperty("os.arch").matches("aarch64|arm64") ? "arm64" : "amd64";
        Path folder = Files.createDirectories(
                testDirectory.resolve("k8s").resolve(KubeBinaries.KUBERNETES + "-" + os + "-" + arch));
        Files.createSymbolicLink(folder.resolve("etcd"), binaries.etcd());
        Files.createSymbolicLink(folder.resolve("kube-apiserver"), binaries.kubeApiserver(KubeBinaries.KUBERNETES));
        Files.createSymbolicLink(folder.resolve("kubectl"), binaries.kubectl());
    }
}
