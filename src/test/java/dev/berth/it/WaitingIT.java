package dev.berth.it;

import static dev.berth.testing.Installation.annotated;
import static dev.berth.testing.Installation.ips;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.Answers;
import dev.berth.testing.AuditEvent;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Those who wait know why, and are served in order. */
@ExtendWith(SharedInstallation.class)
class WaitingIT {
    private static ControlPlane controlPlane;
    private static Installation berth;
    private static OperatorProcess operator;

    @BeforeAll
    static void install(Installation shared) {
        berth = shared;
        controlPlane = berth.controlPlane();
        operator = berth.operator();
    }

    private static UnaryOperator<ServiceBuilder> ofFamilies(String policy, String... families) {
        return service -> service.editSpec()
                .withIpFamilyPolicy(policy)
                .withIpFamilies(families)
                .endSpec();
    }

    private static void delete(String namespace, String name) {
        berth.client().services().inNamespace(namespace).withName(name).delete();
    }

    private static Instant first(Predicate<AuditEvent> which) {
        return controlPlane.auditEvents().stream()
                .filter(AuditEvent::succeeded)
                .filter(AuditEvent::isWrite)
                .filter(which)
                .map(AuditEvent::received)
                .findFirst()
                .orElseThrow();
    }

    private static List<Instant> patches(String namespace, String name) {
        return controlPlane.auditEvents().stream()
                .filter(AuditEvent::succeeded)
                .filter(event -> event.resource().equals("services")
                        && event.subresource().equals("status")
                        && event.namespace().equals(namespace)
                        && event.name().equals(name))
                .map(AuditEvent::received)
                .toList();
    }

    // ---- order

    @Test
    void whatIsFreed_goesToWhoeverWaitsLongest_withinASecond_andNoNewcomerOvertakes() {
        String namespace = berth.namespace("order");
        berth.pool(namespace, "198.51.100.0/30");
        List<String> holders = List.of("h0", "h1", "h2", "h3");
        for (String holder : holders) {
            berth.service(namespace, holder);
            berth.awaitAddress(namespace, holder);
        }
        List<String> waiters = List.of("w0", "w1", "w2", "w3");
        waiters.forEach(waiter -> Waiters.queue(berth, namespace, waiter));

        for (int i = 0; i < holders.size(); i++) {
            // The newcomer is there before the address is free, and another comes while it is being given on.
            berth.service(namespace, "newcomer" + i);
            delete(namespace, holders.get(i));
            berth.service(namespace, "later" + i);
            String freed = "198.51.100." + i;
            String next = waiters.get(i);

            assertThat(ips(berth.awaitAddress(namespace, next))).containsExactly(freed);
            Instant free = first(event -> event.verb().equals("delete")
                    && event.resource().equals("addresses")
                    && event.name().equals(freed));
            assertThat(patches(namespace, next).getLast()).isBetween(free, free.plusSeconds(1));
            for (String behind : waiters.subList(i + 1, waiters.size())) {
                assertThat(ips(berth.get(namespace, behind))).isEmpty();
            }
        }
        for (int i = 0; i < holders.size(); i++) {
            Waiters.awaitWaiting(berth, namespace, "newcomer" + i);
            Waiters.awaitWaiting(berth, namespace, "later" + i);
        }
    }

    @Test
    void whoCannotUseWhatIsFreed_blocksNobody() {
        String namespace = berth.namespace("blocked");
        berth.pool(namespace, "198.51.100.8-198.51.100.9", "2001:db8:8::1");
        berth.service(namespace, "h0");
        berth.awaitAddress(namespace, "h0");
        berth.service(namespace, "h1");
        berth.awaitAddress(namespace, "h1");
        berth.service(namespace, "six", ofFamilies("SingleStack", "IPv6"));
        berth.awaitAddress(namespace, "six");
        Waiters.queue(berth, namespace, "other-family", ofFamilies("SingleStack", "IPv6"));
        Waiters.queue(berth, namespace, "both-families", ofFamilies("RequireDualStack", "IPv6", "IPv4"));
        Waiters.queue(berth, namespace, "exact", annotated("berth.dev/addresses", "198.51.100.9"));
        Waiters.queue(berth, namespace, "elsewhere", annotated("berth.dev/addresses", "203.0.113.9"));
        Waiters.queue(berth, namespace, "other-pool", annotated("berth.dev/address-pool", "none-of-this-name"));
        Waiters.queue(berth, namespace, "misunderstood", annotated("berth.dev/addresses", "nonsense"));
        Waiters.queue(berth, namespace, "last");

        delete(namespace, "h0");

        assertThat(ips(berth.awaitAddress(namespace, "last"))).containsExactly("198.51.100.8");
        delete(namespace, "h1");
        assertThat(ips(berth.awaitAddress(namespace, "exact"))).containsExactly("198.51.100.9");
        delete(namespace, "six");
        assertThat(ips(berth.awaitAddress(namespace, "other-family"))).containsExactly("2001:db8:8::1");
        Waiters.awaitWaiting(berth, namespace, "both-families");
    }

    @Test
    @Answers("harvester/harvester#5685")
    void namespaceAtItsQuota_waitsWithTheNumbers_blocksNobody_andGoesOnWhenOneOfItsOwnGoes() {
        String namespace = berth.namespace("quota");
        String other = berth.namespace("quota-other");
        berth.pool(
                namespace,
                spec -> {
                    spec.put("namespaceSelector", Installation.selecting(namespace, other));
                    spec.put("quota", Map.of("perNamespace", 2));
                    return spec;
                },
                "198.51.100.16-198.51.100.18");
        for (String name : List.of("a", "b")) {
            berth.service(namespace, name);
            berth.awaitAddress(namespace, name);
        }

        Condition waiting = Waiters.queue(berth, namespace, "c");
        assertThat(waiting.getReason()).isEqualTo("QuotaExceeded");
        assertThat(waiting.getMessage())
                .contains("AddressPool \"" + namespace + "\" (quota: namespace " + namespace + " has 2 of 2)");
        berth.service(other, "free");
        assertThat(ips(berth.awaitAddress(other, "free"))).containsExactly("198.51.100.18");

        delete(namespace, "a");

        assertThat(ips(berth.awaitAddress(namespace, "c"))).containsExactly("198.51.100.16");
    }

    // ---- reasons

    /** A Service that waits, and what it is told. */
    private record Row(String name, UnaryOperator<ServiceBuilder> change, String reason, String says) {}

    @Test
    @Answers("metallb/metallb#2079")
    void everyServiceThatWaits_hasItsReasonWithinTwoSeconds_oneEvent_andIsCountedUnderIt() {
        String namespace = berth.namespace("reasons");
        String pool = "AddressPool \"" + namespace + "\" ";
        berth.pool(namespace, "198.51.100.24");
        berth.service(namespace, "holder");
        berth.awaitAddress(namespace, "holder");
        List<Row> rows = List.of(
                new Row("full", UnaryOperator.identity(), "PoolExhausted", pool + "(0 of 1 free)"),
                new Row("unsure", annotated("berth.dev/retain", "maybe"), "InvalidRetain", "neither true nor false"),
                new Row(
                        "taken",
                        annotated("berth.dev/addresses", "198.51.100.24"),
                        "AddressNotAvailable",
                        "198.51.100.24 is used by Service " + namespace + "/holder"),
                new Row(
                        "nowhere",
                        annotated("berth.dev/addresses", "203.0.113.1"),
                        "AddressNotAvailable",
                        "no AddressPool has 203.0.113.1: it is outside of every AddressPool"),
                new Row(
                        "named",
                        annotated("berth.dev/address-pool", "nobody"),
                        "PoolNotFound",
                        "requested AddressPool \"nobody\" does not exist"),
                new Row("words", annotated("berth.dev/addresses", "words"), "InvalidAddresses", "words"));
        List<String> names = new ArrayList<>();
        for (int copy = 0; copy < 5; copy++) {
            for (Row row : rows) {
                String name = row.name() + copy;
                names.add(name);
                berth.service(namespace, name, row.change());
            }
        }

        for (int copy = 0; copy < 5; copy++) {
            for (Row row : rows) {
                Condition waiting = Waiters.awaitWaiting(berth, namespace, row.name() + copy);
                assertThat(waiting.getReason()).as(row.name()).isEqualTo(row.reason());
                assertThat(waiting.getMessage()).as(row.name()).contains(row.says());
            }
        }
        for (String name : names) {
            // By the API server's own clock, from request to request.
            Instant created = first(event -> event.verb().equals("create")
                    && event.resource().equals("services")
                    && event.namespace().equals(namespace)
                    && event.name().equals(name));
            assertThat(patches(namespace, name).getFirst()).as(name).isBetween(created, created.plusSeconds(2));
        }
        assertThat(operator.metric("berth_services_waiting", "reason", "InvalidRetain"))
                .isEqualTo(5);

        // Looked at again, with nothing new to say.
        names.forEach(name -> berth.client()
                .services()
                .inNamespace(namespace)
                .withName(name)
                .edit(service -> new ServiceBuilder(service)
                        .editMetadata()
                        .addToLabels("looked-at", "again")
                        .endMetadata()
                        .build()));
        delete(namespace, "unsure0");
        Awaitility.await()
                .untilAsserted(() -> assertThat(operator.metric("berth_services_waiting", "reason", "InvalidRetain"))
                        .isEqualTo(4));
        for (Row row : rows) {
            Awaitility.await()
                    .untilAsserted(() -> assertThat(berth.events(namespace, row.name() + 1))
                            .filteredOn(event -> event.getKey().equals("AllocationFailed"))
                            .hasSize(1));
            assertThat(patches(namespace, row.name() + 1)).as(row.name()).hasSize(1);
        }
    }
}
