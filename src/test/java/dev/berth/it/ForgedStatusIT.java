package dev.berth.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What those who may write a Service's status, or a selector of any length, take by it: nothing. */
@ExtendWith(SharedInstallation.class)
class ForgedStatusIT {
    private static final String ANYTHING = "203.0.113.99";
    private static final String CLOSED = "198.51.100.1";
    private static final String API_SERVER = "10.96.0.1";

    @TempDir
    private Path directory;

    private ControlPlane controlPlane;
    private BerthOnCluster berth;

    @BeforeEach
    void install(Installation shared) {
        // What is there before the start must be untouched until then.
        shared.stopOperator();
        controlPlane = shared.controlPlane();
        berth = BerthOnCluster.on(shared);
    }

    @AfterEach
    void stop() {
        berth.close();
    }

    private String published(String service) {
        return controlPlane.kubectl(
                "get", "service", service, "--output=jsonpath={.status.loadBalancer.ingress[*].ip}");
    }

    private List<String> addresses() {
        return controlPlane.kubectl("get", "addresses", "--output=name").lines().toList();
    }

    /** As one may who can patch the status of Services in a namespace. */
    private void forge(String service, String ip) {
        controlPlane.kubectl(
                "patch",
                "service",
                service,
                "--subresource=status",
                "--type=merge",
                "--patch={\"metadata\":{\"finalizers\":[\"berth.dev/load-balancer-cleanup\"]},\"status\":{"
                        + "\"loadBalancer\":{\"ingress\":[{\"ip\":\"" + ip + "\"}]},"
                        + "\"conditions\":[{\"type\":\"berth.dev/AddressAssigned\",\"status\":\"True\","
                        + "\"reason\":\"Assigned\",\"message\":\"forged\","
                        + "\"lastTransitionTime\":\"1970-01-01T00:00:00Z\"}]}}");
    }

    @Test
    void statusTakesNoAddress_andAClaimThatIsRefusedHoldsUpNobody() {
        berth.createPool("edge", "192.0.2.0/30");
        berth.createPool("closed", CLOSED);
        controlPlane.kubectl(
                "patch", "addresspool", "closed", "--type=merge", "--patch={\"spec\":{\"autoAssign\":false}}");
        for (String service : List.of("anything", "closed", "api-server")) {
            berth.createService(service);
        }
        forge("anything", ANYTHING);
        forge("closed", CLOSED);
        forge("api-server", API_SERVER);

        berth.startOperator();

        berth.awaitAsserted(
                cluster -> assertThat(List.of(published("anything"), published("closed"), published("api-server")))
                        .allSatisfy(ip -> assertThat(ip).startsWith("192.0.2.")));
        assertThat(addresses())
                .hasSize(3)
                .allSatisfy(name -> assertThat(name).startsWith("address.berth.dev/192.0.2."));

        denyAddressesOf("denied");
        applyService("last-but-one");
        berth.awaitAddress("last-but-one");
        for (String service : List.of("denied-1", "denied-2", "behind")) {
            applyService(service);
            berth.awaitAsserted(
                    cluster -> assertThat(cluster.addressAssigned(service)).contains("PoolExhausted"));
        }
        controlPlane.kubectl("delete", "service", "last-but-one", "anything");

        assertThat(berth.awaitAddress("behind")).startsWith("192.0.2.");
        berth.awaitAsserted(cluster -> assertThat(List.of("denied-1", "denied-2"))
                .allSatisfy(
                        service -> assertThat(cluster.addressAssigned(service)).startsWith("False ClaimFailed: ")));
        applyService("late");
        assertThat(berth.awaitAddress("late")).as("one address is free yet").startsWith("192.0.2.");
    }

    private void applyService(String name) {
        apply("""
            apiVersion: v1
            kind: Service
            metadata: {name: %s}
            spec:
              type: LoadBalancer
              ports:
              - port: 80
            """.formatted(name));
    }

    /** As a webhook does, or an administrator's policy. */
    private void denyAddressesOf(String prefix) {
        apply("""
            apiVersion: admissionregistration.k8s.io/v1
            kind: ValidatingAdmissionPolicy
            metadata: {name: deny-one}
            spec:
              failurePolicy: Fail
              matchConstraints:
                resourceRules:
                - apiGroups: [berth.dev]
                  apiVersions: ['*']
                  operations: [CREATE]
                  resources: [addresses]
              validations:
              - expression: "!has(object.spec.claims) || object.spec.claims.all(c, !c.name.startsWith('%s'))"
            ---
            apiVersion: admissionregistration.k8s.io/v1
            kind: ValidatingAdmissionPolicyBinding
            metadata: {name: deny-one}
            spec: {policyName: deny-one, validationActions: [Deny]}
            """.formatted(prefix));
        String probe =
                "{\"apiVersion\":\"berth.dev/v1alpha1\",\"kind\":\"Address\",\"metadata\":{\"name\":\"192.0.2.77\"},"
                        + "\"spec\":{\"address\":\"192.0.2.77\",\"claims\":[{\"namespace\":\"default\",\"name\":\""
                        + prefix
                        + "\"}]}}";
        Awaitility.await().until(() -> isDenied(probe));
    }

    private void apply(String yaml) {
        try {
            controlPlane.kubectl(
                    "apply",
                    "--filename=" + Files.writeString(Files.createTempFile(directory, "object-", ".yaml"), yaml));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private boolean isDenied(String object) {
        try {
            berth.client()
                    .load(new ByteArrayInputStream(object.getBytes(UTF_8)))
                    .dryRun(true)
                    .create();
            return false;
        } catch (KubernetesClientException denied) {
            return denied.getCode() == 422;
        }
    }
}
