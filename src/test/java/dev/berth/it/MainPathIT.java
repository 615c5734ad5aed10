package dev.berth.it;

import static dev.berth.testing.Installation.condition;
import static dev.berth.testing.Installation.ingress;
import static dev.berth.testing.Installation.ipModes;
import static dev.berth.testing.Installation.ips;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.api.v1alpha1.Address;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.claim.Claim;
import dev.berth.kube.ApiBudget;
import dev.berth.kube.Caches;
import dev.berth.kube.Claims;
import dev.berth.kube.FabricCluster;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.testing.Answers;
import dev.berth.testing.AuditEvent;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A Service's life with one operator, under RBAC. */
@ExtendWith(SharedInstallation.class)
class MainPathIT {
    private static ControlPlane controlPlane;
    private static Installation berth;
    private static OperatorProcess operator;

    @BeforeAll
    static void install(Installation shared) {
        berth = shared;
        controlPlane = berth.controlPlane();
        operator = berth.operator();
    }

    private static UnaryOperator<ServiceBuilder> ofClass(String value) {
        return service -> service.editSpec().withLoadBalancerClass(value).endSpec();
    }

    private static void patchSpec(String namespace, String name, String spec) {
        berth.client()
                .services()
                .inNamespace(namespace)
                .withName(name)
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":" + spec + "}");
    }

    @Test
    void serviceWithoutClass_getsTheLowestFreeAddress_asVip() {
        String namespace = berth.namespace("plain");
        berth.pool(namespace, "198.51.100.0/28");
        berth.service(namespace, "web");

        Service service = berth.awaitAddress(namespace, "web");

        assertThat(ips(service)).containsExactly("198.51.100.0");
        assertThat(ipModes(service)).containsExactly("VIP");
        assertThat(service.getMetadata().getFinalizers()).containsExactly(WellKnownNames.FINALIZER);
        assertThat(condition(service, "berth.dev/AddressAssigned")).hasValueSatisfying(condition -> {
            assertThat(condition.getStatus()).isEqualTo("True");
            assertThat(condition.getMessage()).isEqualTo("holds 198.51.100.0");
        });
        assertThat(berth.addressesOf(namespace, "web")).containsExactly("198.51.100.0");
        await().untilAsserted(() -> assertThat(berth.events(namespace, "web"))
                .anySatisfy(event -> assertThat(event.getKey()).isEqualTo("EnsuredLoadBalancer")));
    }

    @Test
    void claim_isWhollyInTheSpec() {
        String namespace = berth.namespace("claim");
        berth.pool(namespace, "198.51.100.16/28");
        Service created = berth.service(namespace, "web");
        berth.awaitAddress(namespace, "web");

        Address address = berth.client()
                .resources(Address.class)
                .withName("198.51.100.16")
                .get();

        assertThat(address.getSpec())
                .isEqualTo(new Address.Spec(
                        "198.51.100.16",
                        namespace,
                        Installation.DEFAULT_CLASS,
                        List.of(new Address.Claim(
                                "Service",
                                namespace,
                                "web",
                                created.getMetadata().getUid()))));
    }

    @Test
    void requireDualStack_getsOneAddressOfEachFamily_inTheServicesOrder() {
        String namespace = berth.namespace("dual");
        berth.pool(namespace, "198.51.100.32/28", "2001:db8:1::/64");
        berth.service(
                namespace,
                "web",
                service -> service.editSpec()
                        .withIpFamilyPolicy("RequireDualStack")
                        .withIpFamilies("IPv6", "IPv4")
                        .endSpec());

        assertThat(ips(berth.awaitAddress(namespace, "web"))).containsExactly("2001:db8:1::", "198.51.100.32");
    }

    @Test
    void droppedFamily_isUnpublishedAndReleased() {
        String namespace = berth.namespace("drop");
        berth.pool(namespace, "198.51.100.48/28", "2001:db8:2::/64");
        berth.service(
                namespace,
                "web",
                service -> service.editSpec()
                        .withIpFamilyPolicy("RequireDualStack")
                        .endSpec());
        assertThat(ips(berth.awaitAddress(namespace, "web"))).hasSize(2);

        patchSpec(
                namespace,
                "web",
                "{\"ipFamilyPolicy\":\"SingleStack\",\"ipFamilies\":[\"IPv4\"],\"clusterIPs\":[\""
                        + berth.get(namespace, "web").getSpec().getClusterIP() + "\"]}");

        berth.await(namespace, "web", service -> ips(service).equals(List.of("198.51.100.48")));
        berth.awaitAddressesOf(namespace, "web", "198.51.100.48");
    }

    @Test
    void deletedService_releasesItsAddress_toWhoeverWaits() {
        String namespace = berth.namespace("delete");
        berth.pool(namespace, "198.51.100.64/32");
        berth.service(namespace, "first");
        berth.awaitAddress(namespace, "first");
        berth.service(namespace, "second");
        Service waiting = berth.await(
                namespace,
                "second",
                service -> condition(service, "berth.dev/AddressAssigned").isPresent());
        assertThat(condition(waiting, "berth.dev/AddressAssigned")).hasValueSatisfying(condition -> {
            assertThat(condition.getStatus()).isEqualTo("False");
            assertThat(condition.getReason()).isEqualTo("PoolExhausted");
            assertThat(condition.getMessage()).contains("\"" + namespace + "\" (0 of 1 free)");
        });

        berth.deleteService(namespace, "first");

        assertThat(ips(berth.awaitAddress(namespace, "second"))).containsExactly("198.51.100.64");
    }

    @Test
    void changeOfType_takesStatusConditionsAndFinalizerBack_andReleases() {
        String namespace = berth.namespace("type");
        berth.pool(namespace, "198.51.100.80/28");
        berth.service(namespace, "web");
        berth.awaitAddress(namespace, "web");

        patchSpec(namespace, "web", "{\"type\":\"ClusterIP\",\"loadBalancerClass\":null}");

        Service service = berth.await(
                namespace, "web", now -> now.getMetadata().getFinalizers().isEmpty());
        assertThat(ingress(service)).isEmpty();
        assertThat(condition(service, "berth.dev/AddressAssigned")).isEmpty();
        berth.awaitReleased(namespace, "web");
    }

    @Test
    void changeOfClass_releasesAndServesAgain() {
        String namespace = berth.namespace("class");
        berth.pool(namespace, "198.51.100.96/28");
        berth.loadBalancerClass("changed", "Proxy");
        berth.service(namespace, "web");
        berth.awaitAddress(namespace, "web");

        patchSpec(namespace, "web", "{\"type\":\"ClusterIP\",\"loadBalancerClass\":null}");
        patchSpec(namespace, "web", "{\"type\":\"LoadBalancer\",\"loadBalancerClass\":\"test.dev/changed\"}");

        berth.await(namespace, "web", service -> ipModes(service).equals(List.of("Proxy")));
        await().untilAsserted(() -> assertThat(berth.addresses())
                .filteredOn(address -> address.getSpec().pool() != null
                        && namespace.equals(address.getSpec().pool()))
                .singleElement()
                .satisfies(address ->
                        assertThat(address.getSpec().loadBalancerClass()).isEqualTo("test.dev/changed")));
    }

    @Test
    @Answers({"kubernetes/kubernetes#91306", "hetznercloud/hcloud-cloud-controller-manager#832"})
    void anotherControllersClass_isNeverTouched() {
        String namespace = berth.namespace("other");
        berth.pool(namespace, "198.51.100.112/28");
        berth.service(namespace, "theirs", ofClass("example.com/theirs"));
        berth.service(namespace, "ours");
        berth.awaitAddress(namespace, "ours");

        assertThat(berth.get(namespace, "theirs").getStatus().getLoadBalancer().getIngress())
                .isNullOrEmpty();
        assertThat(controlPlane.auditEvents())
                .filteredOn(AuditEvent::isWrite)
                .filteredOn(event -> event.user().endsWith(":berth"))
                .noneMatch(event -> event.name().equals("theirs"));
    }

    @Test
    void strangersStatus_isPutRight() {
        String namespace = berth.namespace("stranger");
        berth.pool(namespace, "198.51.100.128/28");
        berth.service(namespace, "web");
        berth.awaitAddress(namespace, "web");

        berth.publishAsStranger(namespace, "web", "203.0.113.66");

        berth.await(namespace, "web", service -> ips(service).equals(List.of("198.51.100.128")));
        await().untilAsserted(() -> assertThat(berth.events(namespace, "web"))
                .anySatisfy(event -> assertThat(event.getKey()).isEqualTo("StatusOverwritten")));
    }

    @Test
    void theAddressOfAStatusThatIsPutRight_isWrittenFirst_soThatNoReleaseDecidedBeforeIsDone() {
        String namespace = berth.namespace("confirmed");
        berth.pool(namespace, "198.51.100.240/28");
        berth.service(namespace, "web");
        berth.awaitAddress(namespace, "web");
        Claim before = Claims.of(address("198.51.100.240")).orElseThrow();

        berth.publishAsStranger(namespace, "web", "203.0.113.67");
        berth.await(namespace, "web", service -> ips(service).equals(List.of("198.51.100.240")));

        Address confirmed = address("198.51.100.240");
        assertThat(confirmed.getMetadata().getAnnotations())
                .containsEntry(Claims.CONFIRMED_VERSION, before.resourceVersion());
        Claim now = Claims.of(confirmed).orElseThrow();
        assertThat(now.uid()).isEqualTo(before.uid());
        assertThat(now.spec()).isEqualTo(before.spec());
        assertThat(new FabricCluster(berth.client(), new Caches(), new ApiBudget()).deleteClaim(before))
                .isInstanceOf(Write.Conflict.class);
    }

    private static Address address(String name) {
        return berth.client().resources(Address.class).withName(name).require();
    }

    @Test
    void statusWrittenBeforeOurFinalizer_takesNoAddress() {
        String namespace = berth.namespace("forged");
        berth.pool(namespace, "198.51.100.144/28");
        berth.service(namespace, "victim");
        berth.awaitAddress(namespace, "victim");
        berth.service(
                namespace,
                "thief",
                service -> service.editSpec().withType("ClusterIP").endSpec());
        patchSpec(namespace, "thief", "{\"type\":\"LoadBalancer\",\"loadBalancerClass\":\"example.com/none\"}");
        berth.publishAsStranger(namespace, "thief", "198.51.100.144");
        berth.service(namespace, "after");
        berth.awaitAddress(namespace, "after");

        assertThat(berth.addressesOf(namespace, "thief")).isEmpty();
        assertThat(berth.addressesOf(namespace, "victim")).containsExactly("198.51.100.144");
        assertThat(ips(berth.get(namespace, "victim"))).containsExactly("198.51.100.144");
    }

    @Test
    void addressDeletedByHand_isMadeAgain_forTheSameService() {
        String namespace = berth.namespace("byhand");
        berth.pool(namespace, "198.51.100.160/28");
        berth.service(namespace, "web");
        berth.awaitAddress(namespace, "web");
        String before = berth.client()
                .resources(Address.class)
                .withName("198.51.100.160")
                .get()
                .getMetadata()
                .getUid();

        berth.client().resources(Address.class).withName("198.51.100.160").delete();

        await().untilAsserted(() -> {
            Address now = berth.client()
                    .resources(Address.class)
                    .withName("198.51.100.160")
                    .get();
            assertThat(now).isNotNull();
            assertThat(now.getMetadata().getUid()).isNotEqualTo(before);
            assertThat(berth.addressesOf(namespace, "web")).containsExactly("198.51.100.160");
            // Nothing is published while nothing holds it.
            assertThat(ips(berth.get(namespace, "web"))).containsExactly("198.51.100.160");
        });
    }

    @Test
    void addressGivenToAnotherByHand_isNotPublishedByBoth() {
        String namespace = berth.namespace("taken");
        berth.pool(namespace, "198.51.100.224/28");
        berth.service(namespace, "from");
        berth.awaitAddress(namespace, "from");
        Service to = berth.service(namespace, "to");
        berth.awaitAddress(namespace, "to");

        berth.client().resources(Address.class).withName("198.51.100.224").edit(address -> {
            Address.Spec spec = address.getSpec();
            address.setSpec(new Address.Spec(
                    spec.address(),
                    spec.pool(),
                    spec.loadBalancerClass(),
                    List.of(new Address.Claim(
                            null, namespace, "to", to.getMetadata().getUid()))));
            return address;
        });

        berth.await(namespace, "from", service -> !ips(service).contains("198.51.100.224"));
        await().untilAsserted(() -> {
            for (String name : List.of("from", "to")) {
                assertThat(ips(berth.get(namespace, name))).hasSize(1).isEqualTo(berth.addressesOf(namespace, name));
            }
        });
    }

    @Test
    void reservation_isTakenByTheServiceOfItsName_withItsLabelsAndAnnotations() {
        String namespace = berth.namespace("reserved");
        berth.pool(namespace, "198.51.100.176/28");
        Address reserved = new Address();
        reserved.setMetadata(new ObjectMetaBuilder()
                .withName("198.51.100.183")
                .addToLabels("example.com/app", "web")
                .addToAnnotations("example.com/tracked-by", "git")
                .build());
        reserved.setSpec(new Address.Spec(
                "198.51.100.183", null, null, List.of(new Address.Claim(null, namespace, "web", null))));
        berth.client().resource(reserved).create();
        controlPlane.kubectl("wait", "--for=condition=Reserved", "--timeout=50s", "address/198.51.100.183");

        Service created = berth.service(namespace, "web");

        assertThat(ips(berth.awaitAddress(namespace, "web"))).containsExactly("198.51.100.183");
        Address taken = Objects.requireNonNull(berth.client()
                .resources(Address.class)
                .withName("198.51.100.183")
                .get());
        assertThat(taken.getSpec().claims())
                .singleElement()
                .satisfies(claim ->
                        assertThat(claim.uid()).isEqualTo(created.getMetadata().getUid()));
        assertThat(taken.getMetadata().getLabels()).containsEntry("example.com/app", "web");
        assertThat(taken.getMetadata().getAnnotations()).containsEntry("example.com/tracked-by", "git");
    }

    @Test
    void serviceAccount_isNeverRefusedAnything() {
        String namespace = berth.namespace("rbac");
        berth.pool(namespace, "198.51.100.192/28");
        berth.service(namespace, "web");
        berth.awaitAddress(namespace, "web");
        berth.deleteService(namespace, "web");
        berth.awaitReleased(namespace, "web");

        assertThat(controlPlane.auditEvents())
                .filteredOn(event -> event.user().equals("system:serviceaccount:berth-system:berth"))
                .isNotEmpty()
                .noneMatch(event -> event.code() == 403);
        assertThat(operator.log()).doesNotContain("Forbidden").doesNotContain("Exception");
    }

    @Test
    void oneService_costsOneClaimAndOnePatch_andNoReads() {
        String namespace = berth.namespace("writes");
        AddressPool pool = berth.pool(namespace, "198.51.100.208/28");
        // Pools and Services come by two watches: one that is seen before its pool is told that it waits.
        await().until(() -> berth.client().resource(pool).get().getStatus() != null);
        berth.service(namespace, "counted");
        berth.awaitAddress(namespace, "counted");

        await().untilAsserted(() -> {
            assertThat(requestsTo("services", "counted"))
                    .extracting(AuditEvent::verb)
                    .containsExactly("patch");
            assertThat(requestsTo("addresses", "198.51.100.208"))
                    .extracting(AuditEvent::verb)
                    .containsExactly("create");
        });
    }

    /** Reads, too: the client would add some without being asked. */
    private static List<AuditEvent> requestsTo(String resource, String name) {
        return controlPlane.auditEvents().stream()
                .filter(event -> !event.dryRun())
                .filter(event -> event.user().endsWith(":berth"))
                .filter(event -> event.resource().equals(resource))
                .filter(event -> event.name().equals(name))
                .toList();
    }
}
