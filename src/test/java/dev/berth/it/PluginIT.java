package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.berth.loadbalancer.NodeRules;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.NginxFiles;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Patience;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.LoadBalancerIngress;
import io.fabric8.kubernetes.api.model.PortStatus;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A class whose provider is a jar in the plug-in folder: src/examples/provider-java. */
@ExtendWith(SharedInstallation.class)
class PluginIT {
    private static final String CLASS = "example.com/nginx";

    @TempDir
    private Path temporary;

    private Path plugins;
    private NginxFiles files;
    private ControlPlane controlPlane;
    private BerthOnCluster berth;

    @BeforeEach
    void install(Installation shared) throws IOException {
        // What is there before the start must be untouched until then.
        shared.stopOperator();
        plugins = Files.createDirectory(temporary.resolve("plugins"));
        files = new NginxFiles(temporary.resolve("conf.d"));
        controlPlane = shared.controlPlane();
        berth = BerthOnCluster.on(shared);
    }

    @AfterEach
    void stop() {
        berth.close();
    }

    @Test
    void servesAClass_finalizerFirst_andConvergesAfterItWasKilled() throws IOException {
        files.pluginInto(plugins, temporary.resolve("build"), "");
        berth.createPool("edge", "198.51.100.0/29");
        berth.createClass("nginx", "loadBalancerClass: " + CLASS + ", provider: nginx");
        OperatorProcess operator = start();
        List<Seen> seen = new CopyOnWriteArrayList<>();
        try (Watch watch = watch(seen)) {
            create("first");
            create("second");
            Service first = awaitIngress("first");
            awaitIngress("second");

            assertThat(BerthOnCluster.ingress(first))
                    .extracting(LoadBalancerIngress::getIpMode)
                    .containsExactly("Proxy");
            await().untilAsserted(() -> assertThat(seen).contains(new Seen(true, false), new Seen(true, true)));
            assertThat(seen).noneMatch(state -> state.hasIngress() && !state.hasFinalizer());
        }
        assertThat(files.services()).containsExactlyInAnyOrder("first", "second");

        operator.kill();
        berth.client().services().inNamespace("default").withName("first").delete();
        create("third");
        start();

        awaitIngress("third");
        berth.awaitAsserted(now -> {
            assertThat(now.service("first")).isNull();
            assertThat(files.services()).containsExactlyInAnyOrder("second", "third");
        });
    }

    @Test
    void classIsMarkedOnTheService_soItsProviderIsTold_whenTheServiceNamesItNoMore_andIsWaitedForWhileItIsMissing()
            throws IOException {
        serve();
        berth.createClass("other-default", "loadBalancerClass: example.com/default, classless: Auto");
        create("web");
        create("other");

        assertThat(awaitIngress("web").getMetadata().getAnnotations())
                .containsEntry(WellKnownNames.SERVED_BY_CLASS, CLASS);
        awaitIngress("other");
        becomesClusterIp("web");
        Service web = berth.awaitService(
                "web", service -> service.getMetadata().getFinalizers().isEmpty());

        assertThat(files.services()).containsExactly("other");
        assertThat(web.getMetadata().getAnnotations()).doesNotContainKey(WellKnownNames.SERVED_BY_CLASS);
        Path set = plugins.resolve("berth-nginx-1.jar");
        Path aside = Files.move(set, temporary.resolve("aside.jar"));
        Path settings = Files.move(plugins.resolve("nginx.properties"), temporary.resolve("aside.properties"));
        start();
        becomesClusterIp("other");
        berth.awaitService(
                "other", service -> conditions(service).stream().anyMatch(text -> text.contains("cannot be asked")));
        assertThat(files.services()).containsExactly("other");
        Files.move(aside, set);
        Files.move(settings, plugins.resolve("nginx.properties"));
        start();

        berth.awaitService(
                "other", service -> service.getMetadata().getFinalizers().isEmpty());
        assertThat(files.services()).isEmpty();
    }

    private void becomesClusterIp(String name) {
        controlPlane.kubectl("patch", "service", name, "--type=merge", "--patch={\"spec\":{\"type\":\"ClusterIP\"}}");
    }

    /** Has the sample plug-in serve its class, by an operator that runs with {@code flags}. */
    private void serve(String... flags) throws IOException {
        serveWith("", flags);
    }

    /** The same with more in its settings. */
    private void serveWith(String settings, String... flags) throws IOException {
        files.pluginInto(plugins, temporary.resolve("build"), settings);
        berth.createPool("edge", "198.51.100.0/29");
        berth.createClass("nginx", "loadBalancerClass: " + CLASS + ", provider: nginx");
        berth.startOperator(Stream.concat(Stream.of("--plugin-dir=" + plugins), Stream.of(flags))
                .toArray(String[]::new));
    }

    @Test
    void nodes_reachTheProvider_andThoseThatCome_andNoneThatIsExcluded() throws IOException {
        berth.createNode("n1", "10.0.0.1");
        serve();
        create("web");
        berth.awaitAsserted(now -> assertThat(files.text()).contains("10.0.0.1:"));

        berth.createNode("n2", "10.0.0.2");
        berth.awaitAsserted(now -> assertThat(files.text()).contains("10.0.0.1:", "10.0.0.2:"));
        controlPlane.kubectl("label", "node", "n1", NodeRules.EXCLUDE + "=");

        berth.awaitAsserted(
                now -> assertThat(files.text()).contains("10.0.0.2:").doesNotContain("10.0.0.1:"));
    }

    @Test
    void endpoints_reachAProviderThatTargetsThem_andThoseThatCome_andNoNodePortIsNeeded() throws IOException {
        berth.createNode("n1", "10.0.0.1");
        serveWith("targets = endpoints\n");
        berth.createService(
                "web",
                CLASS,
                builder -> builder.editSpec()
                        .withAllocateLoadBalancerNodePorts(false)
                        .endSpec());
        awaitIngress("web");
        assertThat(files.text()).doesNotContain("server ");

        EndpointSlice slice = endpoints("web", "10.64.0.7");
        berth.awaitAsserted(now -> assertThat(files.text()).contains("10.64.0.7:8080; # n1"));
        berth.client().resource(slice).delete();
        EndpointSlice next = endpoints("web", "10.64.0.8");

        berth.awaitAsserted(
                now -> assertThat(files.text()).contains("10.64.0.8:8080;").doesNotContain("10.64.0.7:", "10.0.0.1:"));

        // As of a Service that was scaled to zero.
        berth.client()
                .resource(next)
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"endpoints\": null, \"ports\": null}");

        berth.awaitAsserted(now -> assertThat(files.text()).isNotEmpty().doesNotContain("server "));
    }

    /** As the control plane writes them for one ready pod. */
    private EndpointSlice endpoints(String service, String address) {
        return berth.client()
                .resource(new EndpointSliceBuilder()
                        .withNewMetadata()
                        .withNamespace("default")
                        .withGenerateName(service + "-")
                        .addToLabels("kubernetes.io/service-name", service)
                        .endMetadata()
                        .withAddressType("IPv4")
                        .addNewEndpoint()
                        .withAddresses(address)
                        .withNodeName("n1")
                        .withNewConditions()
                        .withReady(true)
                        .endConditions()
                        .endEndpoint()
                        .addNewPort()
                        .withName("")
                        .withPort(8080)
                        .withProtocol("TCP")
                        .endPort()
                        .build())
                .create();
    }

    @Test
    void portThatTheProviderCannotCarry_isSaidInKubernetesOwnPlaces_untilItIsGone() throws IOException {
        berth.createNode("n1", "10.0.0.1");
        serve();
        berth.createService(
                "web",
                CLASS,
                builder -> builder.editSpec()
                        .editFirstPort()
                        .withName("http")
                        .endPort()
                        .addNewPort()
                        .withName("signals")
                        .withProtocol("SCTP")
                        .withPort(7777)
                        .endPort()
                        .endSpec());

        Service partly = awaitIngress("web");

        assertThat(BerthOnCluster.ingress(partly).getFirst().getPorts())
                .extracting(PortStatus::getPort, PortStatus::getProtocol, PortStatus::getError)
                .containsExactly(tuple(80, "TCP", null), tuple(7777, "SCTP", "ProtocolNotSupported"));
        assertThat(conditions(partly))
                .contains(
                        "LoadBalancerPortsError=True: SCTP/7777: ProtocolNotSupported",
                        WellKnownNames.UNSUPPORTED + "=True: provider \"nginx\" cannot carry SCTP, only TCP, UDP");
        berth.client()
                .services()
                .inNamespace("default")
                .withName("web")
                .edit(service -> new ServiceBuilder(service)
                        .editSpec()
                        .removeMatchingFromPorts(port -> "signals".equals(port.getName()))
                        .endSpec()
                        .build());
        berth.awaitService(
                "web",
                service -> BerthOnCluster.ingress(service).getFirst().getPorts().isEmpty()
                        && conditions(service).stream()
                                .noneMatch(text -> text.startsWith(WellKnownNames.PORTS_ERROR)
                                        || text.startsWith(WellKnownNames.UNSUPPORTED)));
    }

    private static List<String> conditions(Service service) {
        return service.getStatus().getConditions().stream()
                .map(condition -> condition.getType() + "=" + condition.getStatus() + ": " + condition.getMessage())
                .toList();
    }

    @Test
    void whatSomebodyDeletedAtTheProvider_isRecreated_andOrphans_areDeletedIfWanted() throws IOException {
        berth.createNode("n1", "10.0.0.1");
        serve("--resync-period=1s", "--delete-orphaned-load-balancers", "--cluster-name=here");
        create("web");
        awaitIngress("web");
        Path file = files.all().getFirst();
        String uid = file.getFileName().toString().replaceFirst(".*berth-", "").replaceFirst("\\..*", "");
        String another = "0" + uid.substring(1);
        Files.writeString(
                file.resolveSibling(file.getFileName().toString().replace(uid, another)),
                Files.readString(file).replace(uid, another).replace("# berth service web", "# berth service gone"));
        Files.delete(file);

        berth.awaitAsserted(now -> assertThat(files.services()).containsExactly("web"));
    }

    @Test
    void anUnusablePlugin_endsTheStartWithOneLine() throws IOException {
        Files.writeString(plugins.resolve("half.jar"), "half a downlo");
        OperatorProcess operator = OperatorProcess.start(berth.kubeconfig(), "--plugin-dir=" + plugins);

        assertThat(operator.exitCode(Patience.USUAL)).isEqualTo(1);
        assertThat(operator.log().lines())
                .singleElement()
                .asString()
                .startsWith(
                        "berth: plug-in " + plugins.resolve("half.jar") + ": half.jar is not a jar that can be read");
    }

    private OperatorProcess start() {
        return berth.startOperator("--plugin-dir=" + plugins);
    }

    private void create(String name) {
        berth.createService(name, CLASS, UnaryOperator.identity());
    }

    private Service awaitIngress(String name) {
        return berth.awaitService(
                name, service -> !BerthOnCluster.ingress(service).isEmpty());
    }

    /** A Service at one version. */
    private record Seen(boolean hasFinalizer, boolean hasIngress) {}

    private Watch watch(List<Seen> seen) {
        return berth.client().services().inNamespace("default").watch(new Watcher<Service>() {
            @Override
            public void eventReceived(Action action, Service service) {
                seen.add(new Seen(
                        service.getMetadata().getFinalizers().contains(WellKnownNames.FINALIZER),
                        !BerthOnCluster.ingress(service).isEmpty()));
            }

            @Override
            public void onClose(@Nullable WatcherException cause) {
                Optional.ofNullable(cause).ifPresent(failure -> {
                    throw new IllegalStateException(failure);
                });
            }
        });
    }
}
