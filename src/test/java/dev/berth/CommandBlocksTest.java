package dev.berth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.TypedPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each block of code of the first pages is executed by a test, or it says here why not. */
class CommandBlocksTest {
    private static final String README = "README.md";
    private static final String QUICK_START = "docs/quick-start.md";
    private static final String OPERATIONS = "docs/operations.md";

    /**
     * A block.
     *
     * @param begin of its first line
     * @param test that types it, in src/test/java/dev/berth; empty: none does
     * @param why the words by which the test names the block or its page; or why no test types it
     */
    private record Row(String page, String begin, String test, String why) {
        static Row typed(String page, String begin, String test, String words) {
            return new Row(page, begin, test, words);
        }

        static Row not(String page, String begin, String why) {
            return new Row(page, begin, "", why);
        }
    }

    private static final List<Row> ROWS = List.of(
            Row.not(README, "AddressPool 192.0.2.0/28", "a picture"),
            Row.typed(README, "make demo", "demo/DemoIT", "make demo"),
            Row.typed(README, "$ kubectl get services", "PrintedTextTest", "README.md"),
            Row.not(README, "make image IMAGE=", "needs a registry; lab/PodsIT builds, loads and installs the image"),
            Row.typed(README, "apiVersion: berth.dev/v1alpha1", "it/OperationsPageIT", "README.md"),
            Row.not(QUICK_START, "make run", "make demo, which stays up"),
            Row.typed(QUICK_START, "sudo make lab", "lab/PlaygroundIT", "make lab"),
            Row.typed(QUICK_START, "$ mkdir my-berth", "lab/PodsIT", QUICK_START),
            Row.typed(QUICK_START, "helm install", "it/OperationsPageIT", "helm install"),
            Row.typed(QUICK_START, "$ cat > my-pool.yaml", "lab/PodsIT", QUICK_START),
            Row.typed(QUICK_START, "$ kubectl wait --for=condition=Ready", "lab/PodsIT", QUICK_START),
            Row.not(QUICK_START, "kubectl create deployment web", "its image is in a registry"),
            Row.typed(QUICK_START, "$ kubectl apply -f docs/examples", "lab/PodsIT", QUICK_START),
            Row.not(OPERATIONS, "make image IMAGE=", "needs a registry; lab/PodsIT builds and loads the image"),
            operations("# kustomization.yaml"),
            Row.not(OPERATIONS, "docker run", "needs docker and an image in it; it/AuditIT runs the command"),
            operations("helm install"),
            Row.not(OPERATIONS, "java -jar target/quarkus-app/quarkus-run.jar operator [flags]", "a synopsis"),
            Row.not(OPERATIONS, "# lb.grpc.properties", "settings, not a command; it/GrpcPluginIT writes such a file"),
            operations("components:"),
            Row.not(OPERATIONS, "java -jar target/quarkus-app/quarkus-run.jar provider-host", "a synopsis"),
            operations("kubectl -n berth-system get lease berth"),
            operations("kubectl -n berth-system annotate lease berth"),
            operations("kubectl apply -f - <<EOF"),
            operations("kubectl create clusterrolebinding"),
            operations("patches:"),
            Row.typed(OPERATIONS, "kubectl apply -k <your folder>", "lab/PodsIT", "kubectl apply -k own"),
            operations("helm upgrade"),
            operations("java -jar target/quarkus-app/quarkus-run.jar export"),
            operations("kubectl apply -f reservations.yaml"),
            operations("kubectl get addresses -o yaml"),
            operations("kubectl create -f addresses.yaml"),
            operations("kubectl get services --all-namespaces"),
            Row.typed(OPERATIONS, "kubectl delete -k <your folder>", "lab/PodsIT", "kubectl delete -k own"),
            operations("helm uninstall"),
            Row.typed(
                    OPERATIONS,
                    "kubectl delete --ignore-not-found",
                    "it/RemovalIT",
                    "kubectl delete --ignore-not-found"),
            Row.typed(OPERATIONS, "$ kubectl get crds,namespaces", "it/RemovalIT", "kubectl get crds,namespaces"),
            operations("kubectl patch service web"),
            operations("kubectl get service web -o jsonpath="),
            Row.typed(OPERATIONS, "$ java -jar target/quarkus-app/quarkus-run.jar status", "it/UnservedIT", OPERATIONS),
            operations("kubectl get service web -o jsonpath='{.status.conditions[?"),
            operations("kubectl annotate service web berth.dev/served-by-class-"),
            operations("kubectl create -f - <<'EOF'"));

    private static Row operations(String begin) {
        return Row.typed(OPERATIONS, begin, "it/OperationsPageIT", "\"" + begin);
    }

    @Test
    void eachBlock_hasItsRow_andEachRowItsBlock() throws IOException {
        for (String page : List.of(README, QUICK_START, OPERATIONS)) {
            List<Row> rows = new ArrayList<>(
                    ROWS.stream().filter(row -> row.page().equals(page)).toList());
            for (TypedPage.Block block : TypedPage.blocks(Path.of(page))) {
                assertThat(rows)
                        .as("%s:%d: %s", page, block.line(), block.firstLine())
                        .isNotEmpty();
                assertThat(block.firstLine())
                        .as("%s:%d", page, block.line())
                        .startsWith(rows.removeFirst().begin());
            }
            assertThat(rows).as(page).isEmpty();
        }
    }

    @Test
    void eachTest_namesWhatItTypes() throws IOException {
        for (Row row : ROWS) {
            if (!row.test().isEmpty()) {
                assertThat(Files.readString(Path.of("src/test/java/dev/berth/" + row.test() + ".java")))
                        .as("%s of %s: %s", row.test(), row.page(), row.begin())
                        .contains(row.why());
            }
        }
    }
}
