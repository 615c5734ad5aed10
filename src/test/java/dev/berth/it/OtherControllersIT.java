package dev.berth.it;

import static dev.berth.testing.Installation.annotated;
import static dev.berth.testing.Installation.ips;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.api.v1alpha1.Address;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.kube.ApiBudget;
import dev.berth.kube.StatusWriter;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.testing.Answers;
import dev.berth.testing.AuditEvent;
import dev.berth.testing.BerthCommand;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What Berth leaves to the other load balancer controllers of a cluster, and what it does not leave to them. */
@ExtendWith(SharedInstallation.class)
class OtherControllersIT {
    private static final String THEIRS = "example.com/theirs";
    private static final String DEFAULT_CLASS = Installation.MANIFESTS + "/load-balancer-class.yaml";

    private ControlPlane controlPlane;
    private Installation berth;

    @BeforeEach
    void borrow(Installation shared) {
        berth = shared;
        controlPlane = berth.controlPlane();
    }

    private static UnaryOperator<ServiceBuilder> ofClass(String value) {
        return service -> service.editSpec().withLoadBalancerClass(value).endSpec();
    }

    private static UnaryOperator<ServiceBuilder> withFinalizer(String finalizer) {
        return service -> service.editMetadata().addToFinalizers(finalizer).endMetadata();
    }

    private static boolean isWithoutOurs(Service service) {
        return !service.getMetadata().getFinalizers().contains(WellKnownNames.FINALIZER);
    }

    @Test
    void whatAnotherControllerPublished_staysWhenOursIsTakenOff() {
        String namespace = berth.namespace("theirs");
        berth.pool(namespace, "198.51.100.0/28");
        berth.operator();
        berth.service(namespace, "reclassed");
        berth.awaitAddress(namespace, "reclassed");
        // What comes before the start must be untouched until then.
        berth.stopOperator();
        var reclassed = berth.client().services().inNamespace(namespace).withName("reclassed");
        PatchContext merge = PatchContext.of(PatchType.JSON_MERGE);
        reclassed.patch(merge, "{\"spec\":{\"type\":\"ClusterIP\"}}");
        reclassed.patch(merge, "{\"spec\":{\"type\":\"LoadBalancer\",\"loadBalancerClass\":\"" + THEIRS + "\"}}");
        berth.publishAsStranger(namespace, "reclassed", "203.0.113.1");
        berth.service(
                namespace,
                "copied",
                service -> withFinalizer(WellKnownNames.FINALIZER)
                        .apply(ofClass(THEIRS).apply(service)));
        berth.publishAsStranger(namespace, "copied", "203.0.113.2");

        berth.operator();

        assertThat(ips(berth.await(namespace, "reclassed", OtherControllersIT::isWithoutOurs)))
                .containsExactly("203.0.113.1");
        assertThat(ips(berth.await(namespace, "copied", OtherControllersIT::isWithoutOurs)))
                .containsExactly("203.0.113.2");
        berth.awaitReleased(namespace, "reclassed");
    }

    @Test
    @Answers("cilium/cilium#40888")
    void finalizersInManifests_neitherStopTheOthersFromBeingServed_norGetPastTheClass() {
        String namespace = berth.namespace("marks");
        berth.pool(namespace, "198.51.100.64/28");
        berth.operator();
        berth.service(namespace, "foreign", withFinalizer("service.kubernetes.io/load-balancer-cleanup"));
        berth.service(namespace, "plain");
        berth.awaitAddress(namespace, "plain");
        assertThat(ips(berth.get(namespace, "foreign"))).isEmpty();

        controlPlane.kubectl(
                "patch",
                "loadbalancerclass",
                "default",
                "--type=merge",
                "--patch={\"spec\":{\"classless\":\"Never\"}}");
        await().untilAsserted(() -> assertThat(classless()).isEmpty());
        berth.service(namespace, "sly", withFinalizer(WellKnownNames.FINALIZER));

        Service sly = berth.await(namespace, "sly", OtherControllersIT::isWithoutOurs);
        assertThat(ips(sly)).isEmpty();
        assertThat(berth.addressesOf(namespace, "sly")).isEmpty();
        assertThat(ips(berth.get(namespace, "plain"))).isEqualTo(berth.addressesOf(namespace, "plain"));
        // As the manifests have it: the next test has this cluster, too.
        controlPlane.kubectl("apply", "-f", DEFAULT_CLASS);
    }

    @Test
    void serviceThatIsLeftAlone_isToldSoWhereItLasts() {
        String namespace = berth.namespace("alone");
        berth.pool(namespace, "198.51.100.96/28");
        berth.loadBalancerClass("going", null);
        OperatorProcess operator = berth.operator();
        berth.service(namespace, "orphan", ofClass("test.dev/going"));
        String ip = ips(berth.awaitAddress(namespace, "orphan")).getFirst();
        berth.client().resources(LoadBalancerClass.class).withName("going").delete();
        controlPlane.kubectl("apply", "-f", "src/test/resources/dev/berth/it/unknown-provider.yaml");
        berth.service(namespace, "unserved", ofClass("example.com/unknown-provider"));
        berth.service(namespace, "foreign", withFinalizer("service.kubernetes.io/load-balancer-cleanup"));

        await().untilAsserted(() -> {
            assertThat(Installation.condition(berth.get(namespace, "orphan"), WellKnownNames.ADDRESS_ASSIGNED))
                    .hasValueSatisfying(condition -> {
                        assertThat(condition.getStatus()).isEqualTo("True");
                        assertThat(condition.getReason()).isEqualTo("ClassMissing");
                        assertThat(condition.getMessage())
                                .startsWith("holds " + ip + "; no accepted LoadBalancerClass");
                    });
            assertThat(Installation.condition(berth.get(namespace, "unserved"), WellKnownNames.ADDRESS_ASSIGNED))
                    .hasValueSatisfying(condition -> {
                        assertThat(condition.getStatus()).isEqualTo("False");
                        assertThat(condition.getReason()).isEqualTo("ClassNotAccepted");
                        assertThat(condition.getMessage()).contains("there is no provider \"teleport\"");
                    });
            assertThat(controlPlane.kubectl(
                            "get",
                            "loadbalancerclass",
                            "default",
                            "--output=jsonpath={.status.conditions[?(@.type=='ServicesSkipped')].message}"))
                    .contains(": " + namespace + "/foreign; remove");
            for (String reason : List.of("ClassMissing", "ClassNotAccepted", "ServedByOtherController")) {
                assertThat(operator.metric("berth_services_skipped", "reason", reason))
                        .isEqualTo(1);
            }
        });
        assertThat(BerthCommand.run("status", "--kubeconfig=" + controlPlane.adminKubeconfig())
                        .out())
                .contains("not served by Berth\t" + namespace
                        + "/foreign\tServedByOtherController: the Service has finalizer"
                        + " service.kubernetes.io/load-balancer-cleanup");
        assertThat(ips(berth.get(namespace, "orphan"))).containsExactly(ip);
        assertThat(operator.metric("berth_services_skipped", "reason", "DeferredToOther"))
                .isZero();

        berth.client()
                .services()
                .inNamespace(namespace)
                .withName("foreign")
                .edit(service -> new ServiceBuilder(service)
                        .editMetadata()
                        .withFinalizers()
                        .endMetadata()
                        .build());
        berth.awaitAddress(namespace, "foreign");
        await().untilAsserted(
                        () -> assertThat(controlPlane.kubectl("get", "loadbalancerclass", "default", "--output=yaml"))
                                .doesNotContain("ServicesSkipped"));
    }

    private String classless() {
        return controlPlane.kubectl(
                "get",
                "loadbalancerclass",
                "default",
                "--output=jsonpath={.status.conditions[?(@.type=='ServesClassless')].reason}");
    }

    /** The default class as on a new cluster: nothing was said of it yet. */
    private void recreateDefaultClass() {
        controlPlane.kubectl("delete", "-f", DEFAULT_CLASS);
        controlPlane.kubectl("apply", "-f", DEFAULT_CLASS);
    }

    /** One that Berth skips in any case. */
    private void publishedByAnother(String namespace, String name) {
        berth.service(namespace, name, withFinalizer("service.kubernetes.io/load-balancer-cleanup"));
        berth.publishAsStranger(namespace, name, "203.0.113.9");
    }

    @Test
    void publishedAddress_hasBerthDeferAtTheFirstStart_andNeverOnceItHasServed() {
        String namespace = berth.namespace("first");
        berth.pool(namespace, "198.51.100.112/28");
        berth.stopOperator();
        recreateDefaultClass();
        publishedByAnother(namespace, "theirs");
        OperatorProcess operator = berth.startOperator();
        berth.service(namespace, "waits");
        await().untilAsserted(() -> {
            assertThat(classless()).isEqualTo("DeferredToOther");
            assertThat(operator.metric("berth_services_skipped", "reason", "DeferredToOther"))
                    .isEqualTo(1);
        });
        assertThat(BerthCommand.run("status", "--kubeconfig=" + controlPlane.adminKubeconfig())
                        .out())
                .contains("not served by Berth\t" + namespace
                        + "/waits\tDeferredToOther: another controller appears to serve Services without a class")
                .doesNotContain("\t" + namespace + "/theirs\t");

        // As a controller that goes: what it published goes first, then its finalizer.
        berth.client().services().inNamespace(namespace).withName("theirs").delete();
        berth.publishAsStranger(namespace, "theirs");
        berth.client()
                .services()
                .inNamespace(namespace)
                .withName("theirs")
                .edit(service -> new ServiceBuilder(service)
                        .editMetadata()
                        .withFinalizers()
                        .endMetadata()
                        .build());
        berth.awaitAddress(namespace, "waits");
        await().untilAsserted(() -> assertThat(classless()).isEqualTo("Auto"));

        publishedByAnother(namespace, "forged");
        berth.service(namespace, "after");
        berth.awaitAddress(namespace, "after");
        operator.stop();
        for (String name : List.of("waits", "after")) {
            berth.client().services().inNamespace(namespace).withName(name).delete();
        }
        OperatorProcess restarted = berth.startOperator();
        berth.service(namespace, "last");
        berth.awaitAddress(namespace, "last");

        assertThat(classless()).isEqualTo("Auto");
        assertThat(restarted.metric("berth_services_skipped", "reason", "DeferredToOther"))
                .isZero();
        assertThat(ips(berth.get(namespace, "forged"))).containsExactly("203.0.113.9");
    }

    @Test
    void statusOfAClass_isNotWrittenOntoOneThatHasChanged() {
        LoadBalancerClass read = berth.loadBalancerClass("changes", null);
        StatusWriter writer = new StatusWriter(berth.client(), new ApiBudget());
        LoadBalancerClass.Status first = new LoadBalancerClass.Status(1L, List.of());

        assertThat(writer.writeIfUnchanged(read, first)).isTrue();
        assertThat(writer.writeIfUnchanged(read, new LoadBalancerClass.Status(2L, List.of())))
                .isFalse();
        assertThat(berth.client()
                        .resources(LoadBalancerClass.class)
                        .withName("changes")
                        .get()
                        .getStatus())
                .isEqualTo(first);
    }

    /** Two installations on one cluster: one by the flags of the manifests, one of another controller name. */
    @Test
    void twoBerthsOfTwoControllerNames_neverWriteEachOthersServicesAndAddresses() {
        String namespace = berth.namespace("two");
        berth.pool(namespace, "198.51.100.0/26");
        controlPlane.kubectl("apply", "-f", "src/test/resources/dev/berth/it/second-installation.yaml");
        berth.operator();
        Path second = controlPlane.serviceAccountKubeconfig("berth-second", "berth");
        try (OperatorProcess other = OperatorProcess.start(second, "--controller-name=example.com/second")) {
            other.awaitLog("ready after");
            for (int i = 0; i < 8; i++) {
                berth.service(namespace, "first-" + i);
                berth.service(namespace, "second-" + i, ofClass("example.com/second"));
            }
            List<String> given = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                given.addAll(ips(berth.awaitAddress(namespace, "first-" + i)));
                given.addAll(ips(berth.awaitAddress(namespace, "second-" + i)));
            }
            assertThat(given).doesNotHaveDuplicates().hasSize(16);

            var services = berth.client().services().inNamespace(namespace);
            PatchContext merge = PatchContext.of(PatchType.JSON_MERGE);
            services.withName("first-0").delete();
            services.withName("second-0").delete();
            services.withName("second-1")
                    .patch(merge, "{\"spec\":{\"type\":\"ClusterIP\",\"loadBalancerClass\":null}}");
            for (String name : List.of("first-0", "second-0", "second-1")) {
                berth.awaitReleased(namespace, name);
            }
            berth.client().resources(Address.class).withName(given.get(5)).delete();
            await().untilAsserted(() ->
                    assertThat(berth.addressesOf(namespace, "second-2")).containsExactly(given.get(5)));
            // Each has seen everything once more, and what is the other's is still nobody else's.
            berth.service(namespace, "first-last", annotated(WellKnownNames.ADDRESSES, "198.51.100.61"));
            berth.service(
                    namespace,
                    "second-last",
                    service -> annotated(WellKnownNames.ADDRESSES, "198.51.100.62")
                            .apply(ofClass("example.com/second").apply(service)));
            berth.awaitAddress(namespace, "first-last");
            berth.awaitAddress(namespace, "second-last");

            assertThat(services.list().getItems())
                    .allSatisfy(service -> assertThat(ips(service))
                            .isEqualTo(berth.addressesOf(
                                    namespace, service.getMetadata().getName())));
            Resource<Address> announced =
                    berth.client().resources(Address.class).withName(given.get(7));
            announced.waitUntilCondition(
                    address ->
                            address.getStatus() != null && address.getStatus().announcement() != null,
                    50,
                    TimeUnit.SECONDS);
            awaitAddressesAreLookedAt(namespace);
            assertNoWriteOf("system:serviceaccount:berth-second:berth", "first-", given, 0);
            assertNoWriteOf("system:serviceaccount:berth-system:berth", "second-", given, 1);

            // Nobody takes the finalizer of the other's off once it has stopped.
            services.delete();
            await().until(() -> services.list().getItems().isEmpty());
        }
    }

    /** The first installation has said what there is to say of Addresses: it looks at them one after the other. */
    private void awaitAddressesAreLookedAt(String namespace) {
        String name = "198.51.100.60";
        Address reservation = new Address();
        reservation.setMetadata(new ObjectMetaBuilder().withName(name).build());
        reservation.setSpec(new Address.Spec(
                name, namespace, "berth.dev/pool", List.of(new Address.Claim(null, namespace, "later", null))));
        berth.client().resource(reservation).create();
        await().until(() -> controlPlane.auditEvents().stream()
                .anyMatch(event -> event.user().equals("system:serviceaccount:berth-system:berth")
                        && event.name().equals(name)
                        && event.subresource().equals("status")));
    }

    /** {@code given} has the addresses of both in turn. */
    private void assertNoWriteOf(String user, String services, List<String> given, int turn) {
        assertThat(controlPlane.auditEvents())
                .filteredOn(AuditEvent::isWrite)
                .filteredOn(event -> event.user().equals(user))
                .noneMatch(event ->
                        event.resource().equals("services") && event.name().startsWith(services))
                .noneMatch(event -> event.resource().equals("addresses")
                        && !event.verb().equals("create")
                        && given.indexOf(event.name()) >= 0
                        && given.indexOf(event.name()) % 2 == turn);
    }
}
