package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.testing.AuditEvent;
import dev.berth.testing.ControlPlane;
import dev.berth.testing.Installation;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a pool's status costs, and how long it gets, when there are many Services. */
@ExtendWith(SharedInstallation.class)
class ManyAddressesIT {
    private static final int SERVICES = 500;
    private static final String RANGE = "10.20.0.0/20";

    @Test
    void manyAllocations_makeAHandfulOfPoolWrites_andManyStrandedAddressesABoundedStatus(Installation berth) {
        ControlPlane controlPlane = berth.controlPlane();
        berth.operator();
        String pool = berth.namespace("many");
        berth.pool(pool, RANGE);
        IntStream.range(0, SERVICES).parallel().forEach(i -> berth.service(pool, "s" + i));
        await(berth, pool, status -> Objects.equals(status.allocated(), (long) SERVICES));

        List<AuditEvent> assigned =
                writes(controlPlane, "services", event -> event.namespace().equals(pool));
        long seconds = Duration.between(
                        assigned.getFirst().received(), assigned.getLast().received())
                .toSeconds();
        // At most one per second, whatever the number of allocations.
        assertThat(writes(controlPlane, "addresspools", event -> event.name().equals(pool)))
                .hasSizeLessThanOrEqualTo((int) seconds + 5)
                .hasSizeLessThan(SERVICES / 10);

        berth.client()
                .resources(AddressPool.class)
                .withName(pool)
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"addresses\":[\"10.20.16.0/24\"]}}");
        AddressPool.Status status = await(
                berth,
                pool,
                seen -> Optional.ofNullable(seen.stranded())
                        .filter(stranded -> stranded.total() == SERVICES)
                        .isPresent());
        assertThat(Objects.requireNonNull(status.stranded()).addresses())
                .hasSize(10)
                .extracting(AddressPool.StrandedAddress::address)
                .startsWith("10.20.0.0", "10.20.0.1");
        assertThat(Objects.requireNonNull(status.conditions()))
                .anySatisfy(condition -> assertThat(condition.getMessage())
                        .startsWith(SERVICES + " stranded addresses (in no pool)")
                        .contains("and " + (SERVICES - 3) + " more"));
    }

    private static AddressPool.Status await(Installation berth, String pool, Predicate<AddressPool.Status> expected) {
        return Awaitility.await()
                .atMost(Duration.ofMinutes(4))
                .pollInterval(Duration.ofSeconds(1))
                .until(
                        () -> Optional.ofNullable(berth.client()
                                        .resources(AddressPool.class)
                                        .withName(pool)
                                        .get())
                                .map(AddressPool::getStatus),
                        status -> status.filter(expected).isPresent())
                .orElseThrow();
    }

    private static List<AuditEvent> writes(ControlPlane controlPlane, String resource, Predicate<AuditEvent> which) {
        return controlPlane.auditEvents().stream()
                .filter(AuditEvent::isWrite)
                .filter(event -> event.user().endsWith(":berth"))
                .filter(event -> event.resource().equals(resource))
                .filter(which)
                .toList();
    }
}
