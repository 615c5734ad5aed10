package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.SharedInstallation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** No object that an API server accepts keeps Berth from starting, or from serving everybody else. */
@ExtendWith(SharedInstallation.class)
class HostileObjectsIT {
    private static final String CLASS = "berth.dev/pool";

    private static final String ODD_STATUS = "{\"status\":{\"loadBalancer\":{\"ingress\":[{\"ip\":\"198.51.100.99\","
            + "\"ports\":[{\"port\":80,\"protocol\":\"\"},{\"port\":81,\"protocol\":\"QUIC\"}]}]}}}";

    private static final String POOL = """
            apiVersion: berth.dev/v1alpha1
            kind: AddressPool
            metadata: {name: %s}
            spec: {addresses: [%s], %s}
            """;

    private static final String ACCEPTED = "--output=jsonpath={range .status.conditions[?(@.type==\"Accepted\")]}"
            + "{.status} {.reason}: {.message}{end}";

    private ControlPlane cluster;
    private BerthOnCluster berth;

    @TempDir
    private Path directory;

    @BeforeEach
    void install(Installation shared) {
        // What is there before the start must be untouched until then.
        shared.stopOperator();
        cluster = shared.controlPlane();
        berth = BerthOnCluster.on(shared);
        berth.createPool("edge", "192.0.2.0/28");
    }

    @AfterEach
    void stop() {
        berth.close();
    }

    private void apply(String yaml) throws IOException {
        cluster.kubectl(
                "apply", "--filename=" + Files.writeString(Files.createTempFile(directory, "object-", ".yaml"), yaml));
    }

    /** As a laxer CustomResourceDefinition does. */
    private void letIn(String kind, String... fields) {
        String patch = Stream.of(fields)
                .map(
                        ("{\"op\":\"replace\",\"path\":\"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/%s\","
                                        + "\"value\":{\"x-kubernetes-preserve-unknown-fields\":true}}")::formatted)
                .collect(Collectors.joining(","));
        cluster.kubectl("patch", "crd", kind + ".berth.dev", "--type=json", "--patch=[" + patch + "]");
    }

    /** The API server takes a moment to go by another schema. */
    private void awaitApplied(String yaml) {
        berth.awaitAsserted(seen -> assertThatCode(() -> apply(yaml)).doesNotThrowAnyException());
    }

    private void patchStatus(String service) {
        cluster.kubectl("patch", "service", service, "--subresource=status", "--type=merge", "--patch=" + ODD_STATUS);
    }

    private String valid(String pool) {
        return Optional.ofNullable(berth.pool(pool))
                .flatMap(found -> Optional.ofNullable(found.getStatus()))
                .map(status -> BerthOnCluster.condition(status.conditions(), "Valid"))
                .orElse("");
    }

    @Test
    void schema_refusesNumbersOutOfRange() {
        for (String number : new String[] {"5000000000", "-5"}) {
            assertThatThrownBy(() -> apply(POOL.formatted(
                            "limits",
                            "198.51.100.1",
                            "quota: {namespaces: [{namespace: team, addresses: %s}]}".formatted(number))))
                    .hasMessageContaining("spec.quota.namespaces[0].addresses")
                    .hasMessageContaining("should be");
        }
    }

    @Test
    void whatAnybodyMayWrite_andWhatALaxerSchemaLetIn_stopsNobody() throws IOException {
        berth.createService("odd", "example.com/other", UnaryOperator.identity());
        berth.createService("odd-too", CLASS, UnaryOperator.identity());
        patchStatus("odd");
        patchStatus("odd-too");
        // The API server writes the uid of an owner into the name of a managed field.
        apply("""
                apiVersion: v1
                kind: Service
                metadata:
                  name: owned
                  namespace: default
                  ownerReferences: [{apiVersion: example.org/v1, kind: Nobody, name: nobody, uid: %s}]
                spec: {ports: [{port: 80}]}
                """.formatted("u".repeat(60_000)));
        apply("""
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: none, namespace: default, labels: {kubernetes.io/service-name: kubernetes}}
                addressType: IPv4
                """);
        letIn("addresspools", "quota", "serviceSelector");
        letIn("loadbalancerclasses", "ipMode");
        letIn("addresses", "retain");
        awaitApplied(POOL.formatted(
                "limits",
                "198.51.100.1",
                "quota: {namespaces: [{namespace: team, addresses: 5000000000}, {namespace: other, addresses: -5}]}"));
        awaitApplied("""
                apiVersion: berth.dev/v1alpha1
                kind: LoadBalancerClass
                metadata: {name: odd}
                spec: {loadBalancerClass: berth.dev/odd, provider: pool, ipMode: [VIP]}
                """);
        awaitApplied("""
                apiVersion: berth.dev/v1alpha1
                kind: Address
                metadata: {name: 192.0.2.1}
                spec: {address: 192.0.2.1, retain: [yes], claims: []}
                """);
        apply(POOL.formatted("selects", "203.0.113.1", "priority: 1, serviceSelector: {matchLabels: [x]}"));

        OperatorProcess operator = berth.startOperator();
        berth.createService("web", CLASS, UnaryOperator.identity());

        assertThat(berth.awaitAddress("web")).startsWith("192.0.2.").isNotEqualTo("192.0.2.1");
        berth.awaitAsserted(seen -> {
            assertThat(valid("limits"))
                    .isEqualTo(
                            "False Unreadable: spec.quota.namespaces[0].addresses is 5000000000, which is out of range, and"
                                    + " counts as 2147483647; spec.quota.namespaces[1].addresses is -5, and counts as 0");
            assertThat(valid("selects"))
                    .isEqualTo("False Unreadable: spec.serviceSelector.matchLabels is [\"x\"], which cannot be read;"
                            + " nothing is allocated from it until that is corrected");
            assertThat(valid("edge")).startsWith("True ");
            assertThat(cluster.kubectl("get", "loadbalancerclass", "odd", ACCEPTED))
                    .startsWith("False Unreadable: spec.ipMode is [\"VIP\"], which");
            assertThat(seen.events("Address", "192.0.2.1"))
                    .contains("Warning Unreadable: spec.retain is [true], which cannot be read; it is not allocated"
                            + " to any other Service until that is corrected");
        });

        String selector = IntStream.range(0, 40)
                .mapToObj(index -> "l".repeat(50) + index + ": " + "x".repeat(60) + index)
                .collect(Collectors.joining(", "));
        assertThat(selector.length()).isGreaterThan(4_096);
        for (int port : List.of(80, 81)) {
            apply("""
                    apiVersion: v1
                    kind: Service
                    metadata: {name: shares-%1$s, namespace: default, annotations: {berth.dev/sharing-key: "%3$s"}}
                    spec: {type: LoadBalancer, loadBalancerClass: %4$s, externalTrafficPolicy: Local, selector: {%2$s},
                      ports: [{port: %1$s}]}
                    """.formatted(port, selector, "k".repeat(63), CLASS));
        }
        assertThat(berth.awaitAddress("shares-80")).isEqualTo(berth.awaitAddress("shares-81"));

        assertThat(operator.metric("berth_objects_unreadable", "kind", "AddressPool"))
                .isEqualTo(2);
        assertThat(operator.metric("berth_objects_unreadable", "kind", "Service"))
                .isZero();

        patchStatus("odd");
        patchStatus("web");
        apply(POOL.formatted("limits", "198.51.100.1", "quota: {perNamespace: 99999999999}"));
        berth.createService("late", CLASS, UnaryOperator.identity());

        assertThat(berth.awaitAddress("late")).startsWith("192.0.2.");
        berth.awaitService(
                "web",
                web -> BerthOnCluster.ingress(web).stream()
                        .anyMatch(entry -> entry.getIp().startsWith("192.0.2.")));
        berth.awaitAsserted(seen -> assertThat(valid("limits")).contains("spec.quota.perNamespace is 99999999999"));
        assertThat(operator.isAlive()).isTrue();
    }
}
