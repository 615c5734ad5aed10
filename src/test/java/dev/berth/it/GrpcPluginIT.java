package dev.berth.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.plugin.grpc.v1.ConnectResponse;
import dev.berth.plugin.grpc.v1.EnsureLoadBalancerResponse;
import dev.berth.plugin.grpc.v1.HealthCheck;
import dev.berth.plugin.grpc.v1.Ingress;
import dev.berth.plugin.grpc.v1.IpMode;
import dev.berth.plugin.grpc.v1.ListLoadBalancersResponse;
import dev.berth.plugin.grpc.wire.Contract;
import dev.berth.provider.Capabilities;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ServiceIdentity;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.GoExample;
import dev.berth.testing.GrpcHosts;
import dev.berth.testing.Installation;
import dev.berth.testing.NginxFiles;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.ProviderHostProcess;
import dev.berth.testing.QuietProvider;
import dev.berth.testing.Relay;
import dev.berth.testing.ScriptedPlugin;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Classes whose provider is a separate process, beside others. */
@ExtendWith(SharedInstallation.class)
class GrpcPluginIT {
    private static final String NEAR = "example.com/near";
    private static final String FAR = "example.com/far";
    private static final String FLAPPING = "example.com/flapping";

    /** The client and the messages; jars need {@code wire.Contract}, and the flags of commands {@code transport.Endpoint}. */
    private static final Pattern OF_GRPC =
            Pattern.compile(" ((io\\.grpc|com\\.google\\.protobuf|io\\.github\\.resilience4j)\\."
                    + "|dev\\.berth\\.plugin\\.grpc\\.([A-Z]|v1\\.))");

    @TempDir
    private Path temporary;

    private final GrpcHosts hosts = new GrpcHosts();
    private Path plugins;
    private ControlPlane controlPlane;
    private BerthOnCluster berth;

    @BeforeEach
    void install(Installation shared) throws IOException {
        // What is there before the start must be untouched until then.
        shared.stopOperator();
        plugins = Files.createDirectory(temporary.resolve("plugins"));
        controlPlane = shared.controlPlane();
        berth = BerthOnCluster.on(shared);
        berth.createPool("edge", "198.51.100.0/26");
    }

    @AfterEach
    void stop() {
        berth.close();
        hosts.close();
    }

    private OperatorProcess startOperator() {
        return berth.startOperator("--plugin-dir=" + plugins);
    }

    private void remote(String name, Path socket, String more) throws IOException {
        Files.writeString(plugins.resolve(name + ".grpc.properties"), "target=unix://" + socket + "\n" + more);
    }

    private void create(String name, String loadBalancerClass) {
        berth.createService(name, loadBalancerClass, UnaryOperator.identity());
    }

    private void delete(String name) {
        berth.client().services().inNamespace("default").withName(name).delete();
    }

    private void awaitServed(String name) {
        berth.awaitService(name, service -> !BerthOnCluster.ingress(service).isEmpty());
    }

    private void awaitGone(String name) {
        berth.awaitAsserted(now -> assertThat(now.service(name)).isNull());
    }

    private void awaitCondition(String name, String text) {
        berth.awaitService(name, service -> conditions(service).stream().anyMatch(message -> message.contains(text)));
    }

    private void awaitConditionOfOne(List<String> names, String text) {
        berth.awaitAsserted(now -> assertThat(names)
                .anySatisfy(name -> assertThat(conditions(berth.awaitService(name, service -> true)))
                        .anyMatch(message -> message.contains(text))));
    }

    private static List<String> conditions(Service service) {
        return service.getStatus().getConditions().stream()
                .map(condition -> condition.getReason() + ": " + condition.getMessage())
                .toList();
    }

    private String accepted(String loadBalancerClass) {
        LoadBalancerClass object = berth.client()
                .resources(LoadBalancerClass.class)
                .withName(loadBalancerClass)
                .get();
        return object == null || object.getStatus() == null
                ? ""
                : BerthOnCluster.condition(object.getStatus().conditions(), "Accepted");
    }

    /** Has the sample plug-in in {@code folder} write to a folder of this name. */
    private NginxFiles nginx(Path folder, String files) throws IOException {
        NginxFiles written = new NginxFiles(temporary.resolve(files));
        written.pluginInto(folder, temporary.resolve("build-" + files), "");
        return written;
    }

    @Test
    void aJarAndAProcess_serveTwoClasses_eachIsKilled_andAllIsServed_afterItReturned() throws IOException {
        NginxFiles nearFiles = nginx(plugins, "near");
        Path hosted = Files.createDirectory(temporary.resolve("hosted"));
        NginxFiles farFiles = nginx(hosted, "far");
        Path socket = hosts.socket();
        remote("remote", socket, "");
        berth.createClass("near", "loadBalancerClass: " + NEAR + ", provider: nginx");
        berth.createClass("far", "loadBalancerClass: " + FAR + ", provider: remote");
        ProviderHostProcess host = ProviderHostProcess.start(hosted, "nginx", socket);
        OperatorProcess operator = startOperator();
        create("near-1", NEAR);
        create("far-1", FAR);
        create("far-2", FAR);
        awaitServed("near-1");
        awaitServed("far-1");
        awaitServed("far-2");

        host.kill();
        create("far-3", FAR);
        delete("far-1");
        create("near-2", NEAR);
        awaitServed("near-2");
        awaitCondition("far-3", "plug-in \"remote\" cannot be reached");
        assertThat(berth.service("far-1")).isNotNull();
        try (ProviderHostProcess second = ProviderHostProcess.start(hosted, "nginx", socket)) {
            awaitServed("far-3");
            awaitGone("far-1");
            berth.awaitAsserted(now -> assertThat(farFiles.services()).containsExactly("far-2", "far-3"));

            operator.kill();
            delete("near-1");
            delete("far-2");
            create("near-3", NEAR);
            startOperator();
            awaitServed("near-3");
            awaitGone("near-1");
            awaitGone("far-2");
            // A new operator ensures each once more: while a file is replaced, there are two.
            berth.awaitAsserted(now -> {
                assertThat(nearFiles.services()).containsExactly("near-2", "near-3");
                assertThat(farFiles.services()).containsExactly("far-3");
            });
            second.kill();
        }

        berth.stopOperator();
        startOperator();
        berth.awaitAsserted(
                now -> assertThat(accepted("far")).startsWith("False ProviderUnavailable: plug-in \"remote\""));
        awaitCondition("far-3", "plug-in \"remote\"");
        assertThat(BerthOnCluster.ingress(berth.awaitService("far-3", service -> true)))
                .isNotEmpty();
        create("far-4", FAR);
        awaitCondition("far-4", "ClassNotAccepted");
        try (ProviderHostProcess third = ProviderHostProcess.start(hosted, "nginx", socket)) {
            berth.awaitAsserted(now -> assertThat(accepted("far")).startsWith("True"));
            awaitServed("far-4");
            assertThat(third.log())
                    .contains("serving provider \"nginx\" at unix://" + socket)
                    .doesNotContain("WARN", "ERROR");
        }
        assertThat(socket).doesNotExist();
    }

    /** Has one load balancer for each Service, at an address that somebody else may change. */
    private static final class Changing implements QuietProvider {
        private volatile String address = "203.0.113.1";
        private volatile Consumer<ServiceIdentity> listener = service -> {};
        private volatile @Nullable ServiceIdentity served;

        void changes(String other) {
            address = other;
            listener.accept(Objects.requireNonNull(served));
        }

        private LoadBalancerStatus status() {
            return LoadBalancerStatus.of(
                    List.of(dev.berth.provider.Ingress.ofIp(address, dev.berth.provider.IpMode.PROXY)));
        }

        @Override
        public Capabilities capabilities() {
            return Capabilities.ofItsOwn(dev.berth.provider.IpMode.PROXY);
        }

        @Override
        public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) {
            return Optional.of(status());
        }

        @Override
        public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) {
            served = request.service();
            return EnsureOutcome.ready(status());
        }

        @Override
        public void onChange(Consumer<ServiceIdentity> changed) {
            listener = changed;
        }
    }

    @Test
    void loadBalancerThatSomebodyChanged_isReportedByItsPlugin_andTheStatusFollows_withoutAResync() throws IOException {
        Changing provider = new Changing();
        Path socket = hosts.socket();
        hosts.serve(provider, socket);
        remote("changing", socket, "");
        berth.createClass("far", "loadBalancerClass: " + FAR + ", provider: changing");
        berth.startOperator("--plugin-dir=" + plugins, "--resync-period=1h");
        create("web", FAR);
        awaitServed("web");

        berth.awaitService("web", service -> {
            // Again and again: what is reported before Berth watches is lost.
            provider.changes("203.0.113.66");
            return BerthOnCluster.ingress(service).stream().anyMatch(ingress -> "203.0.113.66".equals(ingress.getIp()));
        });
    }

    @Test
    void withoutSuchAPlugin_nothingOfGrpcIsLoaded() throws IOException {
        Path classes = temporary.resolve("classes.txt");
        try (OperatorProcess operator = OperatorProcess.startWith(
                List.of("-Xlog:class+load:file=" + classes), berth.kubeconfig(), "--plugin-dir=" + plugins)) {
            operator.awaitLog("ready after");
        }

        List<String> loaded = Files.readAllLines(classes);
        assertThat(loaded).anyMatch(line -> line.contains("dev.berth.app.Plugins"));
        assertThat(loaded.stream().filter(line -> OF_GRPC.matcher(line).find())).isEmpty();
    }

    @Test
    void theSideCarOfTheManifests_isTakenByTheApiServer_besideTheOperator() throws IOException {
        Path manifests = Path.of("src/main/kubernetes").toAbsolutePath();
        Path overlay = Files.createDirectory(temporary.resolve("overlay"));
        Files.writeString(overlay.resolve("kustomization.yaml"), """
                apiVersion: kustomize.config.k8s.io/v1beta1
                kind: Kustomization
                resources: [%s]
                components: [%s/components/plugin-sidecar]
                """.formatted(
                overlay.toRealPath().relativize(manifests), overlay.toRealPath().relativize(manifests)));

        controlPlane.kubectl("apply", "-k", overlay.toString());

        PodSpec pod = berth.client()
                .apps()
                .deployments()
                .inNamespace("berth-system")
                .withName("berth")
                .get()
                .getSpec()
                .getTemplate()
                .getSpec();
        assertThat(pod.getContainers()).extracting(Container::getName).containsExactly("operator", "plugin");
        assertThat(pod.getContainers().getFirst().getArgs()).contains("operator", "--plugin-dir=/etc/berth/plugins");
        assertThat(pod.getContainers())
                .allSatisfy(container -> assertThat(container.getVolumeMounts())
                        .extracting(VolumeMount::getMountPath)
                        .contains("/run/berth"));
    }

    @Test
    void nodesWithoutKubeProxy_areCheckedByANodePort_ifTheClassLeavesItToBerth() throws IOException {
        Path socket = hosts.socket();
        ScriptedPlugin plugin = new ScriptedPlugin();
        plugin.ensures(proxied("192.0.2.1"));
        hosts.serve(plugin, socket);
        remote("checking", socket, "");
        berth.createClass("checking", "loadBalancerClass: " + FAR + ", provider: checking");
        berth.createNode("here", "127.0.0.1");
        startOperator();
        create("web", FAR);
        int nodePort = berth.awaitService(
                        "web", service -> !BerthOnCluster.ingress(service).isEmpty())
                .getSpec()
                .getPorts()
                .getFirst()
                .getNodePort();

        berth.awaitAsserted(now -> assertThat(plugin.request.getHealthCheck())
                .isEqualTo(HealthCheck.newBuilder().setPort(nodePort).build()));
        assertThat(plugin.request.getClusterName())
                .as("of a cluster that has no name by --cluster-name")
                .isEqualTo(berth.client()
                        .namespaces()
                        .withName("kube-system")
                        .get()
                        .getMetadata()
                        .getUid());
    }

    @Test
    void aPluginThatHangs_thenTalksNonsense_holdsUpNobodyElse_saysSoOnItsServices_andServesThemOnceItWorks()
            throws IOException {
        Path socket = hosts.socket();
        ScriptedPlugin plugin = new ScriptedPlugin();
        plugin.ensuring = observer -> {};
        hosts.serve(plugin, socket);
        remote("hostile", socket, "deadline=1s\n");
        berth.createClass("hostile", "loadBalancerClass: " + FAR + ", provider: hostile");
        berth.createClass("near", "loadBalancerClass: " + NEAR);
        startOperator();
        List<String> hostile =
                IntStream.range(0, 20).mapToObj(i -> "hostile-" + i).toList();
        List<String> others = IntStream.range(0, 20).mapToObj(i -> "web-" + i).toList();
        long created = System.nanoTime();
        hostile.forEach(name -> create(name, FAR));
        others.forEach(name -> create(name, NEAR));

        others.forEach(this::awaitServed);
        hostile.forEach(name -> awaitCondition(name, "plug-in \"hostile\""));
        // A call that fails is tried again after 5 s at the earliest.
        long tries = 1 + Duration.ofNanos(System.nanoTime() - created).toSeconds() / 5;
        assertThat(plugin.asked).hasValueLessThanOrEqualTo((int) (hostile.size() * tries));

        plugin.ensures(ScriptedPlugin.pending(-1, "nonsense"));
        awaitConditionOfOne(hostile, "plug-in \"hostile\" sent an invalid response: a delay of PT-1S");
        create("late", NEAR);
        awaitServed("late");

        plugin.ensures(proxied("192.0.2.1"));
        hostile.forEach(this::awaitServed);
    }

    /** A load balancer with one address, and the ipMode that its class asks for. */
    private static EnsureLoadBalancerResponse proxied(String ip) {
        return ScriptedPlugin.ready(
                Ingress.newBuilder().setIp(ip).setIpMode(IpMode.IP_MODE_PROXY).build());
    }

    /**
     * One answers more than a message may be, and lists without end; another breaks each connection, and can do something
     * else on the next.
     */
    @Test
    void pluginsThatFlood_stallNobodyElse_sayItOnTheirServices_andServeThemOnceTheyBehave() throws IOException {
        ScriptedPlugin flooding = new ScriptedPlugin();
        flooding.ensures(ScriptedPlugin.pending(1, "x".repeat(2 * Contract.LARGEST_MESSAGE)));
        flooding.page = ScriptedPlugin.fullPage();
        Path flood = hosts.socket();
        hosts.serve(flooding, flood);
        remote("flooding", flood, "");
        ScriptedPlugin flapping = new ScriptedPlugin();
        Path exit = hosts.socket();
        Path entrance = hosts.socket();
        hosts.serve(flapping, exit);
        Relay relay = hosts.relay(entrance, exit);
        AtomicInteger greetings = new AtomicInteger();
        Consumer<StreamObserver<ConnectResponse>> before = flapping.greeting;
        flapping.greeting = observer -> {
            Capabilities others =
                    ScriptedPlugin.CAPABILITIES.withAnnotations("example.com/" + greetings.incrementAndGet());
            ScriptedPlugin.answer(observer, ScriptedPlugin.greeting(others));
            CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS).execute(relay::cut);
        };
        flapping.ensuring = observer -> relay.cut();
        remote("flapping", entrance, "");
        berth.createClass("flooding", "loadBalancerClass: " + FAR + ", provider: flooding");
        berth.createClass("flapping", "loadBalancerClass: " + FLAPPING + ", provider: flapping");
        berth.createClass("near", "loadBalancerClass: " + NEAR);
        List<String> ofTheFlood =
                IntStream.range(0, 10).mapToObj(i -> "flood-" + i).toList();
        List<String> others = IntStream.range(0, 20).mapToObj(i -> "web-" + i).toList();
        ofTheFlood.forEach(name -> create(name, FAR));
        create("flap", FLAPPING);
        // In the heap of its Deployment it ends when that is not enough.
        OperatorProcess operator =
                OperatorProcess.start(berth.kubeconfig(), "--plugin-dir=" + plugins, "--resync-period=1s");
        try (operator) {
            operator.awaitLog("ready after");
            others.forEach(name -> create(name, NEAR));

            others.forEach(this::awaitServed);
            awaitConditionOfOne(ofTheFlood, "plug-in \"flooding\" fails: RESOURCE_EXHAUSTED");
            ofTheFlood.forEach(name -> awaitCondition(name, "plug-in \"flooding\""));
            operator.awaitLog("listing what provider .{1,2}flooding.{1,2} has: plug-in .{1,2}flooding");
            Awaitility.await().until(() -> greetings.get() > 3);
            awaitCondition("flap", "plug-in \"flapping\"");
            create("late", NEAR);
            awaitServed("late");
            assertThat(operator.isAlive()).isTrue();
            assertThat(operator.log()).doesNotContain("SO_KEEPALIVE");

            flooding.ensures(proxied("192.0.2.1"));
            flooding.page = ListLoadBalancersResponse.getDefaultInstance();
            flapping.ensures(proxied("192.0.2.2"));
            flapping.greeting = before;
            ofTheFlood.forEach(this::awaitServed);
            awaitServed("flap");
            berth.awaitAsserted(now ->
                    assertThat(operator.metric("berth_provider_available")).isEqualTo(2));
        }
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, disabledReason = "only there a host has many loopback addresses")
    void theGoProxy_andACloudByItsAdapter_areToldAllTheyNeed_carryTraffic_andAreLeftWithNothing() throws IOException {
        Path toTheProxy = hosts.socket();
        Path toTheCloud = hosts.socket();
        remote("proxy", toTheProxy, "");
        remote("cloud", toTheCloud, "");
        berth.createPool("loopback", GoProviderIT.LOOPBACK + "0/28");
        berth.createClass("proxy", "loadBalancerClass: " + NEAR + ", provider: proxy, pools: [loopback]");
        berth.createClass("cloud", "loadBalancerClass: " + FAR + ", provider: cloud");
        berth.createNode("here", "127.0.0.1");
        try (GoExample cloud = GoExample.start(
                "cloud-provider-adapter",
                temporary,
                "-listen=unix://" + toTheCloud,
                "-tokens=" + temporary.resolve("tokens"),
                "-console=127.0.0.1:0")) {
            GoExample first = goProxy(toTheProxy);
            startOperator();
            create("web", NEAR);
            create("paid", FAR);

            String address = berth.awaitAddress("web");
            assertThat(address).startsWith(GoProviderIT.LOOPBACK);
            assertThat(berth.awaitAddress("paid")).startsWith("198.18.");
            try (ServerSocket pod = pod("web")) {
                assertThat(visit(address)).isEqualTo("hello from " + pod.getLocalPort());
                assertThat(nodesOf(first)).containsExactly("here");
                assertThat(nodesOf(cloud)).containsExactly("here");
                berth.createNode("there", "127.0.0.2");
                berth.awaitAsserted(now -> assertThat(nodesOf(first)).containsExactlyInAnyOrder("here", "there"));
                berth.awaitAsserted(now -> assertThat(nodesOf(cloud)).containsExactlyInAnyOrder("here", "there"));

                first.close();
                create("web-2", NEAR);
                awaitCondition("web-2", "plug-in \"proxy\" cannot be reached");
                GoExample second = goProxy(toTheProxy);
                awaitServed("web-2");
                assertThat(visit(address)).isEqualTo("hello from " + pod.getLocalPort());
                List.of("web", "web-2", "paid").forEach(this::delete);
                List.of("web", "web-2", "paid").forEach(this::awaitGone);
                assertThat(second.page()).isEmpty();
                assertThat(cloud.page()).isEmpty();
                assertThat(second.stop()).isZero();
            }
        }
    }

    private GoExample goProxy(Path socket) throws IOException {
        return GoExample.start(
                "provider-go",
                temporary,
                "-listen=unix://" + socket,
                "-state=" + Files.createDirectories(temporary.resolve("state")),
                "-status=127.0.0.1:0",
                "-check-every=100ms",
                "-port-offset=" + GoProviderIT.PORT_OFFSET);
    }

    /** What each of its load balancers sends to. */
    private static List<String> nodesOf(GoExample plugin) {
        List<String> names = new ArrayList<>();
        plugin.page().forEach(one -> {
            JsonNode nodes = one.path("nodes");
            if (nodes.isObject()) {
                nodes.fieldNames().forEachRemaining(names::add);
            } else {
                nodes.forEach(name -> names.add(name.asText()));
            }
        });
        return names;
    }

    /** Answers anyone who comes to the Service's node port, as a pod behind it would, until it is closed. */
    private ServerSocket pod(String service) throws IOException {
        int nodePort = berth.awaitService(service, found -> true)
                .getSpec()
                .getPorts()
                .getFirst()
                .getNodePort();
        ServerSocket pod = new ServerSocket(nodePort, 0, InetAddress.ofLiteral("127.0.0.1"));
        Thread.startVirtualThread(() -> {
            try {
                while (true) {
                    greetNext(pod, "hello from " + nodePort);
                }
            } catch (IOException closed) {
                return;
            }
        });
        return pod;
    }

    private static void greetNext(ServerSocket pod, String text) throws IOException {
        Socket visitor = pod.accept();
        try (visitor) {
            visitor.getOutputStream().write(text.getBytes(UTF_8));
        } catch (IOException gone) {
            // A health check: it only looked whether somebody is there.
        }
    }

    /** What the Service's port answers, once it answers anything. */
    private static String visit(String address) {
        return Awaitility.await()
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(
                        () -> {
                            try (Socket service = new Socket(address, 80 + GoProviderIT.PORT_OFFSET)) {
                                return new String(service.getInputStream().readAllBytes(), UTF_8);
                            }
                        },
                        answer -> !answer.isEmpty());
    }
}
