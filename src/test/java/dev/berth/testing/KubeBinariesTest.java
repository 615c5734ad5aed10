package dev.berth.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubeBinariesTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void namedFolder_comesBeforeTheCache() throws IOException {
        Path named = executable("named/etcd");
        executable("cache/berth/kube/3.6.16-linux-amd64/etcd");
        assertThat(binaries().etcd()).isEqualTo(named);
    }

    @Test
    void otherKubernetes_isInItsOwnFolder() throws IOException {
        executable("named/kube-apiserver");
        Path old = executable("named/1.29.6/kube-apiserver");
        assertThat(binaries().kubeApiserver("1.29.6")).isEqualTo(old);
    }

    @Test
    void cache_isByVersionSystemAndArchitecture() throws IOException {
        Path cached = executable("cache/berth/kube/1.36.3-darwin-arm64/kube-proxy");
        assertThat(new KubeBinaries(environment(), "Mac OS X", "aarch64").kubeProxy())
                .isEqualTo(cached);
    }

    @Test
    void kubectl_mayBeOnThePath() throws IOException {
        Path onPath = executable("bin/kubectl");
        assertThat(binaries().kubectl()).isEqualTo(onPath);
    }

    @Test
    void helm_isByItsOwnVersion() throws IOException {
        executable("cache/berth/kube/1.36.3-linux-amd64/helm");
        executable("bin/helm");
        Path cached = executable("cache/berth/kube/4.3.1-linux-amd64/helm");
        assertThat(binaries().helm()).isEqualTo(cached);
    }

    @Test
    void containerd_isByItsOwnVersion() throws IOException {
        executable("cache/berth/kube/1.36.3-linux-amd64/containerd");
        Path cached = executable("cache/berth/kube/2.4.2-linux-amd64/containerd");
        assertThat(binaries().containerd()).isEqualTo(cached);
    }

    @Test
    void networkPlugins_areTheFolderOfThem() throws IOException {
        Path plugin = executable("cache/berth/kube/1.9.1-linux-amd64/ptp");
        assertThat(binaries().networkPlugins()).isEqualTo(plugin.getParent());
    }

    @Test
    void missing_namesTheMakeTarget() {
        assertThatThrownBy(() -> binaries().kubeControllerManager("1.29.6"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("kube-controller-manager 1.29.6")
                .hasMessageContaining("make kube ALL=1");
    }

    private KubeBinaries binaries() {
        return new KubeBinaries(environment(), "Linux", "amd64");
    }

    private Map<String, String> environment() {
        return Map.of(
                "BERTH_KUBE_DIR", folder.resolve("named").toString(),
                "XDG_CACHE_HOME", folder.resolve("cache").toString(),
                "PATH", folder.resolve("bin").toString());
    }

    private Path executable(String name) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.createFile(file).toFile().setExecutable(true);
        return file;
    }
}
