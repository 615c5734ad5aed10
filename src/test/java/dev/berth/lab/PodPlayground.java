package dev.berth.lab;

import static dev.berth.lab.Playground.linkCommands;
import static dev.berth.lab.Playground.requireLab;
import static dev.berth.lab.Playground.timed;

import dev.berth.testing.Build;
import dev.berth.testing.KubeBinaries;
import dev.berth.testing.Program;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * {@code make cluster}: a {@link PodCluster} without Berth, to install it on, until Ctrl-C or {@code make lab-down}. Started
 * by {@code src/test/lab/lab up}.
 */
final class PodPlayground {
    private static final Path FILES = Build.file("cluster").toAbsolutePath();

    private PodPlayground() {}

    public static void main(String... arguments) throws Exception {
        requireLab();
        Program.run(PodPlayground::play);
    }

    private static int play() throws Exception {
        boolean isUp = false;
        try (PodCluster cluster = cluster()) {
            linkCommands(cluster.controlPlane());
            cluster.client().ip("route add 192.0.2.0/28 via " + cluster.node(1).ipv4());
            show();
            isUp = true;
            while (true) {
                cluster.requireAlive();
                TimeUnit.SECONDS.sleep(1);
            }
        } catch (InterruptedException ctrlC) {
            return stopped();
        } catch (RuntimeException failure) {
            if (Thread.interrupted()) {
                return stopped();
            }
            if (isUp) {
                throw failure;
            }
            System.err.println("\nlab: " + Objects.requireNonNullElse(failure.getMessage(), failure.toString()));
            return 1;
        }
    }

    private static int stopped() {
        System.out.println("Everything is stopped.");
        return 0;
    }

    private static PodCluster cluster() {
        try (PodImages images =
                timed("images of Berth, built by src/main/docker/Dockerfile", () -> PodImages.build(FILES))) {
            return timed(
                    "Kubernetes %s, two nodes with kubelet, containerd and kube-proxy"
                            .formatted(KubeBinaries.KUBERNETES),
                    () -> PodCluster.start(FILES, images, 2));
        }
    }

    private static void show() {
        System.out.printf("""

                The cluster is up, without Berth. There is no registry and no DNS. The nodes have these images:

                  docker.io/library/berth:0.1.0
                  docker.io/library/berth-gobgp:0.1.0
                  docker.io/library/berth-haproxy:0.1.0    on node1 alone
                  %1$-40s answers on port 8080 with its name

                In another shell, as root, in this folder:

                  src/test/lab/lab in here         a shell on the machine of the API server, where kubectl works
                  src/test/lab/lab in client       a shell outside of the cluster; 192.0.2.0/28 is routed to node1

                The quick start (docs/quick-start.md, On a cluster) works in the first one, with docker.io/library for <your registry>,
                and with this in step 4:

                  kubectl create deployment web --image=%1$s -- /peer serve --name web

                Then from outside:

                  src/test/lab/lab in client peer get http://192.0.2.1/

                The logs of the nodes are in %2$s.
                The cluster stays up until Ctrl-C, or make lab-down in another shell.
                """, PodCluster.PEER_IMAGE, FILES);
    }
}
