package dev.berth.lab;

import static dev.berth.lab.Traffic.awaitReply;
import static dev.berth.lab.Traffic.url;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.dataplane.haproxy.HaproxyProcesses;
import dev.berth.plugin.grpc.transport.Tls;
import dev.berth.testing.ChildProcess;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.PackagedBerth;
import dev.berth.testing.Patience;
import dev.berth.testing.TlsFiles;
import dev.berth.testing.TypedPage;
import dev.berth.testing.TypingShell;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * docs/haproxy.md, what is typed on Berth's own host; and On a laptop: a machine that reaches the nodes, as a host reaches its
 * containers, and that has no route to any pod. HAProxy on it has the addresses on lo.
 */
@LabOnly
@SuppressWarnings("NullAway.Init") // JUnit calls what sets them first
class HaproxyPageIT {
    private static final Path PAGE = Path.of("docs/haproxy.md");
    private static final String PLACE = "10.77.0.7";

    /** Of Deployments. */
    private static final List<String> CONTROLLERS = List.of("deployment-controller", "replicaset-controller");

    private static Lab lab;
    private static Namespace laptop;

    private String namespace;
    private LabPod pod;

    @BeforeAll
    static void start() {
        lab = Lab.start(KubeProxyMode.NFTABLES, 1, CONTROLLERS);
        laptop = Namespace.create("laptop");
        lab.plug(laptop, PLACE, "fd77::7");
    }

    @AfterAll
    static void stop() {
        lab.remove(laptop);
        lab.close();
    }

    /** With a pod, and no route to it. */
    private void onTheLaptop() {
        namespace = lab.namespace("laptop");
        pod = lab.node(1).pod(namespace, namespace + "-web", Map.of("app", "web"));
        for (String ip : List.of(pod.ipv4(), pod.ipv6())) {
            assertThatThrownBy(() -> laptop.ip("route get " + ip)).hasMessageContaining("unreachable");
        }
    }

    private static void loadBalancerClass(String provider) {
        LoadBalancerClass object = new LoadBalancerClass();
        object.setMetadata(new ObjectMetaBuilder().withName(provider).build());
        object.setSpec(Serialization.unmarshal(
                "{\"loadBalancerClass\": \"test.dev/%1$s\", \"provider\": \"%1$s\"}".formatted(provider),
                LoadBalancerClass.Spec.class));
        lab.installation().client().resource(object).create();
    }

    /** What the page promises: served on this machine, nowhere else, and nothing is left of a Service that is deleted. */
    private void assertServedOnTheLaptopAlone(String loadBalancerClass, String... pool) {
        lab.installation().pool(namespace, pool);
        Service service = Traffic.service(
                lab,
                namespace,
                "web",
                loadBalancerClass,
                change ->
                        change.editSpec().withIpFamilyPolicy("RequireDualStack").endSpec());
        List<String> ips = Installation.ips(service);
        Peer here = new Peer(laptop);
        Peer elsewhere = lab.node(1).client();

        assertThat(Installation.ipModes(service)).containsExactly("Proxy", "Proxy");
        assertThat(ips).hasSize(2).allSatisfy(ip -> {
            assertThat(awaitReply(here, url(ip)).name()).isEqualTo(pod.name());
            assertThat(laptop.ip("-o addr show dev lo")).contains(" " + ip + "/");
            assertThat(elsewhere.get(url(ip)).ok()).isFalse();
        });

        lab.installation().deleteService(namespace, "web");
        assertThat(ips)
                .allSatisfy(ip -> assertThat(laptop.ip("-o addr show dev lo")).doesNotContain(" " + ip + "/"));
    }

    @Test
    void whatIsTypedOnBerthsOwnHost_endsWithAServedPage(@TempDir Path folder) throws IOException {
        // Whoever follows the page does not have it yet.
        lab.controlPlane().kubectl("delete", "-f", Installation.MANIFESTS + "/load-balancer-class.yaml");
        TypingShell shell = TypingShell.in(folder, lab.controlPlane().adminKubeconfig(), Patience.USUAL);
        Path state = folder.resolve("state");
        ChildProcess berth = null;
        String page = "";
        try (Ending _ = () -> new HaproxyProcesses().signal(state, "KILL");
                LabKubelet _ = new LabKubelet(lab)) {
            for (TypedPage.Step step : TypedPage.steps(PAGE)) {
                String typed = step.typed();
                if (typed.startsWith("sudo ")) {
                    assertThat(berth).as("one process").isNull();
                    Files.writeString(
                            folder.resolve("plugins/haproxy.properties"),
                            "directory=" + state + "\n",
                            StandardOpenOption.APPEND);
                    berth = berth(typed, folder);
                } else if (typed.startsWith("curl ")) {
                    String fromOutside = "ip netns exec client " + typed;
                    page = Awaitility.await().ignoreExceptions().until(() -> shell.type(fromOutside), text -> true);
                } else {
                    shell.type(typed.replace("192.0.2.10-192.0.2.20", "10.77.0.100-10.77.0.110")
                            // Pods of the lab listen there, whatever their image.
                            .replace("--port=80", "--port=80 --target-port=" + LabPod.PORT));
                }
            }
            lab.controlPlane().kubectl("delete", "service,deployment", "web");
        } finally {
            if (berth != null) {
                berth.close();
            }
            lab.controlPlane().kubectl("delete", "loadbalancerclass/haproxy", "addresspool/edge", "--ignore-not-found");
        }

        assertThat(page).contains("\"name\":\"web-");
    }

    /** The command of the page, on the load balancer's host. */
    private static ChildProcess berth(String typed, Path folder) {
        String jar = "sudo java -jar target/quarkus-app/quarkus-run.jar ";
        assertThat(typed).startsWith(jar);
        String[] words = typed.substring(jar.length())
                .replace("admin.conf", lab.installation().kubeconfig().toString())
                .split(" ");
        ChildProcess berth = lab.loadBalancerHost()
                .start(
                        "operator-of-the-page",
                        folder,
                        PackagedBerth.command(Stream.concat(Arrays.stream(words), Stream.of("--http-port=0"))
                                        .toArray(String[]::new))
                                .toArray(String[]::new));
        Awaitility.await().until(() -> {
            berth.requireAlive();
            return berth.log().contains("ready after");
        });
        return berth;
    }

    @Test
    void berthOnALaptop_servesItByNodePorts_atItsLoopback() throws IOException {
        onTheLaptop();
        Path folder = Files.createDirectories(lab.folder().resolve("berth-on-a-laptop"));
        Path plugins = Files.createDirectories(folder.resolve("plugins"));
        Path state = folder.resolve("state");
        Files.writeString(plugins.resolve("haproxy.properties"), "directory=" + state + "\ninterface=lo\n");
        loadBalancerClass("haproxy");

        try (ChildProcess _ = laptop.start(
                        "operator",
                        folder,
                        PackagedBerth.command(
                                        "operator",
                                        "--http-port=0",
                                        "--kubeconfig=" + lab.installation().kubeconfig(),
                                        "--plugin-dir=" + plugins)
                                .toArray(String[]::new));
                Ending _ = () -> new HaproxyProcesses().signal(state, "KILL")) {
            assertServedOnTheLaptopAlone("haproxy", "10.99.0.0/24", "fd99::/120");
        }
    }

    @Test
    void berthInTheCluster_servesALaptop_byProviderHostThere() throws IOException {
        onTheLaptop();
        Path folder = Files.createDirectories(lab.folder().resolve("tls"));
        TlsFiles tls = new TlsFiles(folder);
        tls.renew(Set.of(PLACE));
        Tls.Files server = tls.server();
        Path plugins = Files.createDirectories(lab.folder().resolve("plugins"));
        Files.writeString(
                plugins.resolve("laptop.grpc.properties"),
                Stream.of(
                                "target=dns:///" + PLACE + ":9443",
                                "ca=" + tls.client().authority(),
                                "certificate=" + tls.client().certificate(),
                                "key=" + tls.client().key())
                        .reduce("", (text, line) -> text + line + "\n"));
        loadBalancerClass("laptop");

        try (HaproxyHost _ = new HaproxyHost(
                        lab,
                        laptop,
                        "laptop",
                        "lo",
                        "",
                        List.of(
                                "--listen=" + PLACE + ":9443",
                                "--ca=" + server.authority(),
                                "--certificate=" + server.certificate(),
                                "--key=" + server.key()));
                OperatorProcess _ = lab.installation().startOperator("--plugin-dir=" + plugins)) {
            assertServedOnTheLaptopAlone("laptop", "10.99.1.0/24", "fd99::1:0/120");
        }
    }

    private interface Ending extends AutoCloseable {
        @Override
        void close();
    }
}
