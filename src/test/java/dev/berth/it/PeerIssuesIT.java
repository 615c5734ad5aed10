package dev.berth.it;

import static dev.berth.testing.Installation.condition;
import static dev.berth.testing.Installation.ips;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.api.v1alpha1.Address;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.loadbalancer.WellKnownNames;
import dev.berth.testing.Answers;
import dev.berth.testing.AuditEvent;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.PublishedAddresses;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What users of other controllers reported, done to Berth: the steps of the report, and what should have come of them. */
@ExtendWith(SharedInstallation.class)
class PeerIssuesIT {
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

    private static ControlPlane controlPlane;
    private static Installation berth;
    private static OperatorProcess operator;

    @BeforeAll
    static void install(Installation shared) {
        berth = shared;
        controlPlane = berth.controlPlane();
        operator = berth.operator();
    }

    /** It names its class: anyone else who serves Services here is no reason to defer. */
    private static Service service(String namespace, String name, UnaryOperator<ServiceBuilder> change) {
        return berth.service(
                namespace,
                name,
                builder -> change.apply(builder)
                        .editSpec()
                        .withLoadBalancerClass(Installation.DEFAULT_CLASS)
                        .endSpec());
    }

    private static Service service(String namespace, String name) {
        return service(namespace, name, UnaryOperator.identity());
    }

    private static UnaryOperator<ServiceBuilder> asking(String ip) {
        return builder -> builder.editMetadata()
                .addToAnnotations(WellKnownNames.ADDRESSES, ip)
                .endMetadata();
    }

    private static ServiceBuilder dualStack(ServiceBuilder builder) {
        return builder.editSpec().withIpFamilyPolicy("PreferDualStack").endSpec();
    }

    private static void awaitWaits(String namespace, String name, String reason) {
        berth.await(
                namespace,
                name,
                service -> condition(service, WellKnownNames.ADDRESS_ASSIGNED)
                        .filter(said -> said.getReason().equals(reason))
                        .isPresent());
    }

    private static void edit(String pool, String addresses) {
        AddressPool edited = berth.client()
                .resources(AddressPool.class)
                .withName(pool)
                .patch(MERGE, "{\"spec\":{\"addresses\":[" + addresses + "]}}");
        await().until(() -> Optional.ofNullable(Objects.requireNonNull(berth.client()
                                .resources(AddressPool.class)
                                .withName(pool)
                                .get())
                        .getStatus())
                .filter(status -> Objects.equals(edited.getMetadata().getGeneration(), status.observedGeneration()))
                .isPresent());
    }

    private static void deletePool(String name) {
        berth.client().resources(AddressPool.class).withName(name).delete();
    }

    /** Whether Berth has seen that no pool has it any more. */
    private static boolean isStranded(String ip) {
        Address.Status status =
                berth.client().resources(Address.class).withName(ip).get().getStatus();
        return status != null
                && status.conditions() != null
                && status.conditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Stranded"));
    }

    /** What every Service of the namespace has. */
    private static Map<String, List<String>> had(String namespace) {
        Map<String, List<String>> had = new LinkedHashMap<>();
        berth.client()
                .services()
                .inNamespace(namespace)
                .list()
                .getItems()
                .forEach(service -> had.put(service.getMetadata().getName(), ips(service)));
        return had;
    }

    /** What Berth wrote to Services of this namespace so far. */
    private static List<AuditEvent> writesTo(String namespace) {
        return controlPlane.auditEvents().stream()
                .filter(AuditEvent::isWrite)
                .filter(event -> event.user().endsWith(":berth"))
                .filter(event -> event.resource().equals("services"))
                .filter(event -> event.namespace().equals(namespace))
                .toList();
    }

    /** Berth has looked at all that was there before: one that comes now is served. */
    private static void awaitLookedAtAll(String name) {
        String namespace = berth.namespace("after");
        berth.pool(namespace, "203.0.113." + namespace.replaceAll(".*-", ""));
        service(namespace, name);
        berth.awaitAddress(namespace, name);
        berth.deleteService(namespace, name);
    }

    @Test
    @Answers({"metallb/metallb#1774", "metallb/metallb#1984", "cilium/cilium#39033"})
    void restarts_leaveEveryAddressWithItsService_alsoOneAskedForAndOneBehindAGap_whoeverWaits() {
        String full = berth.namespace("full");
        berth.pool(full, "198.51.100.0/31");
        PublishedAddresses published = new PublishedAddresses(berth.client(), full);
        service(full, "b-asked", asking("198.51.100.1"));
        berth.awaitAddress(full, "b-asked");
        service(full, "c-plain");
        berth.awaitAddress(full, "c-plain");
        service(full, "a-waits");
        service(full, "d-waits");
        awaitWaits(full, "a-waits", "PoolExhausted");
        awaitWaits(full, "d-waits", "PoolExhausted");
        String gap = berth.namespace("gap");
        berth.pool(gap, "198.51.100.8/29");
        for (String name : List.of("one", "two", "three", "four", "five")) {
            service(gap, name);
            berth.awaitAddress(gap, name);
        }
        for (String name : List.of("three", "four")) {
            berth.deleteService(gap, name);
            berth.awaitReleased(gap, name);
        }
        Map<String, List<String>> hadFull = had(full);
        Map<String, List<String>> hadGap = had(gap);
        assertThat(hadGap).containsEntry("five", List.of("198.51.100.12"));
        List<AuditEvent> written = writesToHolders(full, gap);

        for (int restart = 0; restart < 3; restart++) {
            operator.kill();
            operator = berth.startOperator();
            awaitLookedAtAll("restart-" + restart);
        }

        assertThat(published.duplicates()).isEmpty();
        published.close();
        assertThat(had(full)).isEqualTo(hadFull);
        assertThat(had(gap)).isEqualTo(hadGap);
        assertThat(writesToHolders(full, gap)).isEqualTo(written);
    }

    /** What those who wait are told differs with the pools that there are. */
    private static List<AuditEvent> writesToHolders(String... namespaces) {
        return Stream.of(namespaces)
                .flatMap(namespace -> writesTo(namespace).stream())
                .filter(event -> !event.name().endsWith("-waits"))
                .toList();
    }

    @Test
    @Answers("metallb/metallb#2723")
    void aServiceThatIsDeleted_changesNobodyElsesAddress() {
        String namespace = berth.namespace("deleted");
        berth.pool(namespace, "198.51.100.16/29", "2001:db8:16::/125");
        for (String name : List.of("a", "b", "c")) {
            service(namespace, name, PeerIssuesIT::dualStack);
            berth.await(namespace, name, service -> ips(service).size() == 2);
        }
        Map<String, List<String>> had = had(namespace);
        had.remove("a");

        berth.deleteService(namespace, "a");
        berth.awaitReleased(namespace, "a");
        awaitLookedAtAll("deleted");

        assertThat(had(namespace)).isEqualTo(had);
        assertThat(writesTo(namespace))
                .extracting(AuditEvent::name)
                .filteredOn(name -> !name.equals("a"))
                .containsExactly("b", "c");
    }

    @Test
    @Answers({"cilium/cilium#41458", "cilium/cilium#39089"})
    void aPoolThatIsShrunkOrEnlarged_changesNobodysAddress() {
        String namespace = berth.namespace("edited");
        berth.pool(namespace, "198.51.100.32-198.51.100.60");
        for (String name : List.of("a", "b", "c")) {
            service(namespace, name);
            berth.awaitAddress(namespace, name);
        }
        service(namespace, "last", asking("198.51.100.60"));
        berth.awaitAddress(namespace, "last");
        Map<String, List<String>> had = had(namespace);
        int written = writesTo(namespace).size();

        edit(namespace, "\"198.51.100.32-198.51.100.39\",\"198.51.100.50-198.51.100.60\"");
        edit(namespace, "\"198.51.100.30-198.51.100.63\"");
        edit(namespace, "\"198.51.100.60\",\"198.51.100.32/30\"");
        awaitLookedAtAll("edited");

        assertThat(had(namespace)).isEqualTo(had);
        assertThat(writesTo(namespace)).hasSize(written);
    }

    @Test
    @Answers({"metallb/metallb#1591", "metallb/metallb#2076"})
    void aPoolThatIsDeleted_leadsToNoDuplicate_andIsNotGivenOutOfAnyMore_notEvenToAServiceOfTheSameName() {
        String namespace = berth.namespace("two");
        berth.pool(
                namespace,
                spec -> {
                    spec.put("priority", 1);
                    return spec;
                },
                "198.51.100.64/30");
        berth.pool(namespace + "-other", namespace, UnaryOperator.identity(), "198.51.100.68/30");

        try (PublishedAddresses published = new PublishedAddresses(berth.client(), namespace)) {
            service(namespace, "a");
            service(namespace, "b");
            berth.awaitAddress(namespace, "a");
            List<String> before = ips(berth.awaitAddress(namespace, "b"));
            deletePool(namespace);
            await().until(() -> isStranded(before.getFirst()));
            for (String name : List.of("c", "d", "e", "f")) {
                service(namespace, name);
                assertThat(ips(berth.awaitAddress(namespace, name)).getFirst())
                        .matches("198\\.51\\.100\\.(68|69|70|71)");
            }
            assertThat(ips(berth.get(namespace, "b"))).isEqualTo(before);
            berth.deleteService(namespace, "a");
            berth.awaitReleased(namespace, "a");
            berth.deleteService(namespace, "f");
            berth.awaitReleased(namespace, "f");
            for (int again = 0; again < 2; again++) {
                service(namespace, "a");
                assertThat(ips(berth.awaitAddress(namespace, "a"))).containsExactly("198.51.100.71");
                berth.deleteService(namespace, "a");
                berth.awaitReleased(namespace, "a");
            }
            assertThat(published.duplicates()).isEmpty();
        }
    }

    @Test
    @Answers("cilium/cilium#30078")
    void theOnlyAddress_isThereAgain_howeverOftenItsServiceWasMadeAndDeleted() {
        String namespace = berth.namespace("again");
        berth.pool(namespace, "198.51.100.80");

        for (int round = 0; round < 5; round++) {
            service(namespace, "web-" + round);
            assertThat(ips(berth.awaitAddress(namespace, "web-" + round))).containsExactly("198.51.100.80");
            berth.deleteService(namespace, "web-" + round);
        }

        berth.awaitReleased(namespace, "web-4");
        await().until(() -> controlPlane
                .kubectl("get", "addresspool", namespace, "-o", "jsonpath={.status.ipv4.available}")
                .equals("1"));
    }

    @Test
    @Answers("openelb/openelb#271")
    void aPoolAndItsServices_deletedAtOnce_leaveNothingBehind() {
        String namespace = berth.namespace("both");
        berth.pool(namespace, "198.51.100.88/31");
        service(namespace, "a");
        service(namespace, "b");
        berth.awaitAddress(namespace, "a");
        berth.awaitAddress(namespace, "b");

        controlPlane.kubectl("delete", "service", "a", "b", "--namespace=" + namespace, "--wait=false");
        deletePool(namespace);

        berth.awaitReleased(namespace, "a");
        berth.awaitReleased(namespace, "b");
        berth.pool(namespace, "198.51.100.88/31");
        service(namespace, "c");
        service(namespace, "d");
        assertThat(List.of(ips(berth.awaitAddress(namespace, "c")), ips(berth.awaitAddress(namespace, "d"))))
                .containsExactlyInAnyOrder(List.of("198.51.100.88"), List.of("198.51.100.89"));
    }

    @Test
    @Answers({"cilium/cilium#39805", "metallb/metallb#2396", "kubernetes/kubernetes#91306"})
    void whatAnotherControllerPublished_isNeverWrittenOver_alsoWhereNoPoolSelectsTheService() {
        String namespace = berth.namespace("theirs");
        berth.pool(
                namespace,
                spec -> {
                    spec.put("serviceSelector", Map.of("matchLabels", Map.of("color", "blue")));
                    return spec;
                },
                "198.51.100.96/30");
        berth.service(namespace, "theirs");
        awaitWaits(namespace, "theirs", "NotAllowedByPools");
        berth.publishAsStranger(namespace, "theirs", "203.0.113.201");
        await().untilAsserted(() -> assertThat(berth.events(namespace, "theirs"))
                .extracting(Map.Entry::getKey)
                .contains("ServedByOtherController"));
        // What Berth said of the wait goes; its own condition, and nothing else.
        berth.await(
                namespace,
                "theirs",
                service -> condition(service, WellKnownNames.ADDRESS_ASSIGNED).isEmpty());
        int written = writesTo(namespace).size();
        operator.stop();
        operator = berth.startOperator();
        awaitLookedAtAll("theirs");

        assertThat(ips(berth.get(namespace, "theirs"))).containsExactly("203.0.113.201");
        assertThat(writesTo(namespace)).hasSize(written);
        berth.deleteService(namespace, "theirs");
    }

    @Test
    @Answers("metallb/metallb#2711")
    void aControllerThatAsksForAnAddressOfNoPool_isToldOnce_andNotFoughtWith() {
        String namespace = berth.namespace("tunnel");
        berth.pool(namespace, "198.51.100.104/30");
        service(namespace, "web");
        List<String> had = ips(berth.awaitAddress(namespace, "web"));
        int written = writesTo(namespace).size();

        berth.client()
                .services()
                .inNamespace(namespace)
                .withName("web")
                .patch(MERGE, "{\"spec\":{\"loadBalancerIP\":\"203.0.113.202\"}}");
        awaitWaits(namespace, "web", "ReplacementPending");
        awaitLookedAtAll("tunnel");

        Service web = berth.get(namespace, "web");
        assertThat(ips(web)).isEqualTo(had);
        assertThat(web.getSpec().getLoadBalancerIP()).isEqualTo("203.0.113.202");
        assertThat(writesTo(namespace)).hasSize(written + 1);
        assertThat(berth.client()
                        .resources(Address.class)
                        .withName("203.0.113.202")
                        .get())
                .isNull();
    }
}
