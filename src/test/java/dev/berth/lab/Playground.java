package dev.berth.lab;

import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.KubeBinaries;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Patience;
import dev.berth.testing.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.awaitility.Awaitility;

/**
 * {@code make lab}: the lab with Berth, HAProxy and the Services of {@code src/test/lab/example.yaml}, until Ctrl-C or
 * {@code make lab-down}. Started by {@code src/test/lab/lab up}.
 */
final class Playground {
    private static final int NODES = 2;
    private static final String NAMESPACE = "default";
    private static final String EXAMPLE = "src/test/lab/example.yaml";
    private static final List<String> CONTROLLERS = List.of(
            "deployment-controller", "replicaset-controller", "garbage-collector-controller", "namespace-controller");

    /** Where src/test/lab/lab looks for kubeconfig and programs. */
    private static final Path RUN = Path.of("/run/berth");

    private Playground() {}

    /** The one argument is how kube-proxy programs the kernel: nftables or iptables. */
    public static void main(String... arguments) throws Exception {
        requireLab();
        KubeProxyMode mode = mode(arguments);
        Program.run(() -> play(mode));
    }

    static void requireLab() {
        if (System.getenv("BERTH_LAB") == null) {
            System.err.println("lab: there can be none here: " + System.getenv("BERTH_LAB_MISSING"));
            System.exit(2);
        }
    }

    private static KubeProxyMode mode(String... arguments) {
        for (KubeProxyMode mode : KubeProxyMode.values()) {
            if (List.of(arguments).equals(List.of(mode.flag()))) {
                return mode;
            }
        }
        System.err.println("lab: MODE is \"" + String.join(" ", arguments) + "\"; it must be nftables or iptables");
        System.exit(2);
        throw new AssertionError();
    }

    private static int play(KubeProxyMode mode) throws IOException {
        long start = System.nanoTime();
        boolean isUp = false;
        try (Lab lab = timed(
                        "Kubernetes %s, a network with %d nodes, kube-proxy in mode %s"
                                .formatted(KubeBinaries.KUBERNETES, NODES, mode.flag()),
                        () -> Lab.start(mode, NODES, CONTROLLERS));
                HaproxyHost haproxy = timed(
                        "HAProxy, by provider-host on the load balancer's host",
                        () -> new HaproxyHost(lab, "NodePorts"));
                LabKubelet _ = new LabKubelet(lab)) {
            link(lab, haproxy);
            OperatorProcess operator = timed("Berth, under RBAC as its ServiceAccount", () -> operator(lab, haproxy));
            timed("kubectl apply -f " + EXAMPLE, () -> serve(lab));
            show(lab, haproxy, operator, (System.nanoTime() - start) / 1e9);
            isUp = true;
            stayUp(operator);
            return 1;
        } catch (InterruptedException ctrlC) {
            say("Everything is stopped.");
            return 0;
        } catch (RuntimeException failure) {
            if (isUp) {
                throw failure;
            }
            System.err.println("\nlab: " + Objects.requireNonNullElse(failure.getMessage(), failure.toString()));
            return 1;
        }
    }

    private static void link(Lab lab, HaproxyHost haproxy) throws IOException {
        linkCommands(lab.controlPlane());
        Files.createSymbolicLink(
                RUN.resolve("haproxy"), haproxy.configurationFile().getParent());
    }

    /** What a shell of {@code src/test/lab/lab in} finds: KUBECONFIG, kubectl, and peer. */
    static void linkCommands(ControlPlane controlPlane) throws IOException {
        Path programs = Files.createDirectories(RUN.resolve("bin"));
        Files.createSymbolicLink(RUN.resolve("kubeconfig"), controlPlane.adminKubeconfig());
        Files.createSymbolicLink(
                programs.resolve("kubectl"), KubeBinaries.ofThisMachine().kubectl());
        Files.createSymbolicLink(programs.resolve("peer"), Path.of(Peer.program()));
    }

    private static OperatorProcess operator(Lab lab, HaproxyHost haproxy) {
        try {
            Path plugins = Files.createDirectories(lab.folder().resolve("plugins"));
            Files.writeString(plugins.resolve("lb.grpc.properties"), "target=unix://" + haproxy.socket() + "\n");
            return lab.installation().startOperator("--plugin-dir=" + plugins);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Applies the examples, and waits until the client is answered by each Service. */
    private static Lab serve(Lab lab) {
        // It runs as a process here.
        lab.controlPlane().kubectl("scale", "--namespace=berth-system", "deployment", "berth", "--replicas=0");
        // Services that name no class are for HAProxy here.
        lab.controlPlane().kubectl("delete", "-f", Installation.MANIFESTS + "/load-balancer-class.yaml");
        lab.controlPlane().kubectl("apply", "-f", EXAMPLE);
        lab.router().ip("route add 10.77.1.0/28 via " + lab.node(1).ipv4());
        for (String name : List.of("proxy", "proxy-local", "vip")) {
            Traffic.awaitReply(lab.client(), Traffic.url(lab.installation().awaitAddress(NAMESPACE, name)));
        }
        Awaitility.await()
                .atMost(Patience.USUAL)
                .until(() -> lab.nodes().stream().noneMatch(node -> node.pods().isEmpty()));
        return lab;
    }

    private static void show(Lab lab, HaproxyHost haproxy, OperatorProcess operator, double seconds) {
        String in = "src/test/lab/lab in";
        String proxy = url(lab, "proxy");
        String vip = url(lab, "vip");
        String pod = lab.node(1).pods().getFirst().place();
        String pid =
                RUN.resolve("haproxy").resolve(haproxy.pidFile().getFileName()).toString();
        say("""

                The lab is up, after %.0f s.

                  client   10.78.0.2    outside of the cluster, behind the router
                  router   10.78.0.1    sends 10.77.1.0/28, the addresses of class vip, to node1
                  lb       10.77.0.5    the load balancer's host: HAProxy, and provider-host, which Berth talks to
                  node1    10.77.0.11   a node with kube-proxy; its pod is in %s
                  node2    10.77.0.12   the same; its pod is in %s
                  here     10.77.0.1    the API server and Berth; there KUBECONFIG is %s

                  %-20s Service proxy: by HAProxy (ipMode Proxy) to a node port
                  %-20s Service proxy-local: the same with externalTrafficPolicy Local
                  %-20s Service vip: ipMode VIP, no load balancer\
                """.formatted(
                        seconds,
                        pod,
                        lab.node(2).pods().getFirst().place(),
                        RUN.resolve("kubeconfig"),
                        proxy,
                        url(lab, "proxy-local"),
                        vip));
        say("""

                  Try in another shell, as root, in this folder. A pod answers with its name, and where it was asked from.

                    # a shell where KUBECONFIG is set; "in client", "in node1", "in %2$s" are the network of these
                    %1$s here

                    # from outside, and from a pod: VIP is answered by the pod's own node, Proxy goes by HAProxy
                    %1$s client curl -s -m 5 %3$s
                    %1$s client curl -s -m 5 %4$s
                    %1$s %2$s curl -s -m 5 %4$s
                    %1$s %2$s curl -s -m 5 %3$s\
                  """.formatted(in, pod, proxy, vip));
        say("""

              # HAProxy hangs: VIP is answered, Proxy is not. Killed, it is back within a second
              %1$s lb sh -c 'kill -STOP $(ps -o pid= --ppid $(cat %5$s))'
              %1$s %2$s curl -sS -m 2 %4$s
              %1$s %2$s curl -sS -m 2 %3$s
              %1$s lb sh -c 'kill -CONT $(ps -o pid= --ppid $(cat %5$s))'
              %1$s lb sh -c 'kill -KILL $(cat %5$s)'
              %1$s client curl -s -m 5 --retry 5 --retry-connrefused %3$s

              # policy Local: no connection to a node whose last pod has gone; without any, none is accepted
              %1$s here kubectl scale deployment web --replicas=1
              %1$s client peer get --count 5 %6$s
              %1$s here kubectl scale deployment web --replicas=0
              %1$s client curl -s -m 5 -i http://10.77.0.11:%7$d/healthz
              %1$s client curl -sS -m 2 %6$s

              # a rolling update under load; what is yours is run, too, whatever its image
              %1$s here kubectl scale deployment web --replicas=4
              %1$s client peer load --requests 2000 --pause 10ms %3$s & %1$s here kubectl rollout restart deployment web
              %1$s here kubectl create deployment mine --image=any
              %1$s here kubectl expose deployment mine --type=LoadBalancer --port=80 --target-port=8080
            """.formatted(in, pod, proxy, vip, pid, url(lab, "proxy-local"), healthCheckNodePort(lab)));
        say("""
            HAProxy's configuration: %s here cat %s
            Berth's log: %s
            It stays up until Ctrl-C, or make lab-down in another shell.
            """.formatted(in, haproxy.configurationFile(), operator.logFile()));
    }

    private static String url(Lab lab, String service) {
        return Traffic.url(lab.installation().get(NAMESPACE, service));
    }

    private static int healthCheckNodePort(Lab lab) {
        return lab.installation().get(NAMESPACE, "proxy-local").getSpec().getHealthCheckNodePort();
    }

    private static void stayUp(OperatorProcess operator) throws InterruptedException {
        while (operator.isAlive()) {
            TimeUnit.SECONDS.sleep(1);
        }
        System.err.println("lab: Berth has ended; its log: " + operator.logFile());
    }

    static <T> T timed(String what, Supplier<T> action) {
        long start = System.nanoTime();
        System.out.print(what + " … ");
        System.out.flush();
        try {
            T result = action.get();
            System.out.printf(Locale.ROOT, "%.1f s%n", (System.nanoTime() - start) / 1e9);
            return result;
        } catch (RuntimeException failure) {
            System.out.println();
            throw failure;
        }
    }

    private static void say(String text) {
        System.out.println(text);
    }
}
