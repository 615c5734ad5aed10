package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.berth.testing.AuditEvent;
import dev.berth.testing.ControlPlane;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Berth as the ServiceCIDR controller where, and only where, there is no other. */
class ServiceCidrAutoIT {
    private static final String[] MODE = {"--service-cidr-controller=Auto", "--service-cidr-takeover-delay=20s"};

    @Test
    void undoneWork_isDoneAfterTheTakeoverDelay_andDoneWorkIsLeftAlone() {
        try (ServiceCidrs alone =
                        new ServiceCidrs(ControlPlane.builder().withAuditLog().start(), MODE);
                ServiceCidrs beside = new ServiceCidrs(
                        ControlPlane.builder()
                                .withAuditLog()
                                .controllerManager("service-cidr-controller")
                                .start(),
                        MODE)) {
            beside.create("web", "10.100.0.0/24");
            alone.create("web", "10.100.0.0/24");
            beside.awaitReady("web", ServiceCidrs.READY);
            assertThat(alone.find("web"))
                    .hasValueSatisfying(cidr ->
                            assertThat(cidr.getMetadata().getFinalizers()).isEmpty());

            // Made last, so that the delay has passed in the other cluster, too.
            alone.awaitReady("web", ServiceCidrs.READY, Duration.ofSeconds(150));
            alone.awaitReady("kubernetes", ServiceCidrs.READY);

            await().untilAsserted(() ->
                    assertThat(writes(alone)).contains("patch servicecidrs web", "patch servicecidrs/status web"));
            assertThat(writes(beside)).isEmpty();
            assertThat(fieldManagers(alone, "web")).containsOnly("berth-service-cidr-controller");

            alone.delete("web");
            Instant deleted =
                    Instant.parse(alone.find("web").orElseThrow().getMetadata().getDeletionTimestamp());
            alone.awaitGone("web", Duration.ofSeconds(150));
            assertThat(Instant.now())
                    .as("not before the end of the grace was left undone for the delay")
                    .isAfter(deleted.plusSeconds(30));
        }
    }

    /** Who put finalizers on or wrote the status. */
    private static List<String> fieldManagers(ServiceCidrs cidrs, String name) {
        return cidrs.find(name).orElseThrow().getMetadata().getManagedFields().stream()
                .filter(entry -> "status".equals(entry.getSubresource())
                        || entry.getFieldsV1().getAdditionalProperties().containsKey("f:metadata"))
                .map(ManagedFieldsEntry::getManager)
                .toList();
    }

    /** Berth's, of ServiceCIDRs and IPAddresses. */
    private static List<String> writes(ServiceCidrs cidrs) {
        return cidrs.cluster().auditEvents().stream()
                .filter(event -> event.user().equals("system:serviceaccount:berth-system:berth"))
                .filter(event -> List.of("servicecidrs", "ipaddresses").contains(event.resource()))
                .filter(AuditEvent::isWrite)
                .map(ServiceCidrAutoIT::text)
                .toList();
    }

    private static String text(AuditEvent event) {
        return event.verb() + " " + event.resource() + (event.subresource().isEmpty() ? "" : "/" + event.subresource())
                + " " + event.name();
    }
}
