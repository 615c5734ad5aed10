package dev.berth.it;

import static dev.berth.testing.Installation.condition;
import static dev.berth.testing.Installation.ips;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.Address;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.testing.Answers;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An edit of a pool takes no address away, says what it left behind, and allocates nothing from what it took out. */
@ExtendWith(SharedInstallation.class)
class PoolEditsIT {
    private static final String ASSIGNED = "berth.dev/AddressAssigned";

    private static ControlPlane controlPlane;
    private static Installation berth;
    private static OperatorProcess operator;

    @BeforeAll
    static void install(Installation shared) {
        berth = shared;
        controlPlane = berth.controlPlane();
        operator = berth.operator();
    }

    // ---- what is done

    private static void awaitAsserted(ThrowingRunnable assertions) {
        Awaitility.await().pollInterval(Duration.ofMillis(100)).untilAsserted(assertions);
    }

    private static AddressPool pool(String name) {
        return Objects.requireNonNull(
                berth.client().resources(AddressPool.class).withName(name).get(), name);
    }

    private static AddressPool edit(String pool, String spec) {
        return berth.client()
                .resources(AddressPool.class)
                .withName(pool)
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":" + spec + "}");
    }

    private static void acknowledge(String pool, String text) {
        controlPlane.kubectl("annotate", "addresspool", pool, "berth.dev/release-stranded=" + text, "--overwrite");
    }

    private static void delete(String pool) {
        berth.client().resources(AddressPool.class).withName(pool).delete();
    }

    /** Another pool for the Services of {@code namespace}. */
    private static void another(String name, String namespace, String... addresses) {
        AddressPool pool = new AddressPool();
        pool.setMetadata(new ObjectMetaBuilder().withName(name).build());
        AddressPool.Spec like = pool(namespace).getSpec();
        pool.setSpec(new AddressPool.Spec(
                List.of(addresses), null, null, null, like.namespaceSelector(), null, null, null, null, null, null));
        berth.client().resource(pool).create();
    }

    /** As many Services as are named, each with an address. */
    private static Map<String, List<String>> served(String namespace, String... names) {
        Map<String, List<String>> served = new LinkedHashMap<>();
        for (String name : names) {
            berth.service(namespace, name);
            served.put(name, ips(berth.awaitAddress(namespace, name)));
        }
        return served;
    }

    private static void keepWhatTheyHave(String namespace, Map<String, List<String>> served) {
        served.forEach((name, addresses) -> {
            assertThat(ips(berth.get(namespace, name))).as(name).isEqualTo(addresses);
            assertThat(berth.addressesOf(namespace, name)).as(name).containsExactlyElementsOf(addresses);
        });
    }

    private static Optional<AddressPool.Status> status(String pool) {
        AddressPool.Status status = pool(pool).getStatus();
        return Optional.ofNullable(status)
                .filter(seen -> Objects.equals(
                        seen.observedGeneration(), pool(pool).getMetadata().getGeneration()));
    }

    /** The stranded addresses that the pool's status names. */
    private static List<String> stranded(String pool) {
        return status(pool).map(AddressPool.Status::stranded).stream()
                .flatMap(stranded -> stranded.addresses().stream())
                .map(AddressPool.StrandedAddress::address)
                .toList();
    }

    private static Optional<Condition> strandedCondition(String pool) {
        return status(pool).map(AddressPool.Status::conditions).stream()
                .flatMap(List::stream)
                .filter(condition -> condition.getType().equals("Stranded"))
                .findFirst();
    }

    private static void awaitStranded(String pool, String... addresses) {
        awaitAsserted(() -> {
            assertThat(status(pool)).isPresent();
            assertThat(stranded(pool)).containsExactly(addresses);
        });
    }

    private static String waitsFor(String namespace, String name) {
        return condition(
                        berth.await(
                                namespace,
                                name,
                                service -> condition(service, ASSIGNED)
                                        .filter(seen -> seen.getStatus().equals("False"))
                                        .isPresent()),
                        ASSIGNED)
                .map(seen -> seen.getReason() + ": " + seen.getMessage())
                .orElseThrow();
    }

    /** What its condition says; "": it has none. */
    private static String state(String address) {
        return Optional.ofNullable(berth.client()
                        .resources(Address.class)
                        .withName(address)
                        .get())
                .map(found -> Optional.ofNullable(found.getStatus()).map(Address.Status::conditions).stream()
                        .flatMap(List::stream)
                        .map(condition -> condition.getType())
                        .collect(Collectors.joining(",")))
                .orElse("gone");
    }

    // ---- edits

    @Test
    @Answers("cilium/cilium#41458")
    void shrunkPool_leavesServicesTheirs_namesThem_andGivesNothingOutOfTheRest() {
        String namespace = berth.namespace("shrink");
        berth.pool(namespace, "198.51.100.0-198.51.100.2");
        Map<String, List<String>> served = served(namespace, "a", "b", "c");

        edit(namespace, "{\"addresses\":[\"198.51.100.0\"]}");

        awaitStranded(namespace, "198.51.100.1", "198.51.100.2");
        keepWhatTheyHave(namespace, served);
        assertThat(pool(namespace).getStatus().stranded())
                .isEqualTo(new AddressPool.Stranded(
                        2,
                        List.of(
                                new AddressPool.StrandedAddress("198.51.100.1", List.of(namespace + "/b")),
                                new AddressPool.StrandedAddress("198.51.100.2", List.of(namespace + "/c")))));
        assertThat(strandedCondition(namespace)).hasValueSatisfying(condition -> {
            assertThat(condition.getStatus()).isEqualTo("True");
            assertThat(condition.getReason()).isEqualTo("NotInAnyPool");
            assertThat(condition.getMessage())
                    .isEqualTo("2 stranded addresses (in no pool) are still in use: 198.51.100.1 ("
                            + namespace + "/b), 198.51.100.2 (" + namespace
                            + "/c); to reclaim them: kubectl annotate addresspool " + namespace
                            + " berth.dev/release-stranded=2 --overwrite; currently, " + namespace
                            + "/b would get no address (PoolExhausted), " + namespace + "/c would get no address"
                            + " (PoolExhausted)");
        });
        awaitAsserted(() -> assertThat(berth.events("default", namespace))
                .filteredOn(event -> event.getKey().equals("AddressesStranded"))
                .hasSize(1));
        assertThat(operator.metric("berth_addresses_stranded", "pool", namespace))
                .isEqualTo(2);
        berth.service(namespace, "late");
        assertThat(waitsFor(namespace, "late"))
                .startsWith("PoolExhausted:")
                .contains("\"" + namespace + "\" (0 of 1 free)");
    }

    @Test
    void addressesThatStrand_areShownAsSuch_untilThePoolHasThemAgain() {
        String namespace = berth.namespace("phase");
        berth.pool(namespace, "198.51.100.8-198.51.100.9");
        served(namespace, "a", "b");
        assertThat(state("198.51.100.9")).isEmpty();

        edit(namespace, "{\"addresses\":[\"198.51.100.8\"]}");
        awaitAsserted(() -> assertThat(state("198.51.100.9")).isEqualTo("Stranded"));
        assertThat(state("198.51.100.8")).isEmpty();
        assertThat(controlPlane.kubectl("get", "address", "198.51.100.9", "-o", "wide"))
                .contains("STATE", "Stranded");

        edit(namespace, "{\"addresses\":[\"198.51.100.8-198.51.100.9\"]}");
        awaitAsserted(() -> assertThat(state("198.51.100.9")).isEmpty());
        awaitStranded(namespace);
        assertThat(strandedCondition(namespace)).isEmpty();
    }

    @Test
    void reservedAndCoolingAddresses_areShownAsSuch() {
        String namespace = berth.namespace("phases");
        berth.pool(
                namespace,
                spec -> {
                    spec.put("reuseAfter", "1h");
                    return spec;
                },
                "198.51.100.16-198.51.100.17");
        berth.client()
                .resource(reservation("198.51.100.16", namespace, "later"))
                .create();
        served(namespace, "gone");
        berth.client().services().inNamespace(namespace).withName("gone").delete();

        awaitAsserted(() -> assertThat(state("198.51.100.16")).isEqualTo("Reserved"));
        awaitAsserted(() -> assertThat(state("198.51.100.17")).isEqualTo("Cooling"));
        awaitAsserted(() -> assertThat(status(namespace).map(AddressPool.Status::ipv4))
                .contains(new AddressPool.Family("2", "0", "0", "1", "1", 0)));

        served(namespace, "later", "gone");
        awaitAsserted(() -> {
            assertThat(state("198.51.100.16")).isEmpty();
            assertThat(state("198.51.100.17")).isEmpty();
        });
    }

    private static Address reservation(String address, String namespace, String service) {
        Address object = new Address();
        object.setMetadata(new ObjectMetaBuilder().withName(address).build());
        object.setSpec(
                new Address.Spec(address, null, null, List.of(new Address.Claim(null, namespace, service, null))));
        return object;
    }

    @Test
    void excludedAddress_staysWithItsService() {
        String namespace = berth.namespace("exclude");
        berth.pool(namespace, "198.51.100.24-198.51.100.25");
        Map<String, List<String>> served = served(namespace, "a", "b");

        edit(namespace, "{\"excluded\":[\"198.51.100.24\"]}");

        awaitStranded(namespace, "198.51.100.24");
        keepWhatTheyHave(namespace, served);
        berth.service(namespace, "late");
        assertThat(waitsFor(namespace, "late")).contains("(0 of 1 free)");
    }

    @Test
    void deletedPool_leavesServicesTheirs_andItsReturnSettlesThem() {
        String namespace = berth.namespace("deleted");
        berth.pool(namespace, "198.51.100.32/31");
        Map<String, List<String>> served = served(namespace, "a");

        delete(namespace);

        awaitAsserted(() -> assertThat(operator.metric("berth_addresses_stranded", "pool", namespace))
                .isEqualTo(1));
        operator.awaitLog("AddressPool .*" + namespace + ".* was deleted; 1 stranded address ");
        keepWhatTheyHave(namespace, served);
        berth.service(namespace, "late");
        waitsFor(namespace, "late");

        berth.pool(namespace, "198.51.100.32/31");
        assertThat(ips(berth.awaitAddress(namespace, "late"))).containsExactly("198.51.100.33");
        awaitStranded(namespace);
        keepWhatTheyHave(namespace, served);
    }

    @Test
    void deletedPool_thatIsMadeAgainElsewhereWithTheAnnotation_takesItsAddressesBack() {
        String namespace = berth.namespace("moved");
        berth.pool(namespace, "198.51.100.40");
        served(namespace, "a");
        delete(namespace);
        awaitAsserted(() -> assertThat(state("198.51.100.40")).isEqualTo("Stranded"));

        berth.pool(namespace, "198.51.100.41");
        awaitStranded(namespace, "198.51.100.40");
        acknowledge(namespace, "1");

        berth.await(namespace, "a", service -> ips(service).equals(List.of("198.51.100.41")));
        awaitStranded(namespace);
    }

    @Test
    void renamedPool_strandsNothing() {
        String namespace = berth.namespace("rename");
        berth.pool(namespace, "198.51.100.48/31");
        Map<String, List<String>> served = served(namespace, "a");

        another(namespace + "-new", namespace, "198.51.100.48/31");
        delete(namespace);

        awaitAsserted(() -> assertThat(status(namespace + "-new").map(AddressPool.Status::ipv4))
                .contains(new AddressPool.Family("2", "1", "1", "0", "0", 0)));
        keepWhatTheyHave(namespace, served);
        assertThat(state("198.51.100.48")).isEmpty();
        assertThat(served(namespace, "b")).containsEntry("b", List.of("198.51.100.49"));
        // From now on it counts as the new one's, also when that one loses it.
        awaitAsserted(() -> assertThat(berth.controlPlane()
                        .kubectl("get", "addresses", "-l", "berth.dev/pool=" + namespace + "-new", "-o", "name"))
                .contains("address.berth.dev/198.51.100.48"));
        edit(namespace + "-new", "{\"excluded\":[\"198.51.100.48\"]}");
        awaitStranded(namespace + "-new", "198.51.100.48");
    }

    @Test
    void splitPool_andMergedPools_strandNothing() {
        String namespace = berth.namespace("split");
        String half = namespace + "-half";
        berth.pool(namespace, "198.51.100.56-198.51.100.59");
        Map<String, List<String>> served = served(namespace, "a", "b", "c");

        another(half, namespace, "198.51.100.58-198.51.100.59");
        edit(namespace, "{\"addresses\":[\"198.51.100.56-198.51.100.57\"]}");
        awaitAsserted(() -> {
            assertThat(status(namespace).map(AddressPool.Status::ipv4))
                    .contains(new AddressPool.Family("2", "2", "0", "0", "0", 0));
            assertThat(status(half).map(AddressPool.Status::ipv4))
                    .contains(new AddressPool.Family("2", "1", "1", "0", "0", 0));
        });
        keepWhatTheyHave(namespace, served);

        delete(half);
        edit(namespace, "{\"addresses\":[\"198.51.100.56-198.51.100.59\"]}");
        awaitAsserted(() -> assertThat(status(namespace).map(AddressPool.Status::ipv4))
                .contains(new AddressPool.Family("4", "3", "1", "0", "0", 0)));
        awaitStranded(namespace);
        keepWhatTheyHave(namespace, served);
        assertThat(state("198.51.100.58")).isEmpty();
    }

    @Test
    void changedPriority_movesNobody_andDecidesForThoseWhoCome() {
        String namespace = berth.namespace("priority");
        String other = namespace + "-other";
        berth.pool(namespace, "198.51.100.64/31");
        another(other, namespace, "198.51.100.66/31");
        Map<String, List<String>> served = served(namespace, "a");
        assertThat(served).containsEntry("a", List.of("198.51.100.64"));

        edit(other, "{\"priority\":1}");
        awaitAsserted(() -> assertThat(status(other)).isPresent());

        assertThat(served(namespace, "b")).containsEntry("b", List.of("198.51.100.66"));
        keepWhatTheyHave(namespace, served);
    }

    @Test
    void changedSelectors_moveNobody_andShutOutThoseWhoCome() {
        String namespace = berth.namespace("selectors");
        berth.pool(namespace, "198.51.100.72/30");
        Map<String, List<String>> served = served(namespace, "a");

        edit(
                namespace,
                "{\"serviceSelector\":{\"matchLabels\":{\"team\":\"b\"}},\"namespaceSelector\":{\"matchLabels\":{\"team\":\"b\"}}}");
        awaitAsserted(() -> assertThat(status(namespace)).isPresent());

        berth.service(namespace, "late");
        assertThat(waitsFor(namespace, "late"))
                .startsWith("NotAllowedByPools:")
                .contains("\"" + namespace + "\" does not select its namespace");
        keepWhatTheyHave(namespace, served);
        assertThat(stranded(namespace)).isEmpty();
    }

    @Test
    void overlapThatAppears_leavesTheOlderPoolItsAddresses() {
        String namespace = berth.namespace("overlap");
        String other = namespace + "-other";
        berth.pool(namespace, "198.51.100.80/31");
        Map<String, List<String>> served = served(namespace, "a");
        another(other, namespace, "198.51.100.82/31");

        edit(other, "{\"addresses\":[\"198.51.100.80/30\"]}");

        awaitAsserted(() -> {
            assertThat(status(other).map(AddressPool.Status::conditions).stream()
                            .flatMap(List::stream))
                    .anySatisfy(condition -> {
                        assertThat(condition.getType()).isEqualTo("Valid");
                        assertThat(condition.getStatus()).isEqualTo("False");
                        assertThat(condition.getMessage()).contains("overlaps AddressPool \"" + namespace + "\"");
                    });
            assertThat(status(namespace).map(AddressPool.Status::ipv4))
                    .contains(new AddressPool.Family("2", "1", "1", "0", "0", 0));
            assertThat(status(other).map(AddressPool.Status::ipv4))
                    .contains(new AddressPool.Family("2", "0", "2", "0", "0", 0));
        });
        keepWhatTheyHave(namespace, served);
        assertThat(stranded(namespace)).isEmpty();
    }

    // ---- taking back

    @Test
    void acknowledgedEdit_movesServices_andLeavesThoseWithoutAnotherWaiting_withTheReason() {
        String namespace = berth.namespace("release");
        berth.pool(namespace, "198.51.100.88-198.51.100.89");
        Map<String, List<String>> served = served(namespace, "a", "b");
        edit(namespace, "{\"addresses\":[\"198.51.100.90\"]}");
        awaitStranded(namespace, "198.51.100.88", "198.51.100.89");

        acknowledge(namespace, "1");
        acknowledge(namespace, "true");
        // What was done about the annotation is done by the time that a later edit was looked at.
        berth.service(namespace, "new");
        assertThat(ips(berth.awaitAddress(namespace, "new"))).containsExactly("198.51.100.90");
        keepWhatTheyHave(namespace, served);
        berth.client().services().inNamespace(namespace).withName("new").delete();
        berth.awaitReleased(namespace, "new");

        acknowledge(namespace, "2");

        awaitAsserted(() -> {
            assertThat(berth.addressesOf(namespace, "a")).doesNotContain("198.51.100.88");
            assertThat(berth.addressesOf(namespace, "b")).doesNotContain("198.51.100.89");
        });
        awaitAsserted(() -> assertThat(List.of(ips(berth.get(namespace, "a")), ips(berth.get(namespace, "b"))))
                .containsExactlyInAnyOrder(List.of("198.51.100.90"), List.of()));
        String loser = ips(berth.get(namespace, "a")).isEmpty() ? "a" : "b";
        assertThat(waitsFor(namespace, loser)).startsWith("PoolExhausted:").contains("(0 of 1 free)");
        awaitStranded(namespace);
        awaitAsserted(() -> assertThat(status(namespace).map(AddressPool.Status::releasedStranded))
                .contains("2"));
    }

    @Test
    void constantAnnotation_acknowledgesOneEditOnly() {
        String namespace = berth.namespace("constant");
        berth.pool(namespace, "198.51.100.96-198.51.100.97");
        served(namespace, "a", "b");
        edit(namespace, "{\"addresses\":[\"198.51.100.96\",\"198.51.100.98\"]}");
        acknowledge(namespace, "2");
        berth.await(namespace, "b", service -> ips(service).equals(List.of("198.51.100.98")));
        awaitAsserted(() -> assertThat(status(namespace).map(AddressPool.Status::releasedStranded))
                .contains("2"));

        edit(namespace, "{\"addresses\":[\"198.51.100.96\",\"198.51.100.99\"]}");

        awaitStranded(namespace, "198.51.100.98");
        keepWhatTheyHave(namespace, Map.of("a", List.of("198.51.100.96"), "b", List.of("198.51.100.98")));
        assertThat(served(namespace, "c")).containsEntry("c", List.of("198.51.100.99"));
        keepWhatTheyHave(namespace, Map.of("a", List.of("198.51.100.96"), "b", List.of("198.51.100.98")));
    }

    @Test
    void enlargedPool_servesThoseWhoWait_inOrder() {
        String namespace = berth.namespace("enlarge");
        berth.pool(namespace, "198.51.100.104");
        served(namespace, "first");
        List<String> waiters = List.of("w1", "w2", "w3");
        for (String waiter : waiters) {
            Waiters.queue(berth, namespace, waiter);
        }

        edit(namespace, "{\"addresses\":[\"198.51.100.104-198.51.100.106\"]}");

        assertThat(List.of(ips(berth.awaitAddress(namespace, "w1")), ips(berth.awaitAddress(namespace, "w2"))))
                .containsExactlyInAnyOrder(List.of("198.51.100.105"), List.of("198.51.100.106"));
        assertThat(waitsFor(namespace, "w3")).startsWith("PoolExhausted:");
        awaitAsserted(() -> assertThat(status(namespace).map(AddressPool.Status::ipv4))
                .contains(new AddressPool.Family("3", "3", "0", "0", "0", 1)));
    }
}
