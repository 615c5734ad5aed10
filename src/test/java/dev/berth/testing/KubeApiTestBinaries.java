package dev.berth.testing;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Gives fabric8's {@code @EnableKubeAPIServer} the cached binaries: as links in the folder that {@code
 * KUBE_API_TEST_DIR} names, where it looks for them. It has to stand before that annotation.
 *
 * <p>The build sets that variable for the integration tests.
 */
public final class KubeApiTestBinaries implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        String folder = System.getenv("KUBE_API_TEST_DIR");
        if (folder == null) {
            throw new IllegalStateException("set KUBE_API_TEST_DIR to an empty folder");
        }
        KubeBinaries binaries = KubeBinaries.ofThisMachine();
        for (String version : List.of(KubeBinaries.KUBERNETES, KubeBinaries.GATED_KUBERNETES)) {
            Path links = Files.createDirectories(Path.of(folder, "k8s", version + "-" + binaries.platform()));
            link(links.resolve("etcd"), binaries.etcd());
            link(links.resolve("kube-apiserver"), binaries.kubeApiserver(version));
            link(links.resolve("kubectl"), binaries.kubectl());
        }
    }

    private static void link(Path link, Path binary) throws IOException {
        try {
            Files.createSymbolicLink(link, binary);
        } catch (FileAlreadyExistsException kept) {
            // Of an earlier run.
        }
    }
}
