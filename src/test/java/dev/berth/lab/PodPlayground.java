package dev.berth.lab;

import static dev.berth.lab.Playground.linkCommands;
import static dev.berth.lab.Playground.requireLab;
import static dev.berth.lab.Playground.timed;

import dev.berth.testing.KubeBinaries;
import dev.berth.testing.Program;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * {@code make cluster}: a {@link PodCluster} without Berth, to install it on, until Ctrl-C or {@code make lab-down}. Started
 * by {@code src/test/lab/lab up}.
 */
final class PodPlayground {
    private PodPlayground() {}

    public static void main(String... arguments) throws Exception {
        requireLab();
        Program.run(PodPlayground::play);
    }

    private static int play() throws Exception {
        try (PodCluster cluster = cluster()) {
            linkCommands(cluster.controlPlane());
            cluster.client().ip("route add 192.0.2.0/28 via " + cluster.node(1).ipv4());
            show();
            while (true) {
                TimeUnit.SECONDS.sleep(1);
            }
        } catch (InterruptedException ctrlC) {
            System.out.println("Everything is stopped.");
            return 0;
        } catch (IllegalStateException failure) {
            System.err.println("\nlab: " + Objects.requireNonNullElse(failure.getMessage(), failure.toString()));
            return 1;
        }
    }

    private static PodCluster cluster() {
        try (PodImages images = timed("images of Berth, built by src/main/docker/Dockerfile", PodImages::build)) {
            return timed(
                    "Kubernetes %s, two nodes with kubelet, containerd and kube-proxy"
                            .formatted(KubeBinaries.KUBERNETES),
                    () -> PodCluster.start(images, 2));
        }
    }

    private static void show() {
        System.out.printf("""

                The cluster is up. Berth is not installed; the nodes have its images, so there is no registry:

                  berth:0.1.0 berth-gobgp:0.1.0 berth-haproxy:0.1.0
                  %1$-20s answers on port 8080 with its name

                In another shell, as root, in this folder:

                  src/test/lab/lab in here         a shell on the machine of the API server: kubectl works
                  src/test/lab/lab in client       a shell outside of the cluster; 192.0.2.0/28 is routed to node1

                  src/test/lab/lab in here kubectl create deployment web --image=%1$s -- /peer serve --name web
                  src/test/lab/lab in client peer get http://192.0.2.1/

                It stays up until Ctrl-C, or make lab-down in another shell.
                """, PodCluster.PEER_IMAGE);
    }
}
