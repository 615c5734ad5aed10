package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.testing.AuditEvent;
import dev.berth.testing.Conflicts;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.KubeBinaries;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.LoadBalancerIngress;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How {@code ipMode} is told, and that an API server that drops it is not written to forever. */
@ExtendWith(SharedInstallation.class)
class IpModeIT {
    private static final String GATE_OFF = "--feature-gates=LoadBalancerIPMode=false";
    private static final String GATE_ON = "--feature-gates=LoadBalancerIPMode=true";
    private static final String OPERATOR = "system:serviceaccount:berth-system:berth";
    private static final String THEIR_FINALIZER = "example.com/audit";

    /** On Kubernetes 1.29 with its gate off, as it is by default there; each test that has it resets it first. */
    private static Installation gated;

    @BeforeAll
    static void startGated() {
        gated = new Installation(ControlPlane.builder()
                        .version(KubeBinaries.GATED_KUBERNETES)
                        .apiServerFlag(GATE_OFF)
                        .withAuditLog()
                        .start())
                .noted();
    }

    @AfterAll
    static void stopGated() {
        if (gated != null) {
            gated.controlPlane().close();
        }
    }

    @Test
    void operatorsGate_decidesWhetherTheModeIsWritten_andARestartWritesOnlyWhatDiffers(Installation shared) {
        ControlPlane cluster = shared.controlPlane();
        try (BerthOnCluster berth = install(shared)) {
            berth.startOperator();
            berth.createService("auto");
            berth.createService("proxy", "example.com/proxy", UnaryOperator.identity());
            awaitModes(berth, "VIP", "Proxy");

            touchAndAwait(berth, "auto", "proxy");
            int settled = statusWrites(cluster).size();
            berth.startOperator(GATE_ON);
            touchAndAwait(berth, "auto", "proxy");
            assertThat(statusWrites(cluster)).hasSize(settled);

            berth.startOperator(GATE_OFF);
            // Where none is written this API server writes VIP; of the first Service nothing differs.
            awaitModes(berth, "VIP", "VIP");
            touchAndAwait(berth, "auto", "proxy");
            assertThat(statusWrites(cluster)).hasSize(settled + 1);
            berth.createService("later", "example.com/proxy", UnaryOperator.identity());
            assertThat(mode(settled(berth, "later"))).isEqualTo("VIP");
            assertThat(berth.operator().metric("berth_ipmode_dropped")).isZero();

            berth.startOperator();
            awaitModes(berth, "VIP", "Proxy");
            berth.awaitService("later", service -> "Proxy".equals(mode(service)));
            touchAndAwait(berth, "auto", "proxy", "later");
            assertThat(statusWrites(cluster)).hasSize(settled + 1 + 1 + 2);
        }
    }

    @Test
    void apiServer1_29_withItsGateOn_keepsTheMode() {
        try (ControlPlane cluster = ControlPlane.builder()
                        .version(KubeBinaries.GATED_KUBERNETES)
                        .apiServerFlag(GATE_ON)
                        .start();
                Installation installed = new Installation(cluster);
                BerthOnCluster berth = install(installed)) {
            berth.startOperator();
            berth.createService("auto");
            berth.createService("proxy", "example.com/proxy", UnaryOperator.identity());
            awaitModes(berth, "VIP", "Proxy");
            assertThat(berth.operator().metric("berth_ipmode_dropped")).isZero();
        }
    }

    @Test
    void apiServerThatDropsTheMode_isNoticedAndSaidOnce_andNotWrittenToAgain() {
        gated.reset();
        ControlPlane cluster = gated.controlPlane();
        try (BerthOnCluster berth = install(gated)) {
            berth.startOperator();
            List<String> names = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                names.add("proxy-" + i);
                berth.createService("proxy-" + i, "example.com/proxy", UnaryOperator.identity());
            }
            String[] all = names.toArray(String[]::new);
            names.forEach(berth::awaitAddress);
            touchAndAwait(berth, all);

            // One patch for each Service is all that was ever needed.
            assertThat(statusWrites(cluster)).hasSize(names.size());
            await().untilAsserted(() -> assertThat(dropEvents(berth, names))
                    .singleElement()
                    .asString()
                    .startsWith("Warning IPModeDropped: the API server drops status.loadBalancer.ingress[].ipMode"));
            assertThat(dropLines(berth)).hasSize(1);
            assertThat(berth.operator().metric("berth_ipmode_dropped")).isEqualTo(1);

            touchAndAwait(berth, all);
            touchAndAwait(berth, all);
            assertThat(statusWrites(cluster)).hasSize(names.size());
            assertThat(dryRuns(cluster)).isEmpty();

            berth.startOperator();
            touchAndAwait(berth, all);
            await().until(() -> berth.operator().metric("berth_ipmode_dropped"), dropped -> dropped == 1);
            touchAndAwait(berth, all);
            assertThat(statusWrites(cluster)).hasSize(names.size());
            assertThat(dryRuns(cluster)).hasSize(1);
            assertThat(dropLines(berth)).hasSize(1);
        }
    }

    @Test
    void onePatch_setsFinalizerConditionsAndIngress_andOthersEntriesStay(Installation shared) {
        assertThatOnePatchSetsAll(shared);
    }

    @Test
    void onePatchOnApiServer1_29_setsFinalizerConditionsAndIngress_andOthersEntriesStay() {
        gated.reset();
        assertThatOnePatchSetsAll(gated);
    }

    private static void assertThatOnePatchSetsAll(Installation installed) {
        ControlPlane cluster = installed.controlPlane();
        try (BerthOnCluster berth = install(installed)) {
            for (String name : List.of("deleted", "retyped")) {
                berth.createService(
                        name,
                        null,
                        service -> service.editMetadata()
                                .addToFinalizers(THEIR_FINALIZER)
                                .endMetadata());
                addTheirCondition(berth, name);
            }
            berth.startOperator();
            for (String name : List.of("deleted", "retyped")) {
                berth.awaitAddress(name);
                Service assigned = settled(berth, name);
                assertThat(assigned.getMetadata().getFinalizers())
                        .containsExactlyInAnyOrder(THEIR_FINALIZER, "berth.dev/load-balancer-cleanup");
                assertThat(conditionTypes(assigned))
                        .containsExactlyInAnyOrder("example.com/Audited", "berth.dev/AddressAssigned");
                await().untilAsserted(() -> assertThat(statusWrites(cluster).stream()
                                .filter(write -> write.name().equals(name)))
                        .singleElement()
                        .satisfies(write -> assertThat(write.verb() + " " + write.subresource() + " " + write.code())
                                .isEqualTo("patch status 200")));
            }

            cluster.kubectl("delete", "service", "deleted", "--wait=false");
            cluster.kubectl(
                    "patch",
                    "service",
                    "retyped",
                    "--type=merge",
                    "--patch={\"spec\":{\"type\":\"ClusterIP\",\"ports\":[{\"port\":80}]}}");
            for (String name : List.of("deleted", "retyped")) {
                Service left = berth.awaitService(
                        name,
                        service ->
                                service.getMetadata().getFinalizers().stream().noneMatch(f -> f.startsWith("berth")));
                assertThat(left.getMetadata().getFinalizers()).containsExactly(THEIR_FINALIZER);
                assertThat(conditionTypes(left)).containsExactly("example.com/Audited");
                assertThat(BerthOnCluster.ingress(left)).isEmpty();
            }
            await().until(() ->
                    cluster.kubectl("get", "addresses", "--output=name").isEmpty());
            assertThat(berth.operator().log()).doesNotContain("recreating it");
        }
    }

    private static BerthOnCluster install(Installation installed) {
        BerthOnCluster berth = BerthOnCluster.on(installed);
        berth.createPool("edge", "192.0.2.0/24");
        berth.createClass("proxy", "loadBalancerClass: example.com/proxy, ipMode: Proxy");
        return berth;
    }

    private static void addTheirCondition(BerthOnCluster berth, String name) {
        Condition theirs = new ConditionBuilder()
                .withType("example.com/Audited")
                .withStatus("True")
                .withReason("Audited")
                .withMessage("seen")
                .withLastTransitionTime("2025-01-01T00:00:00Z")
                .build();
        Conflicts.untilNone(() -> berth.client()
                .services()
                .inNamespace("default")
                .withName(name)
                .editStatus(service -> new ServiceBuilder(service)
                        .editOrNewStatus()
                        .addToConditions(theirs)
                        .endStatus()
                        .build()));
    }

    private static List<String> conditionTypes(Service service) {
        return service.getStatus().getConditions().stream()
                .map(Condition::getType)
                .toList();
    }

    private static Service settled(BerthOnCluster berth, String name) {
        return berth.awaitService(
                name, service -> !BerthOnCluster.ingress(service).isEmpty());
    }

    private static @Nullable String mode(Service service) {
        List<LoadBalancerIngress> ingress = BerthOnCluster.ingress(service);
        return ingress.isEmpty() ? null : ingress.getFirst().getIpMode();
    }

    private static void awaitModes(BerthOnCluster berth, @Nullable String auto, @Nullable String proxy) {
        await().untilAsserted(() -> {
            assertThat(mode(settled(berth, "auto"))).isEqualTo(auto);
            assertThat(mode(settled(berth, "proxy"))).isEqualTo(proxy);
        });
    }

    /** Changes label and annotation of the Services, and returns when the operator has looked at every change. */
    private static void touchAndAwait(BerthOnCluster berth, String... names) {
        double before = reconciled(berth);
        String stamp = "t" + System.nanoTime();
        for (String name : names) {
            berth.client()
                    .services()
                    .inNamespace("default")
                    .withName(name)
                    .edit(service -> new ServiceBuilder(service)
                            .editMetadata()
                            .addToLabels(Map.of("touched", stamp))
                            .addToAnnotations(Map.of("example.com/touched", stamp))
                            .endMetadata()
                            .build());
        }
        await().until(() -> reconciled(berth) >= before + names.length);
    }

    private static double reconciled(BerthOnCluster berth) {
        double count = berth.operator().metric("berth_controller_reconciliations_total", "controller", "service");
        return Double.isNaN(count) ? 0 : count;
    }

    private static List<String> dropEvents(BerthOnCluster berth, List<String> services) {
        return services.stream()
                .flatMap(name -> berth.events("Service", name).stream())
                .filter(event -> event.contains("IPModeDropped"))
                .toList();
    }

    private static List<String> dropLines(BerthOnCluster berth) {
        return berth.operator()
                .log()
                .lines()
                .filter(line -> line.contains("drops status.loadBalancer"))
                .toList();
    }

    private static List<AuditEvent> statusWrites(ControlPlane cluster) {
        return cluster.auditEvents().stream()
                .filter(event -> event.isWrite()
                        && event.user().equals(OPERATOR)
                        && event.resource().equals("services"))
                .toList();
    }

    private static List<AuditEvent> dryRuns(ControlPlane cluster) {
        return cluster.auditEvents().stream()
                .filter(event -> event.dryRun()
                        && event.user().equals(OPERATOR)
                        && event.resource().equals("services"))
                .toList();
    }
}
