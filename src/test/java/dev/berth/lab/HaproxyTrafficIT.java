package dev.berth.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.lab.Peer.Load;
import dev.berth.lab.Peer.Reply;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Berth with a real HAProxy on a host beside the nodes: what clients outside and inside the cluster get. */
@LabOnly
@ParameterizedClass(name = "{0}")
@EnumSource(KubeProxyMode.class)
class HaproxyTrafficIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static Lab lab;
    private static HaproxyHost haproxy;
    private static OperatorProcess operator;
    private static int pools;

    @Parameter
    private KubeProxyMode mode;

    private String namespace;

    @BeforeParameterizedClassInvocation
    static void start(KubeProxyMode mode) throws IOException {
        pools = 0;
        lab = Lab.start(mode, 2);
        haproxy = new HaproxyHost(lab, "NodePorts");
        Path plugins = Files.createDirectories(lab.folder().resolve("plugins"));
        Files.writeString(plugins.resolve("lb.grpc.properties"), "target=unix://" + haproxy.socket() + "\n");
        operator = lab.installation().startOperator("--plugin-dir=" + plugins);
        loadBalancerClass("proxy", Map.of());
        loadBalancerClass("proxy-v2", Map.of("proxyProtocol", "V2"));
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        haproxy.close();
        lab.close();
    }

    private static void loadBalancerClass(String name, Map<String, String> parameters) {
        LoadBalancerClass object = new LoadBalancerClass();
        object.setMetadata(new ObjectMetaBuilder().withName(name).build());
        Map<String, Object> spec = new LinkedHashMap<>();
        spec.put("loadBalancerClass", "test.dev/" + name);
        spec.put("provider", "lb");
        if (!parameters.isEmpty()) {
            spec.put("parameters", parameters);
        }
        object.setSpec(Serialization.unmarshal(Serialization.asJson(spec), LoadBalancerClass.Spec.class));
        lab.installation().client().resource(object).create();
    }

    @BeforeEach
    void namespace() {
        namespace = lab.installation().namespace("haproxy");
        pools++;
        lab.installation()
                .pool(namespace, "10.77.0.%d/30".formatted(96 + 4 * pools), "fd77::%d:0/124".formatted(pools));
    }

    private LabPod pod(int node, String name) {
        return lab.node(node).pod(namespace, namespace + "-" + name, Map.of("app", "web"));
    }

    private Service service(String loadBalancerClass, UnaryOperator<ServiceBuilder> change) {
        lab.installation()
                .service(
                        namespace,
                        "web",
                        service -> change.apply(service.editSpec()
                                .withLoadBalancerClass("test.dev/" + loadBalancerClass)
                                .withSelector(Map.of("app", "web"))
                                .editFirstPort()
                                .withName("http")
                                .withNewTargetPort(LabPod.PORT)
                                .endPort()
                                .endSpec()));
        return lab.installation().awaitAddress(namespace, "web");
    }

    private static UnaryOperator<ServiceBuilder> local() {
        return change -> change.editSpec().withExternalTrafficPolicy("Local").endSpec();
    }

    private static String url(Service service) {
        return "http://" + Installation.ips(service).getFirst() + "/";
    }

    private static Reply awaitReply(Peer client, String url) {
        return await(() -> client.get(url), Reply::ok);
    }

    private static <T> T await(Callable<T> supplier, Predicate<T> wanted) {
        return Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .until(supplier, wanted);
    }

    @Test
    void clientsOutsideAndInside_areServedThroughHaproxy() {
        LabPod here = pod(1, "a");
        LabPod there = pod(2, "b");
        Service service = service("proxy", UnaryOperator.identity());

        assertThat(Installation.ipModes(service)).containsExactly("Proxy");
        awaitReply(lab.client(), url(service));
        assertThat(lab.client().get(url(service), 20))
                .allMatch(Reply::ok)
                .extracting(Reply::name)
                .contains(here.name(), there.name());
        assertThat(here.client().get(url(service)).ok()).isTrue();
        assertThat(lab.node(1).client().get(url(service)).ok()).isTrue();

        haproxy.signalHaproxy("STOP");
        try {
            assertThat(lab.client().get(url(service)).ok()).isFalse();
            assertThat(here.client().get(url(service)).ok()).isFalse();
        } finally {
            haproxy.signalHaproxy("CONT");
        }
    }

    @Test
    void policyLocal_sendsOnlyToNodesWithAReadyEndpoint() {
        LabPod here = pod(1, "a");
        LabPod there = pod(2, "b");
        Service service = service("proxy", local());
        await(
                () -> lab.client().get(url(service), 10),
                replies -> replies.stream().allMatch(Reply::ok)
                        && replies.stream().map(Reply::name).distinct().count() == 2);

        there.ready(false);

        await(
                () -> lab.client().get(url(service), 10),
                replies -> replies.stream().allMatch(reply -> here.name().equals(reply.name())));
        assertThat(lab.client().get(url(service), 30)).allMatch(Reply::ok);
    }

    @Test
    void proxyProtocol_tellsPodsTheAddressOfTheClient() {
        pod(1, "a");
        Service service = service("proxy-v2", UnaryOperator.identity());

        Reply reply = awaitReply(lab.client(), url(service));

        assertThat(reply.proxied()).isEqualTo("10.78.0.2");
    }

    @Test
    void sourceRanges_letOnlyThoseIn() {
        LabPod here = pod(1, "a");
        Service service = service(
                "proxy",
                change -> change.editSpec()
                        .withLoadBalancerSourceRanges("10.78.0.0/24")
                        .endSpec());

        awaitReply(lab.client(), url(service));

        assertThat(lab.node(1).client().get(url(service)).ok()).isFalse();
        assertThat(here.client().get(url(service)).ok()).isFalse();
    }

    @Test
    void bothFamilies_areServed() {
        LabPod only = pod(1, "a");
        Service service = service(
                "proxy",
                change ->
                        change.editSpec().withIpFamilyPolicy("RequireDualStack").endSpec());
        List<String> ips = Installation.ips(service);

        assertThat(ips).hasSize(2);
        assertThat(awaitReply(lab.client(), "http://" + ips.getFirst() + "/").name())
                .isEqualTo(only.name());
        assertThat(awaitReply(lab.client(), "http://[" + ips.getLast() + "]/").name())
                .isEqualTo(only.name());
    }

    @Test
    void aDeletedService_leavesNeitherPortNorAddress() {
        pod(1, "a");
        Service service = service("proxy", UnaryOperator.identity());
        String ip = Installation.ips(service).getFirst();
        awaitReply(lab.client(), url(service));
        assertThat(haproxy.addresses()).contains(ip + "/32");

        lab.installation().deleteService(namespace, "web");
        lab.installation().awaitReleased(namespace, "web");

        assertThat(haproxy.addresses()).doesNotContain(ip + "/32");
        assertThat(lab.client().get(url(service)).ok()).isFalse();
    }

    @Test
    void aRollingUpdate_failsNoRequest() throws Exception {
        LabPod first = pod(1, "a");
        LabPod second = pod(2, "b");
        Service service = service("proxy", UnaryOperator.identity());
        awaitReply(lab.client(), url(service));

        CompletableFuture<Load> load = lab.client().load(url(service), 2_000, 4, "5ms");
        LabPod third = pod(1, "c");
        LabPod fourth = pod(2, "d");
        for (LabPod old : List.of(first, second)) {
            old.terminate();
            await(
                    () -> lab.client().get(url(service), 10),
                    replies -> replies.stream().noneMatch(reply -> old.name().equals(reply.name())));
            old.close();
        }

        Load done = load.get();
        assertThat(done.failed()).as("%s", done.errors()).isZero();
        assertThat(done.byName()).containsKeys(third.name(), fourth.name());
    }

    @Test
    void changesOfPortsUnderLoad_failNoRequest() throws Exception {
        pod(1, "a");
        Service service = service("proxy", UnaryOperator.identity());
        String ip = Installation.ips(service).getFirst();
        awaitReply(lab.client(), url(service));

        CompletableFuture<Load> load = lab.client().load(url(service), 3_000, 4, "5ms");
        for (int port = 8001; port <= 8010; port++) {
            int added = port;
            lab.installation()
                    .client()
                    .services()
                    .inNamespace(namespace)
                    .withName("web")
                    .edit(current -> new ServiceBuilder(current)
                            .editSpec()
                            .addNewPort()
                            .withName("p" + added)
                            .withPort(added)
                            .withNewTargetPort(LabPod.PORT)
                            .endPort()
                            .endSpec()
                            .build());
            awaitReply(lab.client(), "http://" + ip + ":" + added + "/");
        }

        Load done = load.get();
        assertThat(done.failed()).as("%s", done.errors()).isZero();
    }

    @Test
    void traffic_goesOn_whenBerthIsKilled_andComesBack_whenHaproxyIs() {
        pod(1, "a");
        Service service = service("proxy", UnaryOperator.identity());
        awaitReply(lab.client(), url(service));

        haproxy.kill();
        assertThat(lab.client().get(url(service), 20)).allMatch(Reply::ok);
        haproxy.start();
        assertThat(lab.client().get(url(service), 20)).allMatch(Reply::ok);

        haproxy.signalHaproxy("KILL");
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .until(() -> lab.client().get(url(service)).ok());
        assertThat(operator.log()).doesNotContain("Uncaught");
    }
}
