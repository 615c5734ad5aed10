package dev.berth.it;

import static dev.berth.testing.Installation.ips;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import dev.berth.api.v1alpha1.Address;
import dev.berth.testing.Answers;
import dev.berth.testing.AuditEvent;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Patience;
import dev.berth.testing.PublishedAddresses;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What happens to Services while the operator is not there, or is killed, or is one of two. */
@ExtendWith(SharedInstallation.class)
class RestartIT {
    private ControlPlane controlPlane;
    private Installation berth;

    @BeforeEach
    void install(Installation shared) {
        // What is there before the start must be untouched until then.
        shared.stopOperator();
        berth = shared;
        controlPlane = berth.controlPlane();
    }

    private List<AuditEvent> ourWrites() {
        return controlPlane.auditEvents().stream()
                .filter(AuditEvent::isWrite)
                .filter(event -> event.user().equals("system:serviceaccount:berth-system:berth"))
                .filter(event -> !event.resource().equals("events"))
                .toList();
    }

    private void awaitSettled(String namespace, PublishedAddresses published, int services) {
        await().atMost(Patience.USUAL.multipliedBy(2)).untilAsserted(() -> {
            // The watch tells it without a list of all of them ten times a second.
            assertThat(published.services()).isEqualTo(services);
            assertThat(berth.client().services().inNamespace(namespace).list().getItems())
                    .hasSize(services)
                    .allSatisfy(service -> assertThat(ips(service)).hasSize(1));
        });
    }

    @Test
    void restart_of200SettledServices_writesNothing() {
        String namespace = berth.namespace("settled");
        berth.pool(namespace, "198.51.100.0/24");
        OperatorProcess first = berth.startOperator();
        try (PublishedAddresses published = new PublishedAddresses(berth.client(), namespace)) {
            IntStream.range(0, 200).forEach(i -> berth.service(namespace, "s" + i));
            awaitSettled(namespace, published, 200);
        }
        // The numbers of the pool come last.
        await().until(() -> controlPlane
                .kubectl("get", "addresspool", namespace, "-o", "jsonpath={.status.allocated}")
                .equals("200"));
        first.stop();
        int before = ourWrites().size();

        OperatorProcess second = berth.startOperator();
        await().until(() ->
                second.metric("berth_controller_reconciliations_total", "controller", "service", "outcome", "done")
                        >= 200);
        // One that comes now is served, so everything before it was looked at and skipped.
        berth.service(namespace, "after");
        berth.awaitAddress(namespace, "after");

        List<AuditEvent> writes = ourWrites();
        assertThat(writes.subList(before, writes.size()))
                .extracting(AuditEvent::resource, AuditEvent::name)
                .allMatch(write -> List.of("after", "198.51.100.200", namespace)
                        .contains(write.toList().getLast().toString()));
    }

    @Test
    void whatChangedWhileTheOperatorWasDown_isMadeGood() {
        String namespace = berth.namespace("down");
        berth.pool(namespace, "198.51.100.0/29");
        OperatorProcess first = berth.startOperator();
        for (String name : List.of("deleted", "retyped", "reclassed", "recreated", "kept")) {
            berth.service(namespace, name);
            berth.awaitAddress(namespace, name);
        }
        String kept = ips(berth.get(namespace, "kept")).getFirst();
        first.stop();

        var services = berth.client().services().inNamespace(namespace);
        services.withName("deleted").delete();
        PatchContext merge = PatchContext.of(PatchType.JSON_MERGE);
        services.withName("retyped").patch(merge, "{\"spec\":{\"type\":\"ClusterIP\",\"loadBalancerClass\":null}}");
        services.withName("reclassed").patch(merge, "{\"spec\":{\"type\":\"ClusterIP\"}}");
        services.withName("reclassed")
                .patch(merge, "{\"spec\":{\"type\":\"LoadBalancer\",\"loadBalancerClass\":\"example.com/theirs\"}}");
        services.withName("recreated").patch(merge, "{\"metadata\":{\"finalizers\":null}}");
        services.withName("recreated").delete();
        Service again = berth.service(namespace, "recreated");
        crashedBeforeTheRelease(namespace, "198.51.100.7");
        berth.startOperator();

        await().until(() -> services.withName("deleted").get() == null);
        berth.awaitReleased(namespace, "deleted");
        berth.awaitReleased(namespace, "retyped");
        berth.awaitReleased(namespace, "reclassed");
        berth.awaitReleased(namespace, "crashed");
        berth.awaitAddress(namespace, "recreated");
        await().untilAsserted(() -> assertThat(berth.addresses())
                .flatExtracting(Installation::claimsOf)
                .extracting(Address.Claim::name, Address.Claim::uid)
                .containsExactlyInAnyOrder(
                        tuple("recreated", again.getMetadata().getUid()),
                        tuple("kept", berth.get(namespace, "kept").getMetadata().getUid())));
        assertThat(ips(berth.get(namespace, "kept"))).containsExactly(kept);
        for (String left : List.of("retyped", "reclassed")) {
            Service service = berth.await(
                    namespace, left, now -> now.getMetadata().getFinalizers().isEmpty());
            assertThat(ips(service)).isEmpty();
            assertThat(service.getStatus().getConditions()).isNullOrEmpty();
        }
    }

    /** Status and finalizer were taken off a Service that is no load balancer any more; its address is left. */
    private void crashedBeforeTheRelease(String namespace, String ip) {
        Service service = berth.service(
                namespace,
                "crashed",
                builder -> builder.editSpec().withType("ClusterIP").endSpec());
        Address address = new Address();
        address.setMetadata(new ObjectMetaBuilder().withName(ip).build());
        address.setSpec(new Address.Spec(
                ip,
                namespace,
                Installation.DEFAULT_CLASS,
                List.of(new Address.Claim(
                        null, namespace, "crashed", service.getMetadata().getUid()))));
        berth.client().resource(address).create();
    }

    @Test
    @Answers("kube-vip/kube-vip#51")
    void killedUnderChurn_leavesNoDuplicateAndNoLeak() {
        String namespace = berth.namespace("churn");
        berth.pool(namespace, "198.51.100.0/24");
        Random random = new Random(7);
        var services = berth.client().services().inNamespace(namespace);
        OperatorProcess operator = berth.startOperator();
        int made = 0;
        PublishedAddresses published = new PublishedAddresses(berth.client(), namespace);
        List<String> alive = new ArrayList<>();
        for (int round = 0; round < 4; round++) {
            for (int step = 0; step < 60; step++) {
                if (alive.isEmpty() || random.nextInt(3) > 0) {
                    String name = "s" + made++;
                    berth.service(namespace, name);
                    alive.add(name);
                } else {
                    services.withName(alive.remove(random.nextInt(alive.size())))
                            .delete();
                }
                if (step == 30 + round * 5) {
                    operator.kill();
                }
            }
            operator = berth.startOperator();
        }

        awaitSettled(namespace, published, alive.size());

        assertThat(published.duplicates()).isEmpty();
        published.close();
        await().untilAsserted(() -> assertThat(berth.addresses())
                .flatExtracting(Installation::claimsOf)
                .extracting(Address.Claim::name)
                .containsExactlyInAnyOrderElementsOf(alive));
        for (Service service : services.list().getItems()) {
            assertThat(berth.addressesOf(namespace, service.getMetadata().getName()))
                    .isEqualTo(ips(service));
        }
    }

    @Test
    void twoReplicas_oneWorks_andTheOtherTakesOver() {
        String namespace = berth.namespace("leader");
        berth.pool(namespace, "198.51.100.0/24");
        OperatorProcess first = berth.startOperator("--leader-elect");
        first.awaitLog("ready after");
        OperatorProcess second = berth.startOperator("--leader-elect");
        berth.service(namespace, "before");
        berth.awaitAddress(namespace, "before");
        assertThat(second.get("/q/health/ready").statusCode()).isEqualTo(200);
        assertThat(second.log()).doesNotContain("ready after");

        first.kill();
        second.awaitLog("ready after");
        berth.service(namespace, "after");
        berth.awaitAddress(namespace, "after");

        assertThat(new TreeSet<>(berth.addressesOf(namespace, "before"))).containsExactly("198.51.100.0");
        assertThat(berth.addressesOf(namespace, "after")).containsExactly("198.51.100.1");
    }

    @Test
    @Answers({"kube-vip/kube-vip#283", "kube-vip/kube-vip#400"})
    void twoOperatorsWithoutElection_neverGiveOneAddressTwice() {
        String namespace = berth.namespace("rivals");
        berth.pool(namespace, "10.20.0.0/20");
        berth.startOperator();
        berth.startOperator();

        try (PublishedAddresses published = new PublishedAddresses(berth.client(), namespace)) {
            IntStream.range(0, 500).parallel().forEach(i -> create(namespace, "s" + i));
            await().atMost(Patience.USUAL.multipliedBy(4)).until(() -> published.services() == 500);
            awaitSettled(namespace, published, 500);

            assertThat(published.duplicates()).isEmpty();
        }
    }

    private void create(String namespace, String name) {
        try {
            berth.service(namespace, name);
        } catch (KubernetesClientException failure) {
            throw new AssertionError(failure.getMessage(), failure);
        }
    }
}
