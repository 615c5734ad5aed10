package dev.berth.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LoadBalancerIngressBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the launcher of the control plane promises; most rules share one control plane. */
class ControlPlaneIT {
    private static ControlPlane shared;
    private static ControlPlane ipv6;
    private static KubernetesClient admin;

    @BeforeAll
    static void startShared() {
        shared = ControlPlane.builder()
                .withAuditLog()
                .controllerManager(
                        "service-cidr-controller",
                        "endpointslice-controller",
                        "garbage-collector-controller",
                        "namespace-controller",
                        "serviceaccount-controller")
                .start();
        admin = shared.adminClient();
        ipv6 = ControlPlane.builder()
                .serviceCidrs("fd00:10:97::/108")
                .apiServerFlag("--feature-gates=WatchList=false")
                .start();
    }

    @AfterAll
    static void stopShared() {
        Stream.of(ipv6, shared).filter(Objects::nonNull).forEach(ControlPlane::close);
    }

    @Test
    void dualStack_givesBothFamilies() {
        Service service = create(admin, "dual", "RequireDualStack");
        assertThat(service.getSpec().getClusterIPs())
                .satisfiesExactly(
                        v4 -> assertThat(v4).startsWith("10.96."),
                        v6 -> assertThat(v6).startsWith("fd00:10:96::"));
    }

    @Test
    void singleStackIpv6_givesIpv6ClusterIps() {
        assertThat(create(ipv6.adminClient(), "v6", "PreferDualStack").getSpec().getClusterIPs())
                .singleElement()
                .asString()
                .startsWith("fd00:10:97::");
    }

    @Test
    void singleStackIpv4_givesIpv4ClusterIps() {
        try (ControlPlane ipv4 =
                ControlPlane.builder().serviceCidrs("10.98.0.0/16").start()) {
            assertThat(create(ipv4.adminClient(), "v4", "PreferDualStack")
                            .getSpec()
                            .getClusterIPs())
                    .singleElement()
                    .asString()
                    .startsWith("10.98.");
        }
    }

    @Test
    void twoControlPlanes_runSideBySide() {
        create(ipv6.adminClient(), "only-there", "SingleStack");
        assertThat(ipv6.url()).isNotEqualTo(shared.url());
        assertThat(admin.services()
                        .inNamespace("default")
                        .withName("only-there")
                        .get())
                .isNull();
    }

    @Test
    void anyFlag_reachesTheApiServer() {
        assertThat(ipv6.kubectl("get", "--raw=/metrics"))
                .contains("kubernetes_feature_enabled{name=\"WatchList\",stage=\"BETA\"} 0");
    }

    @Test
    void serviceAccountToken_isBoundByRbac() {
        shared.kubectl("create", "serviceaccount", "reader", "--namespace=default");
        shared.kubectl("create", "role", "reader", "--verb=list", "--resource=services", "--namespace=default");
        shared.kubectl(
                "create",
                "rolebinding",
                "reader",
                "--role=reader",
                "--serviceaccount=default:reader",
                "--namespace=default");
        try (KubernetesClient reader = shared.clientFor(shared.serviceAccountKubeconfig("default", "reader"))) {
            await().ignoreExceptionsInstanceOf(KubernetesClientException.class)
                    .until(() -> !reader.services()
                            .inNamespace("default")
                            .list()
                            .getItems()
                            .isEmpty());
            assertThatThrownBy(() -> reader.secrets().inNamespace("default").list())
                    .isInstanceOfSatisfying(
                            KubernetesClientException.class,
                            e -> assertThat(e.getCode()).isEqualTo(403));
        }
    }

    @Test
    void controllerManager_setsReadyOnServiceCidr() {
        await().until(() -> shared.kubectl(
                        "get",
                        "servicecidr",
                        "kubernetes",
                        "--output=jsonpath={.status.conditions[?(@.type=='Ready')].status}")
                .equals("True"));
    }

    @Test
    void auditLog_countsWrites() {
        Service service = create(admin, "audited", "SingleStack");
        admin.resource(service).dryRun(true).delete();
        admin.resource(service).delete();
        await().untilAsserted(() -> assertThat(shared.auditEvents())
                .filteredOn(event -> event.isWrite()
                        && event.user().equals("berth-admin")
                        && event.resource().equals("services")
                        && event.name().equals("audited"))
                .extracting(AuditEvent::verb, AuditEvent::namespace, AuditEvent::succeeded)
                .containsExactly(tuple("create", "default", true), tuple("delete", "default", true)));
        assertThat(shared.auditEvents())
                .filteredOn(event -> event.dryRun() && event.name().equals("audited"))
                .singleElement()
                .satisfies(event -> assertThat(event.verb()).isEqualTo("delete"));
    }

    @Test
    void kubectl_thatFails_throwsWithItsErrors() {
        assertThatThrownBy(() -> shared.kubectl("get", "service", "nowhere"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("\"nowhere\" not found");
    }

    @Test
    void flagWithoutAValue_isRefused() {
        assertThatThrownBy(() -> ControlPlane.builder().apiServerFlag("--profiling"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--name=value");
    }

    @Test
    void processThatDies_isReportedWithItsLog() {
        assertThatThrownBy(() -> ControlPlane.builder()
                        .apiServerFlag("--no-such-flag=true")
                        .start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("kube-apiserver exited with code 1")
                .hasMessageContaining("unknown flag: --no-such-flag");
    }

    @Test
    void kubernetes1_29_runsWithItsGateOff_andDropsIpMode_untilARestartSwitchesItOn() {
        try (ControlPlane gated = ControlPlane.builder()
                .version(KubeBinaries.GATED_KUBERNETES)
                .apiServerFlag("--feature-gates=LoadBalancerIPMode=false")
                .start()) {
            String url = gated.url();
            create(gated.adminClient(), "mode", "SingleStack");
            assertThat(setIpMode(gated, "mode")).isNull();
            gated.stopApiServer();
            gated.startApiServer("--feature-gates=LoadBalancerIPMode=true");
            assertThat(gated.url()).isEqualTo(url);
            assertThat(setIpMode(gated, "mode")).isEqualTo("Proxy");
        }
    }

    @Test
    void killedJvm_leavesNoProcess_andTheNextStartRemovesItsFiles(@TempDir Path temporary)
            throws IOException, InterruptedException {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + temporary,
                        "-cp",
                        System.getProperty("java.class.path"),
                        StartsOneAndWaits.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<ProcessHandle> children = new ArrayList<>();
        try (BufferedReader lines = jvm.inputReader()) {
            lines.lines()
                    .filter(line -> line.startsWith("pid "))
                    .limit(2)
                    .map(line ->
                            ProcessHandle.of(Long.parseLong(line.substring(4))).orElseThrow())
                    .forEach(children::add);
            assertThat(children).hasSize(2).allMatch(ProcessHandle::isAlive);
        } finally {
            jvm.destroyForcibly().waitFor();
        }
        await().untilAsserted(() -> assertThat(children).noneMatch(ProcessHandle::isAlive));

        assertThat(temporary).isNotEmptyDirectory();
        OwnedDirectory.removeStale(temporary);
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void closedClient_leavesNoThreadThatKeepsTheJvm() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        try (KubernetesClient client = shared.clientFor(shared.adminKubeconfig())) {
            assertThat(client.getKubernetesVersion().getMinor()).isEqualTo("36");
        }
        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().startsWith("vert.x") && !before.contains(thread))
                .allMatch(Thread::isDaemon));
    }

    @Test
    void keptDirectory_holdsTheLogs_ofAFailedStartToo(@TempDir Path temporary) {
        Path kept = temporary.resolve("kept");
        assertThatThrownBy(() -> ControlPlane.builder()
                        .apiServerFlag("--no-such-flag=true")
                        .keepDirectory(kept)
                        .start())
                .isInstanceOf(IllegalStateException.class);
        assertThat(kept.resolve("kube-apiserver.log")).content().contains("--no-such-flag");
        assertThat(kept.resolve("admin.kubeconfig")).isNotEmptyFile();
    }

    static final class StartsOneAndWaits {
        private StartsOneAndWaits() {}

        public static void main(String... arguments) throws InterruptedException {
            ControlPlane controlPlane = ControlPlane.builder().start();
            System.out.println("pid " + controlPlane.process("etcd").pid());
            System.out.println("pid " + controlPlane.process("kube-apiserver").pid());
            Thread.sleep(Duration.ofMinutes(5));
        }
    }

    private static Service create(KubernetesClient client, String name, String families) {
        return client.resource(new ServiceBuilder()
                        .withNewMetadata()
                        .withNamespace("default")
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withType("LoadBalancer")
                        .withIpFamilyPolicy(families)
                        .addNewPort()
                        .withPort(80)
                        .withTargetPort(new IntOrString(8080))
                        .endPort()
                        .endSpec()
                        .build())
                .create();
    }

    /** The ipMode that the server has kept, null when it dropped it. */
    private static @Nullable String setIpMode(ControlPlane controlPlane, String service) {
        return controlPlane
                .adminClient()
                .services()
                .inNamespace("default")
                .withName(service)
                .editStatus(current -> new ServiceBuilder(current)
                        .editOrNewStatus()
                        .withNewLoadBalancer()
                        .withIngress(new LoadBalancerIngressBuilder()
                                .withIp("192.0.2.1")
                                .withIpMode("Proxy")
                                .build())
                        .endLoadBalancer()
                        .endStatus()
                        .build())
                .getStatus()
                .getLoadBalancer()
                .getIngress()
                .getFirst()
                .getIpMode();
    }
}
