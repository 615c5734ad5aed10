package dev.berth.it;

import static dev.berth.testing.Installation.annotated;
import static dev.berth.testing.Installation.condition;
import static dev.berth.testing.Installation.ips;
import static dev.berth.testing.Installation.sharing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.api.v1alpha1.Address;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.testing.Answers;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.PublishedAddresses;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What Services ask for themselves, and the life of their addresses. */
@ExtendWith(SharedInstallation.class)
class AddressRequestsIT {
    private static ControlPlane controlPlane;
    private static Installation berth;
    private static OperatorProcess operator;

    @BeforeAll
    static void install(Installation shared) {
        berth = shared;
        controlPlane = berth.controlPlane();
        operator = berth.operator();
    }

    private static void annotate(String namespace, String name, String annotation, String value) {
        berth.client()
                .services()
                .inNamespace(namespace)
                .withName(name)
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"metadata\":{\"annotations\":{\"%s\":\"%s\"}}}".formatted(annotation, value));
    }

    private static Condition awaitWaits(String namespace, String name, String reason) {
        return condition(
                        berth.await(
                                namespace,
                                name,
                                service -> condition(service, WellKnownNames.ADDRESS_ASSIGNED)
                                        .filter(said -> said.getReason().equals(reason))
                                        .isPresent()),
                        WellKnownNames.ADDRESS_ASSIGNED)
                .orElseThrow();
    }

    private static Address address(String ip) {
        Address address = berth.client().resources(Address.class).withName(ip).get();
        assertThat(address).as("Address %s", ip).isNotNull();
        return address;
    }

    private static void awaitIps(String namespace, String name, String... ips) {
        berth.await(namespace, name, service -> ips(service).equals(List.of(ips)));
    }

    @Test
    void anAddressAskedFor_byAnnotationOrField_isTheOneThatItGets() {
        String namespace = berth.namespace("asked");
        berth.pool(namespace, "203.0.113.0/28");

        berth.service(namespace, "annotated", annotated(WellKnownNames.ADDRESSES, "203.0.113.9"));
        berth.service(
                namespace,
                "field",
                builder -> builder.editSpec().withLoadBalancerIP("203.0.113.5").endSpec());

        awaitIps(namespace, "annotated", "203.0.113.9");
        awaitIps(namespace, "field", "203.0.113.5");
    }

    @Test
    void bothAndDifferent_isRefusedForOneReason_andServedOnceMended() {
        String namespace = berth.namespace("differ");
        berth.pool(namespace, "203.0.113.16/28");
        berth.service(
                namespace,
                "web",
                builder -> annotated(WellKnownNames.ADDRESSES, "203.0.113.20")
                        .apply(builder)
                        .editSpec()
                        .withLoadBalancerIP("203.0.113.21")
                        .endSpec());

        assertThat(awaitWaits(namespace, "web", "AddressesDiffer").getMessage()).contains("remove one of them");

        annotate(namespace, "web", WellKnownNames.ADDRESSES, "203.0.113.21");
        awaitIps(namespace, "web", "203.0.113.21");
    }

    @Test
    void anAddressThatIsAnothers_isWaitedFor_andHandedOverWhenItIsFree() {
        String namespace = berth.namespace("queue");
        berth.pool(namespace, "203.0.113.32/28");
        berth.service(namespace, "first", annotated(WellKnownNames.ADDRESSES, "203.0.113.40"));
        awaitIps(namespace, "first", "203.0.113.40");
        berth.service(namespace, "second", annotated(WellKnownNames.ADDRESSES, "203.0.113.40"));
        assertThat(awaitWaits(namespace, "second", "AddressNotAvailable").getMessage())
                .contains("203.0.113.40 is used by Service " + namespace + "/first");

        berth.deleteService(namespace, "first");

        awaitIps(namespace, "second", "203.0.113.40");
    }

    @Test
    void anAddressThatIsAskedForLater_isChangedFor_onceItCanBeHad() {
        String namespace = berth.namespace("later");
        berth.pool(namespace, "203.0.113.48/28");
        berth.service(namespace, "holder", annotated(WellKnownNames.ADDRESSES, "203.0.113.55"));
        berth.service(namespace, "web", annotated(WellKnownNames.ADDRESSES, "203.0.113.50"));
        awaitIps(namespace, "holder", "203.0.113.55");
        awaitIps(namespace, "web", "203.0.113.50");

        annotate(namespace, "web", WellKnownNames.ADDRESSES, "203.0.113.55");
        awaitWaits(namespace, "web", "ReplacementPending");
        assertThat(ips(berth.get(namespace, "web"))).containsExactly("203.0.113.50");

        berth.deleteService(namespace, "holder");
        awaitIps(namespace, "web", "203.0.113.55");
        berth.awaitAddressesOf(namespace, "web", "203.0.113.55");
    }

    @Test
    void anAddressOfAGateway_isNoServices_andStaysAsItIs_whateverBecomesOfTheServiceOfItsName() {
        String namespace = berth.namespace("gateway");
        berth.pool(namespace, "203.0.113.248/30");
        Address gateways = new Address();
        gateways.setMetadata(new ObjectMetaBuilder().withName("203.0.113.248").build());
        gateways.setSpec(new Address.Spec(
                "203.0.113.248",
                namespace,
                Installation.DEFAULT_CLASS,
                List.of(new Address.Claim("Gateway", namespace, "web", "u"))));
        String before = version(berth.client().resource(gateways).create());
        await().untilAsserted(() -> assertThat(reserved(namespace)).isEqualTo("1"));

        berth.service(namespace, "web");
        berth.service(namespace, "asking", annotated(WellKnownNames.ADDRESSES, "203.0.113.248"));

        awaitIps(namespace, "web", "203.0.113.249");
        assertThat(awaitWaits(namespace, "asking", "AddressNotAvailable").getMessage())
                .contains("203.0.113.248 has a claim of kind Gateway");
        berth.deleteService(namespace, "web");
        berth.awaitReleased(namespace, "web");
        assertThat(version(address("203.0.113.248"))).isEqualTo(before);

        berth.client().resource(gateways).delete();
        awaitIps(namespace, "asking", "203.0.113.248");
    }

    private static String reserved(String pool) {
        AddressPool.Status status =
                berth.client().resources(AddressPool.class).withName(pool).get().getStatus();
        return status == null || status.ipv4() == null ? "" : status.ipv4().reserved();
    }

    private static String version(Address address) {
        return address.getMetadata().getResourceVersion();
    }

    @Test
    void aPoolThatIsNamed_givesEvenWithoutAutoAssign() {
        String namespace = berth.namespace("named");
        berth.pool(
                namespace,
                spec -> {
                    spec.put("autoAssign", false);
                    return spec;
                },
                "203.0.113.64/28");

        berth.service(namespace, "plain");
        berth.service(namespace, "named", annotated(WellKnownNames.ADDRESS_POOL, namespace));

        awaitIps(namespace, "named", "203.0.113.64");
        awaitWaits(namespace, "plain", "NotAllowedByPools");
    }

    @Test
    void servicesOfOneKey_shareAnAddress_alsoWhenTheyComeAtTheSameMoment() {
        String namespace = berth.namespace("share");
        berth.pool(namespace, "203.0.113.80/28");
        List<String> names = List.of("a", "b", "c", "d", "e", "f");

        names.parallelStream().forEach(name -> berth.service(namespace, name, sharing("dns", 1000 + name.charAt(0))));

        for (String name : names) {
            awaitIps(namespace, name, "203.0.113.80");
        }
        assertThat(Installation.claimsOf(address("203.0.113.80"))).hasSize(names.size());
        for (String name : names.subList(0, 5)) {
            berth.deleteService(namespace, name);
        }
        assertThat(ips(berth.get(namespace, "f"))).containsExactly("203.0.113.80");
        await().untilAsserted(() ->
                assertThat(Installation.claimsOf(address("203.0.113.80"))).hasSize(1));
        berth.deleteService(namespace, "f");
        berth.awaitReleased(namespace, "f");
    }

    @Test
    void aPortThatClashes_isNotShared_andALaterEditIsSaidWhileTheEarlierHolderKeepsIt() {
        String namespace = berth.namespace("clash");
        berth.pool(namespace, "203.0.113.96/28");
        berth.service(namespace, "first", sharing("web", 80));
        awaitIps(namespace, "first", "203.0.113.96");
        berth.service(namespace, "same-port", sharing("web", 80));
        awaitIps(namespace, "same-port", "203.0.113.97");
        berth.service(namespace, "joined", sharing("web", 81));
        awaitIps(namespace, "joined", "203.0.113.96");

        berth.client()
                .services()
                .inNamespace(namespace)
                .withName("joined")
                .edit(service -> new ServiceBuilder(service)
                        .editSpec()
                        .editFirstPort()
                        .withPort(80)
                        .withTargetPort(new IntOrString(8080))
                        .endPort()
                        .endSpec()
                        .build());

        Service joined = berth.await(
                namespace,
                "joined",
                service -> condition(service, WellKnownNames.SHARING_CONFLICT).isPresent());
        assertThat(condition(joined, WellKnownNames.SHARING_CONFLICT)
                        .orElseThrow()
                        .getMessage())
                .contains("TCP/80")
                .contains(namespace + "/first");
        assertThat(ips(joined)).containsExactly("203.0.113.96");
        assertThat(condition(berth.get(namespace, "first"), WellKnownNames.SHARING_CONFLICT))
                .isEmpty();
    }

    @Test
    void aSharingKey_endsAtTheNamespace() {
        String one = berth.namespace("border");
        String other = berth.namespace("border");
        berth.pool(
                one,
                spec -> {
                    spec.put("namespaceSelector", Installation.selecting(one, other));
                    return spec;
                },
                "203.0.113.112/28");
        berth.service(one, "web", sharing("key", 80));
        awaitIps(one, "web", "203.0.113.112");

        berth.service(
                other,
                "web",
                builder -> annotated(WellKnownNames.ADDRESSES, "203.0.113.112")
                        .apply(sharing("key", 81).apply(builder)));

        awaitWaits(other, "web", "AddressNotAvailable");
    }

    @Test
    void retain_keepsTheAddressForItsReturn() {
        String namespace = berth.namespace("retain");
        berth.pool(namespace, "203.0.113.128/28");
        berth.service(
                namespace, "web", annotated(WellKnownNames.RETAIN, "true", WellKnownNames.ADDRESSES, "203.0.113.133"));
        awaitIps(namespace, "web", "203.0.113.133");

        berth.deleteService(namespace, "web");
        await().untilAsserted(() -> assertThat(Installation.claimsOf(address("203.0.113.133")))
                .singleElement()
                .satisfies(claim -> assertThat(claim.uid()).isNull()));
        berth.service(namespace, "other", annotated(WellKnownNames.ADDRESSES, "203.0.113.133"));
        awaitWaits(namespace, "other", "AddressNotAvailable");

        berth.service(namespace, "web");
        awaitIps(namespace, "web", "203.0.113.133");
    }

    @Test
    void retainThatIsTakenOff_isUndone_andOneThatCannotBeUnderstood_isSaid() {
        String namespace = berth.namespace("retain-off");
        berth.pool(namespace, "203.0.113.240/29");
        berth.service(namespace, "web", annotated(WellKnownNames.RETAIN, "true"));
        awaitIps(namespace, "web", "203.0.113.240");
        assertThat(address("203.0.113.240").getSpec().retain()).isTrue();

        annotate(namespace, "web", WellKnownNames.RETAIN, "yes");
        assertThat(awaitWaits(namespace, "web", "InvalidRetain").getMessage()).contains("\"yes\" is neither");
        assertThat(address("203.0.113.240").getSpec().retain()).isTrue();

        berth.client()
                .services()
                .inNamespace(namespace)
                .withName("web")
                .edit(service -> new ServiceBuilder(service)
                        .editMetadata()
                        .removeFromAnnotations(WellKnownNames.RETAIN)
                        .endMetadata()
                        .build());
        await().untilAsserted(() ->
                assertThat(address("203.0.113.240").getSpec().retain()).isNull());
        awaitWaits(namespace, "web", "Assigned");
        berth.deleteService(namespace, "web");
        berth.awaitReleased(namespace, "web");
    }

    @Test
    @Answers("metallb/metallb#778")
    void aReleasedAddress_restsForItsPoolsTime_alsoAcrossARestart_andAReturningServiceHasItAtOnce() {
        String namespace = berth.namespace("cool");
        berth.pool(
                namespace,
                spec -> {
                    spec.put("reuseAfter", "20s");
                    return spec;
                },
                "203.0.113.144/32");
        berth.service(namespace, "web");
        awaitIps(namespace, "web", "203.0.113.144");
        berth.deleteService(namespace, "web");
        await().untilAsserted(() ->
                assertThat(address("203.0.113.144").getSpec().releasedAt()).isNotNull());
        berth.service(namespace, "web");
        awaitIps(namespace, "web", "203.0.113.144");
        assertThat(address("203.0.113.144").getSpec().releasedAt()).isNull();

        berth.deleteService(namespace, "web");
        operator.stop();
        berth.service(namespace, "other");
        operator = berth.startOperator();

        awaitWaits(namespace, "other", "PoolExhausted");
        awaitIps(namespace, "other", "203.0.113.144");
    }

    @Test
    @Answers({"metallb/metallb#1156", "metallb/metallb#1339", "metallb/metallb#1776", "metallb/metallb#2482"})
    void requireDualStack_isBothOrNone_andPreferDualStack_degradesAndAddsLater() {
        String namespace = berth.namespace("dual");
        berth.pool(namespace, "203.0.113.160/28");
        berth.service(
                namespace,
                "both",
                builder -> builder.editSpec()
                        .withIpFamilyPolicy("RequireDualStack")
                        .endSpec());
        berth.service(
                namespace,
                "either",
                builder ->
                        builder.editSpec().withIpFamilyPolicy("PreferDualStack").endSpec());
        awaitWaits(namespace, "both", "NoPoolForFamily");
        assertThat(berth.addressesOf(namespace, "both")).isEmpty();
        berth.await(namespace, "either", service -> ips(service).size() == 1);

        berth.pool(namespace + "-v6", namespace, UnaryOperator.identity(), "2001:db8:160::/124");

        berth.await(namespace, "both", service -> ips(service).size() == 2);
        Service either =
                berth.await(namespace, "either", service -> ips(service).size() == 2);
        assertThat(either.getSpec().getIpFamilies().getFirst())
                .isEqualTo(ips(either).getFirst().contains(":") ? "IPv6" : "IPv4");

        berth.client()
                .services()
                .inNamespace(namespace)
                .withName("either")
                .edit(service -> new ServiceBuilder(service)
                        .editSpec()
                        .withIpFamilyPolicy("SingleStack")
                        .withIpFamilies(service.getSpec().getIpFamilies().getFirst())
                        .withClusterIPs(service.getSpec().getClusterIPs().getFirst())
                        .endSpec()
                        .build());
        berth.await(namespace, "either", service -> ips(service).size() == 1);
        await().untilAsserted(
                        () -> assertThat(berth.addressesOf(namespace, "either")).hasSize(1));
    }

    @Test
    void aServiceThatIsMadeAgain_whileBerthIsAway_keepsItsAddress() {
        String namespace = berth.namespace("anew");
        berth.pool(namespace, "203.0.113.176/28");
        berth.service(namespace, "web", annotated(WellKnownNames.ADDRESSES, "203.0.113.183"));
        awaitIps(namespace, "web", "203.0.113.183");
        operator.stop();
        berth.client()
                .services()
                .inNamespace(namespace)
                .withName("web")
                .edit(service -> new ServiceBuilder(service)
                        .editMetadata()
                        .withFinalizers(List.of())
                        .endMetadata()
                        .build());
        berth.deleteService(namespace, "web");
        berth.service(namespace, "web");
        operator = berth.startOperator();

        awaitIps(namespace, "web", "203.0.113.183");
        assertThat(Installation.claimsOf(address("203.0.113.183")))
                .singleElement()
                .satisfies(claim -> assertThat(claim.uid())
                        .isEqualTo(berth.get(namespace, "web").getMetadata().getUid()));
    }

    @Test
    void aReservationMadeByHand_isKeptFromOthers_untilItsServiceComes() {
        String namespace = berth.namespace("byhand");
        berth.pool(namespace, "203.0.113.192/31");
        for (String ip : List.of("203.0.113.192", "203.0.113.193")) {
            reserve(ip, namespace, "web-" + ip.substring(10));
        }
        berth.service(namespace, "stranger");
        awaitWaits(namespace, "stranger", "PoolExhausted");

        berth.service(namespace, "web-193");

        awaitIps(namespace, "web-193", "203.0.113.193");
        await().until(() -> controlPlane
                .kubectl("get", "addresspool", namespace, "-o", "jsonpath={.status.ipv4.reserved}")
                .equals("1"));
    }

    private static void reserve(String ip, String namespace, String name) {
        Address reservation = new Address();
        reservation.setMetadata(new ObjectMetaBuilder().withName(ip).build());
        reservation.setSpec(new Address.Spec(ip, null, null, List.of(new Address.Claim(null, namespace, name, null))));
        berth.client().resource(reservation).create();
    }

    private static void awaitReserved(String ip) {
        controlPlane.kubectl("wait", "--for=condition=Reserved", "--timeout=50s", "address/" + ip);
    }

    @Test
    void aReservationThatIsShownAsReserved_isKnown() {
        String namespace = berth.namespace("first");
        berth.pool(namespace, "203.0.113.224/29");
        for (int i = 1; i <= 5; i++) {
            reserve("203.0.113." + (224 + i), namespace, "web-" + i);
            awaitReserved("203.0.113." + (224 + i));
            berth.service(namespace, "web-" + i);

            awaitIps(namespace, "web-" + i, "203.0.113." + (224 + i));
        }
    }

    @Test
    void aReservationThatComesLate_changesNothing_untilTheServiceAsksForIt() {
        String namespace = berth.namespace("late");
        berth.pool(namespace, "203.0.113.232/30");
        berth.service(namespace, "mail");
        awaitIps(namespace, "mail", "203.0.113.232");

        reserve("203.0.113.234", namespace, "mail");
        awaitReserved("203.0.113.234");
        assertThat(ips(berth.get(namespace, "mail"))).containsExactly("203.0.113.232");

        annotate(namespace, "mail", WellKnownNames.ADDRESSES, "203.0.113.234");
        awaitIps(namespace, "mail", "203.0.113.234");
        berth.awaitAddressesOf(namespace, "mail", "203.0.113.234");
    }

    private static void finalizers(String ip, String json) {
        berth.client()
                .resources(Address.class)
                .withName(ip)
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"finalizers\":%s}}".formatted(json));
    }

    /** The API server keeps it then, although Berth has deleted it. */
    @Test
    void anAddressWithAFinalizer_isPassedOver_andAllocatedAgainOnceItIsGone() {
        String namespace = berth.namespace("kept");
        berth.pool(namespace, "203.0.113.236/31");
        berth.service(namespace, "first");
        awaitIps(namespace, "first", "203.0.113.236");
        finalizers("203.0.113.236", "[\"example.com/audit\"]");
        berth.deleteService(namespace, "first");
        await().untilAsserted(
                        () -> assertThat(address("203.0.113.236").getMetadata().getDeletionTimestamp())
                                .isNotNull());

        berth.service(namespace, "second");
        awaitIps(namespace, "second", "203.0.113.237");

        finalizers("203.0.113.236", "[]");
        berth.service(namespace, "third");
        awaitIps(namespace, "third", "203.0.113.236");
    }

    @Test
    void whateverIsAskedFor_noAddressIsPublishedTwice() {
        String namespace = berth.namespace("storm");
        berth.pool(namespace, "203.0.113.208/28");
        try (PublishedAddresses published = new PublishedAddresses(berth.client(), namespace)) {
            List<String> names = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                names.add("s" + i);
                berth.service(namespace, "s" + i, annotated(WellKnownNames.ADDRESSES, "203.0.113." + (208 + i % 4)));
            }
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 12; i++) {
                    annotate(namespace, "s" + i, WellKnownNames.ADDRESSES, "203.0.113." + (208 + (i + round) % 8));
                }
            }
            await().untilAsserted(() -> assertThat(names.stream()
                            .flatMap(name -> ips(berth.get(namespace, name)).stream())
                            .distinct())
                    .hasSize(8));
            assertThat(published.duplicates()).isEmpty();
        }
    }
}
