package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.testing.ControlPlane;
import dev.berth.testing.HelmChart;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Patience;
import dev.berth.testing.RenderedManifests;
import dev.berth.testing.TypedPage;
import dev.berth.testing.TypingShell;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** What docs/operations.md has typed, typed; CommandBlocksTest says which test types what is not here. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@SuppressWarnings("NullAway.Init") // JUnit calls what sets them first
class OperationsPageIT {
    private static final Path PAGE = Path.of("docs/operations.md");
    private static final String IMAGES = "images:\n";
    private static final String NUMBER = "99999999999999";

    @TempDir
    private static Path folder;

    private static ControlPlane cluster;
    private static TypingShell shell;
    private @Nullable OperatorProcess operator;

    @BeforeAll
    static void start() throws IOException {
        cluster = ControlPlane.builder().start();
        shell = TypingShell.in(folder, cluster.adminKubeconfig(), Patience.USUAL);
        installByHelm();
    }

    private static void installByHelm() throws IOException {
        String[] block = TypedPage.block(PAGE, "helm install").split("\n\n", 2);
        Files.writeString(folder.resolve("my-values.yaml"), filledIn(block[1], Map.of()));
        shell.type(block[0]);
        shell.type("kubectl apply -f " + Installation.MANIFESTS + "/load-balancer-class.yaml");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void stopOperator() {
        if (operator != null) {
            operator.close();
        }
    }

    private OperatorProcess startOperator(String... flags) {
        operator = OperatorProcess.start(cluster.serviceAccountKubeconfig("berth-system", "berth"), flags);
        operator.awaitLog("ready after");
        return operator;
    }

    /** Types a block of the page, with what it leaves to the reader. */
    private static String type(String begin, Map<String, String> words) throws IOException {
        return shell.type(filledIn(TypedPage.block(PAGE, begin), words));
    }

    private static String type(String begin) throws IOException {
        return type(begin, Map.of());
    }

    private static String filledIn(String text, Map<String, String> words) {
        String filled = text.replace("<your registry>", "registry.example");
        for (Map.Entry<String, String> word : words.entrySet()) {
            filled = filled.replace("<" + word.getKey() + ">", word.getValue());
        }
        assertThat(filled).doesNotContainPattern("(?m)<[a-z ]+>");
        return filled;
    }

    private static String lines(String... lines) {
        return String.join("\n", lines);
    }

    private static void service() {
        shell.type("kubectl create service loadbalancer web --tcp=80 --dry-run=client -o yaml | kubectl apply -f -");
    }

    /** A Service is gone before the Addresses that it had. */
    private static void delete(String service) {
        shell.type("kubectl delete service " + service + " --timeout=50s");
        await().untilAsserted(() ->
                assertThat(shell.type("kubectl get addresses -o yaml")).doesNotContain("name: " + service + "\n"));
    }

    private static void awaitAddress(String address) {
        shell.type("kubectl wait --for=jsonpath='{.status.loadBalancer.ingress[0].ip}'=" + address
                + " --timeout=50s service/web");
    }

    @Test
    @Order(1)
    void chart_isInstalledAsItsValuesSay() {
        assertThat(shell.type("kubectl -n berth-system get deployment berth -o yaml"))
                .contains("image: registry.example/berth:0.1.0")
                .contains("--migrate-from=metallb");
        assertThat(shell.type("kubectl -n berth-agents get daemonset -o name")).isEqualTo("daemonset.apps/berth-agent");
    }

    @Test
    @Order(1)
    void secondReleaseOfTheChart_isRefused_andTheFirstIsNamed() {
        assertThat(HelmChart.installRefusal(
                        cluster.adminKubeconfig(), "second", "--namespace=two", "--create-namespace"))
                .contains("Berth is on this cluster already, as release berth in namespace berth-system: upgrade that"
                        + " one (helm upgrade berth --namespace berth-system), or uninstall it first");
    }

    @Test
    @Order(2)
    void serviceThatWaits_saysWhy() throws IOException {
        startOperator();
        service();

        await().untilAsserted(() -> assertThat(type("kubectl get service web -o jsonpath="))
                .contains("berth.dev/AddressAssigned False NoPool: there is no AddressPool; create one")
                .contains("AllocationFailed"));
        shell.type(lines(
                "cat <<EOF | kubectl apply -f -",
                "apiVersion: berth.dev/v1alpha1",
                "kind: AddressPool",
                "metadata: {name: example}",
                "spec: {addresses: [192.0.2.0/28]}",
                "EOF"));
        awaitAddress("192.0.2.0");
        assertThat(type("kubectl get service web -o jsonpath='{.status.conditions[?"))
                .as("of a class with provider pool")
                .isEmpty();
    }

    @Test
    @Order(3)
    void backup_bringsTheAddressesBack() throws IOException {
        type("kubectl get addresses -o yaml");
        shell.type("kubectl delete addresses --all");

        assertThat(type("kubectl create -f addresses.yaml")).isEqualTo("address.berth.dev/192.0.2.0 created");

        startOperator();
        shell.type("kubectl create service loadbalancer other --tcp=80");
        shell.type("kubectl wait --for=condition=berth.dev/AddressAssigned --timeout=50s service/other");
        awaitAddress("192.0.2.0");
        delete("other");
    }

    @Test
    @Order(4)
    void exportedReservation_isForTheServiceOfThatName() throws IOException {
        type("java -jar target/quarkus-app/quarkus-run.jar export");
        startOperator();
        delete("web");
        assertThat(shell.type("kubectl get addresses")).isEqualTo("No resources found");

        assertThat(type("kubectl apply -f reservations.yaml")).isEqualTo("address.berth.dev/192.0.2.0 created");

        shell.type("kubectl create service loadbalancer other --tcp=80");
        service();
        awaitAddress("192.0.2.0");
        delete("other");
    }

    @Test
    @Order(5)
    void finalizer_isTakenOffByHand_whereBerthIsGone() throws IOException {
        service();
        shell.type("kubectl patch service web --type=merge"
                + " -p '{\"metadata\":{\"finalizers\":[\"berth.dev/load-balancer-cleanup\"]}}'");
        assertThat(type("kubectl get services --all-namespaces"))
                .isEqualToNormalizingWhitespace("default web [berth.dev/load-balancer-cleanup]");
        shell.type("kubectl delete service web --wait=false");
        assertThat(shell.type("kubectl get service web -o name")).isEqualTo("service/web");

        type("kubectl patch service web");

        assertThat(shell.type("kubectl get service web --ignore-not-found")).isEmpty();
    }

    @Test
    @Order(6)
    void markOfTheClass_isTakenOffByHand() throws IOException {
        shell.type("kubectl create service clusterip web --tcp=80");
        shell.type("kubectl annotate service web berth.dev/served-by-class=gone");

        type("kubectl annotate service web berth.dev/served-by-class-");

        assertThat(shell.type("kubectl get service web -o yaml")).doesNotContain("served-by-class");
        shell.type("kubectl delete service web");
    }

    @Test
    @Order(7)
    void fencingToken_goesOnFromTheNumberThatWasWrittenDown() throws IOException {
        startOperator("--leader-elect");
        assertThat(type("kubectl -n berth-system get lease berth")).contains("berth");

        assertThat(type("kubectl -n berth-system annotate lease berth", Map.of("number", NUMBER)))
                .contains("lease.coordination.k8s.io/berth annotated")
                .contains("deployment.apps/berth restarted");

        stopOperator();
        startOperator("--leader-elect");
        assertThat(token()).isEqualTo(Long.parseLong(NUMBER) + 1);
    }

    @Test
    @Order(8)
    void fencingToken_withoutElection_goesOnFromALeaseMadeByHand() throws IOException {
        shell.type("kubectl -n berth-system delete lease berth");

        type("kubectl apply -f - <<EOF", Map.of("number", NUMBER));

        startOperator();
        assertThat(token()).isEqualTo(Long.parseLong(NUMBER) + 1);
    }

    private static long token() {
        return Long.parseLong(
                shell.type(
                        "kubectl -n berth-system get lease berth -o jsonpath='{.metadata.annotations.berth\\.dev/fencing-token}'"));
    }

    @Test
    @Order(9)
    void whoIsToLook_mayLookAtKinds_andChangesNone() throws IOException {
        type("kubectl create clusterrolebinding", Map.of("name", "lookers", "user", "jane"));

        assertThat(shell.type("kubectl auth can-i list addresspools --as=jane")).endsWith("yes");
        assertThat(shell.type("kubectl auth can-i patch addresspools --as=jane || true"))
                .endsWith("no");
    }

    @Test
    @Order(10)
    void serviceRange_isAddedByHand() throws IOException {
        assertThat(type("kubectl create -f - <<'EOF'")).isEqualTo("servicecidr.networking.k8s.io/more created");
    }

    @Test
    @Order(11)
    void poolOfTheReadme_isTaken() throws IOException {
        String pool = TypedPage.block(Path.of("README.md"), "apiVersion: berth.dev/v1alpha1");

        assertThat(shell.type(lines("cat <<EOF | kubectl apply --dry-run=server -f -", pool, "EOF")))
                .startsWith("addresspool.berth.dev/example ");
    }

    @Test
    @Order(12)
    void kustomizations_renderAsThePageWritesThem(@TempDir Path own) throws IOException {
        String path = own.toRealPath().relativize(Path.of("").toRealPath()).toString();
        String sidecar = TypedPage.block(PAGE, "components:");
        int images = sidecar.indexOf(IMAGES);
        String file = TypedPage.block(PAGE, "# kustomization.yaml").stripTrailing()
                + "\n" + sidecar.substring(images + IMAGES.length())
                + "\n" + sidecar.substring(0, images)
                + "  - <path to>/src/main/kubernetes/components/network-policy\n"
                + TypedPage.block(PAGE, "patches:") + "\n";

        RenderedManifests rendered = RenderedManifests.ofKustomization(own, filledIn(file, Map.of("path to", path)));

        assertThat(rendered.all(Deployment.class))
                .flatExtracting(deployment ->
                        deployment.getSpec().getTemplate().getSpec().getContainers())
                .extracting(container -> container.getImage())
                .containsExactlyInAnyOrderElementsOf(
                        List.of("registry.example/berth:0.1.0", "registry.example/my-plugin:1"));
        assertThat(rendered.all(NetworkPolicy.class))
                .flatExtracting(policy -> policy.getSpec().getEgress())
                .flatExtracting(rule -> rule.getPorts())
                .extracting(port -> port.getPort().getIntVal())
                .contains(16443);
    }

    @Test
    @Order(13)
    void chart_isUpgraded_andRemoved() throws IOException {
        assertThat(type("helm upgrade")).contains("REVISION: 2");
        assertThat(shell.type("helm get values berth --namespace berth-system")).contains("registry.example/berth");

        assertThat(type("helm uninstall")).contains("release \"berth\" uninstalled");

        assertThat(shell.type("kubectl get crds -l app.kubernetes.io/part-of=berth -o name")
                        .lines())
                .hasSize(7);
        assertThat(shell.type("kubectl -n berth-system get deployments")).contains("No resources found");
    }
}
