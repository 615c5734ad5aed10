package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Patience;
import dev.berth.testing.SharedInstallation;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Somebody installs Berth beside another, or on kinds of an older one: it ends with one line that says what to change. */
@ExtendWith(SharedInstallation.class)
@SuppressWarnings("NullAway.Init") // JUnit calls what sets them first
class InstallationMistakesIT {
    private static ControlPlane cluster;
    private static Path kubeconfig;

    @BeforeAll
    static void borrow(Installation shared) {
        shared.stopOperator();
        cluster = shared.controlPlane();
        kubeconfig = shared.kubeconfig();
    }

    @Test
    void kindOfAnOlderBerth_endsTheOperator_andNoLongerOnceItIsBroughtUpToDate() {
        cluster.kubectl(
                "patch",
                "crd",
                "addresses.berth.dev",
                "--type=json",
                "--patch=[{\"op\":\"remove\",\"path\":\"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/retain\"}]");

        endsWith("berth: CustomResourceDefinition addresses.berth.dev is from an older version of Berth: field"
                + " spec.retain is missing; apply this version's manifests, which include the CRDs (with"
                + " Helm: upgrade with crds.enabled=true, or apply crds/)");

        cluster.kubectl("apply", "-k", "crds");
        try (OperatorProcess operator = OperatorProcess.start(kubeconfig)) {
            operator.awaitLog("ready after");
        }
        // With the labels of the manifests, too: the next class has this cluster.
        Installation.applyManifests(cluster, Installation.MANIFESTS);
    }

    @Test
    void secondBerthOfOneControllerName_ends_andOneOfItsOwnNameStarts() {
        cluster.kubectl("create", "namespace", "second");
        try (OperatorProcess first = OperatorProcess.start(kubeconfig, "--leader-elect")) {
            first.awaitLog("ready after");

            endsWith(
                    "berth: another Berth serves this cluster: it leads by Lease berth-system/berth, and has the"
                            + " controller name berth.dev/controller, too; remove one of the two, or give this one a"
                            + " --controller-name of its own (docs/operations.md, \"Limits\")",
                    "--leader-elect",
                    "--leader-elect-namespace=second");
            try (OperatorProcess replica = OperatorProcess.start(kubeconfig, "--leader-elect")) {
                replica.awaitLog("leads");
            }
            try (OperatorProcess other = OperatorProcess.start(
                    kubeconfig, "--leader-elect-namespace=second", "--controller-name=example.com/second")) {
                other.awaitLog("ready after");
            }
        }
        // The Lease was handed over: whoever comes now is the only one.
        try (OperatorProcess next = OperatorProcess.start(kubeconfig, "--leader-elect-namespace=second")) {
            next.awaitLog("ready after");
        }
    }

    private static void endsWith(String line, String... flags) {
        try (OperatorProcess operator = OperatorProcess.start(kubeconfig, flags)) {
            assertThat(operator.exitCode(Patience.USUAL)).as(operator.log()).isEqualTo(1);
            assertThat(operator.log().strip()).isEqualTo(line);
        }
    }
}
