package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.kube.Events.About;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class FabricEventsTest {
    @Test
    void anEvent_saysWhichInstallationReports_andWhichOfItsReplicas() {
        About web = new About("v1", "Service", "prod", "web", "uid-web");

        Event event =
                FabricEvents.event("example.com/second", "berth-7d9f", web, "Normal", "Any", "any", Instant.EPOCH, 1);

        assertThat(event.getReportingController()).isEqualTo("example.com/second");
        assertThat(event.getReportingInstance()).isEqualTo("berth-7d9f");
    }
}
