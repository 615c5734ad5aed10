package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.BerthCommand;
import dev.berth.testing.ControlPlane;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code berth create-service} on a real API server. */
class CreateServiceIT {
    private static ControlPlane cluster;

    @BeforeAll
    static void start() {
        cluster = ControlPlane.builder()
                .serviceCidrs("10.96.0.0/24", "fd00:10:96::/112")
                .start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    /** Of a Service in the default namespace; its spec begins like this. */
    private static BerthCommand create(String name, String spec, String... flags) {
        List<String> arguments =
                new ArrayList<>(List.of("create-service", "-f", "-", "--kubeconfig=" + cluster.adminKubeconfig()));
        arguments.addAll(List.of(flags));
        return BerthCommand.runWith("""
                apiVersion: v1
                kind: Service
                metadata: {name: %s}
                spec: {%s ports: [{port: 80}]}
                """.formatted(name, spec), arguments.toArray(String[]::new));
    }

    private static BerthCommand created(String text) {
        return new BerthCommand(0, "service/" + text + "\n", "");
    }

    private static BerthCommand refused(String text) {
        return new BerthCommand(1, "", "berth: " + text + "\n");
    }

    private static List<String> clusterIps(String name) {
        return cluster.adminClient()
                .services()
                .inNamespace("default")
                .withName(name)
                .get()
                .getSpec()
                .getClusterIPs();
    }

    private static void reserve(String ip, String name) {
        cluster.adminClient().resource("""
                apiVersion: networking.k8s.io/v1
                kind: IPAddress
                metadata:
                  name: %s
                  labels: {ipaddress.kubernetes.io/managed-by: berth.dev}
                spec: {parentRef: {resource: services, namespace: default, name: %s}}
                """.formatted(ip, name)).create();
    }

    private static String owner(String ip) {
        return cluster.adminClient()
                .resources(IPAddress.class)
                .withName(ip)
                .get()
                .getSpec()
                .getParentRef()
                .getName();
    }

    @Test
    void startedAtOnce_allSucceed_withStaticAddressesOfTheirOwn() {
        List<BerthCommand> all;
        try (ExecutorService atOnce = Executors.newVirtualThreadPerTaskExecutor()) {
            all = IntStream.range(0, 3)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> create("race-" + i, ""), atOnce))
                    .toList()
                    .stream()
                    .map(CompletableFuture::join)
                    .toList();
        }

        assertThat(all)
                .allSatisfy(command ->
                        assertThat(command.exitCode()).as(command.err()).isZero());
        assertThat(IntStream.range(0, 3).mapToObj(i -> clusterIps("race-" + i)))
                .doesNotHaveDuplicates()
                .allSatisfy(ips -> assertThat(ips).singleElement().asString().matches("10\\.96\\.0\\.([1-9]|1[0-6])"));
    }

    @Test
    void dualStack_getsAnAddressOfEachFamily_namedOrNot() {
        assertThat(create("both", "ipFamilyPolicy: RequireDualStack,", "--address=fd00:10:96::a1,10.96.0.201"))
                .isEqualTo(created("both created with fd00:10:96::a1, 10.96.0.201"));
        BerthCommand any = create("both-any", "ipFamilyPolicy: RequireDualStack, ipFamilies: [IPv6, IPv4],");
        assertThat(any.exitCode()).as(any.err()).isZero();
        assertThat(any.out()).matches("service/both-any created with fd00:10:96::\\w+, 10\\.96\\.0\\.\\d+\n");
        assertThat(clusterIps("both-any")).hasSize(2);
    }

    @Test
    void addressOfTheManifest_isTheServices() {
        assertThat(create("named", "clusterIP: 10.96.0.202,")).isEqualTo(created("named created with 10.96.0.202"));
    }

    @Test
    void addressThatIsTaken_andServiceThatExists_areRefusedInOneLine() {
        assertThat(create("first", "", "--address=10.96.0.203")).isEqualTo(created("first created with 10.96.0.203"));

        assertThat(create("second", "", "--address=10.96.0.203"))
                .isEqualTo(refused("creating Service default/second: 10.96.0.203 is taken by Service default/first;"
                        + " name another address, or none"));
        assertThat(create("first", ""))
                .isEqualTo(refused("creating Service default/first: it exists already, with 10.96.0.203;"
                        + " a Service's cluster IP cannot be changed: delete it first, or leave it"));
    }

    @Test
    void reservation_isHandedOver_toItsServiceAlone() {
        reserve("10.96.0.204", "heir");

        assertThat(create("stranger", "", "--address=10.96.0.204"))
                .isEqualTo(refused("creating Service default/stranger: 10.96.0.204 is kept for Service default/heir by"
                        + " a ServiceCIDRPolicy; name another address, or none"));
        assertThat(owner("10.96.0.204")).isEqualTo("heir");

        assertThat(create("heir", "")).isEqualTo(created("heir created with 10.96.0.204"));
        assertThat(clusterIps("heir")).containsExactly("10.96.0.204");
    }

    @Test
    void serviceThatTheApiServerRefuses_costsNoReservation() {
        reserve("10.96.0.205", "wrong");

        BerthCommand refused = create("wrong", "sessionAffinity: Sometimes,");

        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err())
                .startsWith("berth: creating Service default/wrong: ")
                .contains("sessionAffinity");
        assertThat(cluster.adminClient()
                        .resources(IPAddress.class)
                        .withName("10.96.0.205")
                        .get()
                        .getMetadata()
                        .getLabels())
                .containsEntry("ipaddress.kubernetes.io/managed-by", "berth.dev");
    }

    @Test
    void fieldThatNobodyKnows_isRefused_notLeftOut() {
        reserve("10.96.0.206", "misspelt-kept");

        assertThat(create("misspelt", "selectr: {app: web},"))
                .isEqualTo(refused("creating Service default/misspelt: Service in version \"v1\" cannot be handled as a"
                        + " Service: strict decoding error: unknown field \"spec.selectr\""));
        assertThat(create("misspelt-kept", "selectr: {app: web},").err())
                .contains("unknown field \"spec.selectr\"")
                .doesNotContain("Its reservation was deleted");
        assertThat(owner("10.96.0.206")).isEqualTo("misspelt-kept");
    }

    @Test
    void whatIsNoService_isRefusedInOneLine() {
        BerthCommand none = BerthCommand.runWith(
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: none}\n",
                "create-service",
                "-f",
                "-",
                "--kubeconfig=" + cluster.adminKubeconfig());

        assertThat(none).isEqualTo(refused("reading -: it has to be the manifest of one Service with a name"));
        assertThat(create("headless", "clusterIP: None,").err()).contains("one without a cluster IP");
    }
}
