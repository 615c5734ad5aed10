package dev.berth.lab;

import static dev.berth.lab.Traffic.await;
import static dev.berth.lab.Traffic.awaitEach;
import static dev.berth.lab.Traffic.awaitReply;
import static dev.berth.lab.Traffic.awaitSome;
import static dev.berth.lab.Traffic.url;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.lab.Peer.Load;
import dev.berth.lab.Peer.Reply;
import dev.berth.lab.Peer.Until;
import dev.berth.testing.Conflicts;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.SampleCertificate;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointConditions;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.readiness.Readiness;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
@EnumSource(
        value = KubeProxyMode.class,
        names = {"NFTABLES", "IPTABLES"})
@SuppressWarnings("NullAway.Init") // JUnit calls what sets them first
class HaproxyTrafficIT {
    /** Requests that meet each of a few pods: one of four is left out once in 10^12 times. */
    private static final int SURELY = 100;

    /** From a crash to the next request that is answered. */
    private static final Duration BACK = Duration.ofSeconds(2);

    /** Who waits so long for an answer has lost it: the machine does not stop for that long. */
    private static final Duration LOST = Duration.ofSeconds(5);

    /** The fastest of so many crashes counts: what else the machine does only adds to each. */
    private static final int CRASHES = 3;

    /**
     * Two health checks a second apart, one that is under way, and the connections that were opened before: 3 s on a
     * machine that does nothing else.
     */
    private static final Duration DRAINED = Duration.ofSeconds(5);

    /** Kubernetes' own clients try again after up to a minute by then, one after the other on a machine that is busy. */
    private static final Duration OUTAGE_NOTICED = Duration.ofMinutes(3);

    /** The pause of who waits for that: each look takes some of the processor. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private static Lab lab;
    private static HaproxyHost haproxy;
    private static HaproxyHost direct;
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
        direct = new HaproxyHost(lab, "Endpoints");
        Path plugins = Files.createDirectories(lab.folder().resolve("plugins"));
        Files.writeString(plugins.resolve("lb.grpc.properties"), "target=unix://" + haproxy.socket() + "\n");
        Files.writeString(plugins.resolve("direct.grpc.properties"), "target=unix://" + direct.socket() + "\n");
        operator = startOperator();
        loadBalancerClass("proxy", "lb", Map.of());
        loadBalancerClass("proxy-v1", "lb", Map.of("proxyProtocol", "V1"));
        loadBalancerClass("proxy-v2", "lb", Map.of("proxyProtocol", "V2"));
        loadBalancerClass("direct", "direct", Map.of());
    }

    private static OperatorProcess startOperator() {
        return lab.installation().startOperator("--plugin-dir=" + lab.folder().resolve("plugins"));
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        haproxy.close();
        direct.close();
        lab.close();
    }

    private static void loadBalancerClass(String name, String provider, Map<String, String> parameters) {
        loadBalancerClass(name, provider, parameters, "Keep");
    }

    private static void loadBalancerClass(
            String name, String provider, Map<String, String> parameters, String nodePorts) {
        LoadBalancerClass object = new LoadBalancerClass();
        object.setMetadata(new ObjectMetaBuilder().withName(name).build());
        Map<String, Object> spec = new LinkedHashMap<>();
        spec.put("loadBalancerClass", "test.dev/" + name);
        spec.put("provider", provider);
        spec.put("nodePorts", nodePorts);
        if (!parameters.isEmpty()) {
            spec.put("parameters", parameters);
        }
        object.setSpec(Serialization.unmarshal(Serialization.asJson(spec), LoadBalancerClass.Spec.class));
        lab.installation().client().resource(object).create();
    }

    @BeforeEach
    void namespace() {
        namespace = lab.namespace("haproxy");
        pools++;
        lab.installation()
                .pool(namespace, "10.77.0.%d/30".formatted(96 + 4 * pools), "fd77::%d:0/124".formatted(pools));
    }

    private LabPod pod(int node, String name) {
        return lab.node(node).pod(namespace, namespace + "-" + name, Map.of("app", "web"));
    }

    private Service service(String loadBalancerClass, UnaryOperator<ServiceBuilder> change) {
        return service("web", loadBalancerClass, change);
    }

    private Service service(String name, String loadBalancerClass, UnaryOperator<ServiceBuilder> change) {
        return Traffic.service(lab, namespace, name, loadBalancerClass, change);
    }

    private void addPort(int port) {
        Conflicts.untilNone(() -> lab.installation()
                .client()
                .services()
                .inNamespace(namespace)
                .withName("web")
                .edit(current -> new ServiceBuilder(current)
                        .editSpec()
                        .addNewPort()
                        .withName("p" + port)
                        .withPort(port)
                        .withNewTargetPort(LabPod.PORT)
                        .endPort()
                        .endSpec()
                        .build()));
    }

    @Test
    void clientsOutsideAndInside_areServedThroughHaproxy() {
        LabPod here = pod(1, "a");
        LabPod there = pod(2, "b");
        Service service = service("proxy", UnaryOperator.identity());

        assertThat(Installation.ipModes(service)).containsExactly("Proxy");
        await(
                () -> lab.client().get(url(service), 20),
                replies -> replies.stream().allMatch(Reply::ok)
                        && replies.stream().map(Reply::name).toList().containsAll(List.of(here.name(), there.name())));
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
        Service service = service("proxy", Traffic::local);
        await(
                () -> lab.client().get(url(service), SURELY),
                replies -> replies.stream().allMatch(Reply::ok)
                        && replies.stream().map(Reply::name).distinct().count() == 2);

        there.ready(false);

        awaitEach(lab.client(), url(service), SURELY, reply -> here.name().equals(reply.name()));
        assertThat(lab.client().get(url(service), 30)).allMatch(Reply::ok);
    }

    @Test
    void policyLocal_failsNoRequest_whileTheLastEndpointOfANodeTerminates() {
        LabPod here = pod(1, "a");
        LabPod there = pod(2, "b");
        Service service = service("proxy", Traffic::local);
        int port = service.getSpec().getHealthCheckNodePort();
        await(
                () -> lab.client().get(url(service), SURELY),
                replies -> replies.stream().map(Reply::name).distinct().count() == 2);

        try (Until<Load> load = lab.client().loadUntilEnd(url(service))) {
            there.terminate();
            await(() -> lab.node(2).httpStatus(port, "/healthz"), status -> status == 503);
            long unhealthy = unixNanos();
            awaitEach(lab.client(), url(service), SURELY, reply -> here.name().equals(reply.name()));
            there.closeInOrder(lab.loadBalancerHost());
            assertThat(lab.client().get(url(service), 30)).allMatch(Reply::ok);

            Load done = load.end();
            assertNoneFailed(done);
            assertThat(done.byName()).containsKeys(here.name(), there.name());
            assertThat(done.lastOf(there.name(), unhealthy)).isLessThan(DRAINED);
        }
    }

    private static long unixNanos() {
        Instant now = Instant.now();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    }

    private static void assertNoneFailed(Load load) {
        assertThat(load.failed()).as("%s", load).isZero();
    }

    @Test
    void proxyProtocol_tellsPodsTheAddressOfTheClient_outsideAndInside() {
        LabPod here = pod(1, "a");
        for (String version : List.of("proxy-v1", "proxy-v2")) {
            Service service = service(
                    version,
                    version,
                    change -> Traffic.local(change)
                            .editSpec()
                            .withIpFamilyPolicy("RequireDualStack")
                            .endSpec());
            List<String> ips = Installation.ips(service);
            String ipv4 = "http://" + ips.getFirst() + "/";
            String ipv6 = url(ips.getLast());

            Reply reply = awaitReply(lab.client(), ipv4);

            assertThat(reply.proxied()).as(version).isEqualTo("10.78.0.2");
            assertThat(reply.source()).as("from HAProxy, and not from a node").isEqualTo("10.77.0.5");
            assertThat(here.client().get(ipv4).proxied()).as(version).isEqualTo(here.ipv4());
            assertThat(awaitReply(lab.client(), ipv6).proxied()).as(version).isEqualTo("fd78::2");
            assertThat(here.client().get(ipv6).proxied()).as(version).isEqualTo(here.ipv6());
        }
    }

    @Test
    void tls_isTerminated_forClientsOutsideAndInside_andItsCertificateChangesUnderLoad() throws Exception {
        SampleCertificate first = certificate();
        SampleCertificate second = certificate();
        lab.controlPlane().kubectl("apply", "--filename=src/main/kubernetes/components/tls/rbac.yaml");
        lab.installation()
                .client()
                .resource(first.secret("berth-system", "lab"))
                .create();
        LoadBalancerClass tls = Serialization.unmarshal("""
                apiVersion: berth.dev/v1alpha1
                kind: LoadBalancerClass
                metadata: {name: tls}
                spec: {loadBalancerClass: test.dev/tls, provider: lb, tls: {secretName: lab, ports: [443]}}
                """, LoadBalancerClass.class);
        lab.installation().client().resource(tls).create();
        LabPod here = pod(1, "a");
        Service service = service(
                "tls",
                change -> change.editSpec()
                        .editFirstPort()
                        .withPort(443)
                        .endPort()
                        .endSpec());
        String ip = Installation.ips(service).getFirst();
        String secure = "https://" + ip + "/";

        assertThat(Installation.ipModes(service)).containsExactly("Proxy");
        awaitReply(lab.client(), secure);
        assertThat(here.client().get(secure).ok()).isTrue();
        assertThat(lab.node(1).client().get(secure).ok()).isTrue();
        assertThat(lab.client().get("http://" + ip + ":443/").ok()).isFalse();
        assertThat(here.client().get("http://" + ip + ":443/").ok()).isFalse();
        assertThat(SampleCertificate.shownAt(ip, 443)).isEqualTo(first.certificate());

        try (Until<Load> load = lab.client().loadUntilEnd(secure)) {
            lab.installation()
                    .client()
                    .resource(second.secret("berth-system", "lab"))
                    .update();
            await(() -> SampleCertificate.shownAt(ip, 443), second.certificate()::equals);
            assertThat(lab.client().get(secure, 20)).allMatch(Reply::ok);
            assertNoneFailed(load.end());
        }
    }

    private static SampleCertificate certificate() {
        return SampleCertificate.of(
                "lab.example.com",
                Instant.now().minus(Duration.ofHours(1)),
                Instant.now().plus(Duration.ofDays(1)));
    }

    @Test
    void sourceRanges_letOnlyThoseIn_ofBothFamilies() {
        LabPod here = pod(1, "a");
        Service service = service(
                "proxy",
                change -> change.editSpec()
                        .withIpFamilyPolicy("RequireDualStack")
                        .withLoadBalancerSourceRanges("10.78.0.0/24", "fd78::/64")
                        .endSpec());

        for (String ip : Installation.ips(service)) {
            String url = "http://" + (ip.contains(":") ? "[" + ip + "]" : ip) + "/";
            awaitReply(lab.client(), url);
            assertThat(lab.node(1).client().get(url).ok()).as(url).isFalse();
            assertThat(here.client().get(url).ok()).as(url).isFalse();
        }
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
        assertThat(awaitReply(lab.client(), url(ips.getLast())).name()).isEqualTo(only.name());
    }

    /** kube-proxy opens its node port by IPv6 alone, and Nodes name IPv4 first. */
    @Test
    void aServiceOfIpv6Alone_isServed_withEitherPolicy() {
        LabPod only = pod(1, "a");
        UnaryOperator<ServiceBuilder> ipv6 =
                change -> change.editSpec().withIpFamilies("IPv6").endSpec();
        List<Service> services = List.of(
                Traffic.service(lab, namespace, "cluster", "proxy", ipv6),
                Traffic.service(lab, namespace, "local", "proxy", change -> Traffic.local(ipv6.apply(change))));

        assertThat(services)
                .allSatisfy(service -> assertThat(awaitReply(
                                        lab.client(),
                                        url(Installation.ips(service).getFirst()))
                                .name())
                        .isEqualTo(only.name()));
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
    void aRollingUpdate_failsNoRequest() {
        LabPod first = pod(1, "a");
        LabPod second = pod(2, "b");
        Service service = service("proxy", UnaryOperator.identity());
        awaitReply(lab.client(), url(service));

        CompletableFuture<Load> thousands = lab.client().load(url(service), 3_000, 4, "5ms");
        try (Until<Load> load = lab.client().loadUntilEnd(url(service))) {
            LabPod third = pod(1, "c");
            LabPod fourth = pod(2, "d");
            for (LabPod old : List.of(first, second)) {
                old.terminate();
                awaitEach(
                        lab.client(), url(service), SURELY, reply -> !old.name().equals(reply.name()));
                old.closeInOrder(lab.loadBalancerHost());
            }
            assertThat(lab.client().get(url(service), SURELY))
                    .extracting(Reply::name)
                    .containsOnly(third.name(), fourth.name());
            assertNoneFailed(load.end());
            assertNoneFailed(thousands.join());
        }
    }

    @Test
    void twentyChangesOfPortsUnderLoad_failNoRequest_andKeepAConnection() {
        pod(1, "a");
        Service service = service("proxy", UnaryOperator.identity());
        String ip = Installation.ips(service).getFirst();
        awaitReply(lab.client(), url(service));

        try (Until<Load> load = lab.client().loadUntilEnd(url(service));
                Until<List<Reply>> held = lab.client().holdUntilEnd(ip + ":80")) {
            held.awaitBegun();
            for (int port = 8001; port <= 8020; port++) {
                addPort(port);
                awaitReply(lab.client(), "http://" + ip + ":" + port + "/");
            }

            assertThat(held.end()).isNotEmpty().allMatch(Reply::ok);
            assertNoneFailed(load.end());
        }
    }

    /** With policy Local and an endpoint on one of two nodes: no request goes to the other while its health is unknown. */
    @Test
    void aNewServiceWithPolicyLocal_failsNoRequestAfterTheFirst() {
        LabPod here = pod(1, "a");
        Service service = service("proxy", Traffic::local);

        awaitReply(lab.client(), url(service));

        assertThat(lab.client().get(url(service), 20))
                .allMatch(Reply::ok)
                .allMatch(reply -> here.name().equals(reply.name()));
    }

    @Test
    void policyCluster_drainsANodeThatIsToBeRemoved() {
        pod(1, "a");
        Service service = service("proxy", UnaryOperator.identity());
        awaitReply(lab.client(), url(service));
        String other = lab.node(2).ipv4();
        awaitSome(lab.client(), url(service), reply -> other.equals(reply.source()));

        try (Until<Load> load = lab.client().loadUntilEnd(url(service))) {
            taint(2, true);
            awaitLeftOut(service, other);
            assertNoneFailed(load.end());
        } finally {
            taint(2, false);
        }
        awaitSome(lab.client(), url(service), reply -> other.equals(reply.source()));
    }

    /** Its rules are still in the kernel, so what goes there is answered: by nothing but its health check is it left out. */
    @Test
    void policyCluster_leavesOutANodeWhoseKubeProxyIsGone() {
        pod(1, "a");
        Service service = service("proxy", UnaryOperator.identity());
        String other = lab.node(2).ipv4();
        awaitSome(lab.client(), url(service), reply -> other.equals(reply.source()));

        try (Until<Load> load = lab.client().loadUntilEnd(url(service))) {
            lab.node(2).stopKubeProxy();
            awaitLeftOut(service, other);
            assertNoneFailed(load.end());
        } finally {
            lab.node(2).startKubeProxy(mode);
            lab.node(2).awaitKubeProxy();
        }
        awaitSome(lab.client(), url(service), reply -> other.equals(reply.source()));
    }

    /** A node, by the address that pods see its requests from. */
    private static void awaitLeftOut(Service service, String source) {
        awaitEach(lab.client(), url(service), SURELY, reply -> !source.equals(reply.source()));
        assertThat(lab.client().get(url(service), 30))
                .allMatch(Reply::ok)
                .noneMatch(reply -> source.equals(reply.source()));
    }

    private static void taint(int node, boolean on) {
        List<Taint> taints = on
                ? List.of(new TaintBuilder()
                        .withKey("ToBeDeletedByClusterAutoscaler")
                        .withEffect("NoSchedule")
                        .build())
                : List.of();
        Conflicts.untilNone(() -> lab.controlPlane()
                .adminClient()
                .nodes()
                .withName(lab.node(node).name())
                .edit(current -> new NodeBuilder(current)
                        .editSpec()
                        .withTaints(taints)
                        .endSpec()
                        .build()));
    }

    @Test
    void withoutNodePorts_connectionsGoStraightToPods() {
        LabPod here = pod(1, "a");
        LabPod there = pod(2, "b");
        Service service = service(
                "direct",
                change -> change.editSpec()
                        .withAllocateLoadBalancerNodePorts(false)
                        .endSpec());

        assertThat(service.getSpec().getPorts().getFirst().getNodePort()).isNull();
        await(
                () -> lab.client().get(url(service), SURELY),
                replies -> replies.stream().map(Reply::name).distinct().count() == 2);
        assertThat(lab.client().get(url(service), 10))
                .as("from HAProxy itself, and not from a node")
                .allMatch(reply -> "10.77.0.5".equals(reply.source()));

        String socket = Installation.ips(service).getFirst() + ":80";
        try (Until<Load> load = lab.client().loadUntilEnd(url(service));
                Until<List<Reply>> held = holdAt(there, socket)) {
            there.terminate();
            awaitEach(lab.client(), url(service), SURELY, reply -> here.name().equals(reply.name()));

            assertThat(held.end())
                    .as("a connection that was open goes on until the pod ends")
                    .allMatch(reply -> there.name().equals(reply.name()));
            there.closeInOrder(lab.loadBalancerHost());
            assertNoneFailed(load.end());
        }
    }

    /** As with kube-proxy, those that terminate serve as long as none is ready. */
    @Test
    void withoutNodePorts_whereAllEndpointsTerminate_theyServe_untilOneIsReady() {
        LabPod first = pod(1, "a");
        Service service = service("direct", UnaryOperator.identity());
        awaitReply(lab.client(), url(service));

        try (Until<Load> load = lab.client().loadUntilEnd(url(service))) {
            first.terminate();
            await(
                    this::conditions,
                    all -> all.stream().allMatch(one -> one.getTerminating() && one.getServing() && !one.getReady()));
            assertThat(lab.client().get(url(service), SURELY))
                    .allMatch(reply -> first.name().equals(reply.name()));

            LabPod next = pod(2, "b");
            awaitEach(lab.client(), url(service), SURELY, reply -> next.name().equals(reply.name()));
            first.closeInOrder(lab.loadBalancerHost());
            assertNoneFailed(load.end());
        }
    }

    private List<EndpointConditions> conditions() {
        return lab
                .installation()
                .client()
                .resources(EndpointSlice.class)
                .inNamespace(namespace)
                .list()
                .getItems()
                .stream()
                .flatMap(slice -> slice.getEndpoints().stream())
                .map(Endpoint::getConditions)
                .toList();
    }

    /** A connection that is held, and has that pod behind it. */
    private static Until<List<Reply>> holdAt(LabPod pod, String socket) {
        for (int i = 0; i < 20; i++) {
            Until<List<Reply>> held = lab.client().holdUntilEnd(socket);
            if (pod.name().equals(held.awaitBegun().getFirst().name())) {
                return held;
            }
            held.close();
        }
        throw new IllegalStateException("none of 20 connections went to " + pod.name());
    }

    @Test
    void releasedNodePorts_areClosed_andConnectionsGoStraightToPods() {
        loadBalancerClass("released", "direct", Map.of(), "Release");
        pod(1, "a");
        Service service = service("released", UnaryOperator.identity());
        awaitReply(lab.client(), url(service));
        String nodePort = "http://%s:%d/"
                .formatted(
                        lab.node(1).ipv4(),
                        service.getSpec().getPorts().getFirst().getNodePort());
        awaitReply(lab.client(), nodePort);

        try (Until<Load> load = lab.client().loadUntilEnd(url(service))) {
            lab.controlPlane()
                    .kubectl("apply", "--filename=src/main/kubernetes/components/release-node-ports/rbac.yaml");
            await(
                    () -> lab.installation().get(namespace, "web"),
                    now -> now.getSpec().getPorts().getFirst().getNodePort() == null);

            await(() -> lab.client().get(nodePort), reply -> !reply.ok());
            assertThat(lab.client().get(url(service), 20)).allMatch(Reply::ok);
            assertNoneFailed(load.end());
        }
    }

    @Test
    void clientIpAffinity_holds_alsoOverAReload() {
        pod(1, "a");
        pod(2, "b");
        pod(2, "c");
        awaitEndpoints(3);
        Service service = service(
                "direct",
                change -> change.editSpec().withSessionAffinity("ClientIP").endSpec());
        Reply first = awaitReply(lab.client(), url(service));
        assertThat(lab.client().get(url(service), 20))
                .allMatch(reply -> String.valueOf(first.name()).equals(reply.name()));

        addPort(81);
        awaitReply(lab.client(), "http://" + Installation.ips(service).getFirst() + ":81/");

        assertThat(lab.client().get(url(service), 20))
                .allMatch(reply -> String.valueOf(first.name()).equals(reply.name()));
    }

    private void awaitEndpoints(int count) {
        await(
                () -> lab.installation().client().pods().inNamespace(namespace).list().getItems().stream()
                        .filter(Readiness::isPodReady)
                        .count(),
                ready -> ready == count);
    }

    @Test
    void twoServicesThatShareAnAddress_areServed_andOneOutlivesTheOther() {
        pod(1, "a");
        UnaryOperator<ServiceBuilder> sharing = change -> change.editMetadata()
                .addToAnnotations("berth.dev/sharing-key", "one")
                .endMetadata();
        Service web = service("proxy", sharing);
        Service api = service(
                "api",
                "proxy",
                change -> sharing.apply(change)
                        .editSpec()
                        .editFirstPort()
                        .withPort(8080)
                        .endPort()
                        .endSpec());
        String ip = Installation.ips(web).getFirst();
        assertThat(Installation.ips(api)).containsExactly(ip);
        awaitReply(lab.client(), "http://" + ip + ":8080/");
        awaitReply(lab.client(), url(web));

        lab.installation().deleteService(namespace, "api");
        lab.installation().awaitReleased(namespace, "api");

        assertThat(lab.client().get(url(web), 10)).allMatch(Reply::ok);
        assertThat(lab.client().get("http://" + ip + ":8080/").ok()).isFalse();
        assertThat(haproxy.addresses()).contains(ip + "/32");
    }

    @Test
    void udp_isNamedAsNotServed_andTcpIsServed() {
        pod(1, "a");
        Service service = service(
                "proxy",
                change -> change.editSpec()
                        .addNewPort()
                        .withName("dns")
                        .withProtocol("UDP")
                        .withPort(53)
                        .withNewTargetPort(LabPod.PORT)
                        .endPort()
                        .endSpec());

        awaitReply(lab.client(), url(service));
        assertThat(Installation.condition(lab.installation().get(namespace, "web"), "berth.dev/Unsupported"))
                .hasValueSatisfying(condition ->
                        assertThat(condition.getMessage()).isEqualTo("provider \"lb\" cannot carry UDP, only TCP"));
    }

    @Test
    void traffic_goesOn_whileTheApiServerIsAway_andWhatChangedIsTakenOver() throws Exception {
        LabPod first = pod(1, "a");
        Service service = service("proxy", UnaryOperator.identity());
        awaitReply(lab.client(), url(service));

        lab.controlPlane().stopApiServer();
        try {
            // Half a minute.
            assertNoneFailed(lab.client().load(url(service), 6_000, 4, "20ms").get());
        } finally {
            lab.controlPlane().startApiServer();
        }

        LabPod second = pod(2, "b");
        Awaitility.await()
                .atMost(OUTAGE_NOTICED)
                .pollInterval(PAUSE)
                .until(
                        () -> lab.client().get(url(service), SURELY),
                        replies -> replies.stream()
                                .map(Reply::name)
                                .distinct()
                                .toList()
                                .containsAll(List.of(first.name(), second.name())));
        addPort(81);
        awaitNodePorts("p81");
        awaitReply(lab.client(), "http://" + Installation.ips(service).getFirst() + ":81/");
    }

    /** On each node: Kubernetes' own controllers, too, know the Service as it is now. */
    private void awaitNodePorts(String port) {
        int nodePort = lab.installation().get(namespace, "web").getSpec().getPorts().stream()
                .filter(one -> one.getName().equals(port))
                .findFirst()
                .orElseThrow()
                .getNodePort();
        lab.nodes()
                .forEach(node -> Awaitility.await()
                        .atMost(OUTAGE_NOTICED)
                        .pollInterval(PAUSE)
                        .until(() -> lab.client()
                                .get("http://" + node.ipv4() + ":" + nodePort + "/")
                                .ok()));
    }

    private static void assertWentOn(Load done) {
        assertNoneFailed(done);
        assertThat(Duration.ofMillis(done.gap())).isLessThan(LOST);
    }

    @Test
    void traffic_goesOn_whenTheOperatorIsKilled_andWhatChangedIsTakenOver() {
        pod(1, "a");
        Service service = service("proxy", UnaryOperator.identity());
        awaitReply(lab.client(), url(service));

        String added = "http://" + Installation.ips(service).getFirst() + ":81/";
        try (Until<Load> load = lab.client().loadUntilEnd(url(service))) {
            operator.kill();
            addPort(81);
            operator = startOperator();
            awaitReply(lab.client(), added);

            assertWentOn(load.end());
        }
    }

    @Test
    void traffic_goesOn_whenBerthIsKilled_andComesBack_whenHaproxyIs_andServesWhatChanges() {
        pod(1, "a");
        Service service = service("proxy", UnaryOperator.identity());
        awaitReply(lab.client(), url(service));

        try (Until<Load> load = lab.client().loadUntilEnd(url(service))) {
            haproxy.kill();
            assertThat(lab.client().get(url(service), 20)).allMatch(Reply::ok);
            haproxy.start();
            assertThat(lab.client().get(url(service), 20)).allMatch(Reply::ok);
            assertWentOn(load.end());
        }

        Duration back = timeWithoutHaproxy(service);
        Duration limit = Limit.of(BACK);
        for (int crashes = 1; crashes < CRASHES && back.compareTo(limit) >= 0; crashes++) {
            back = timeWithoutHaproxy(service);
            limit = Limit.of(BACK);
        }
        assertThat(back).isLessThan(limit);
        addPort(81);
        awaitReply(lab.client(), "http://" + Installation.ips(service).getFirst() + ":81/");
        assertThat(operator.log()).doesNotContain("Uncaught");
    }

    /** HAProxy is killed: from the last answer before to the first one after. */
    private Duration timeWithoutHaproxy(Service service) {
        try (Until<Load> load = lab.client().loadUntilEnd(url(service))) {
            assertThat(lab.client().get(url(service), 20)).allMatch(Reply::ok);
            haproxy.signalHaproxy("KILL");
            awaitReply(lab.client(), url(service));
            Load done = load.end();
            assertThat(done.failed()).as("it was away").isPositive();
            System.out.printf("HAProxy killed, from one answer to the next: %d ms%n", done.gap());
            return Duration.ofMillis(done.gap());
        }
    }
}
