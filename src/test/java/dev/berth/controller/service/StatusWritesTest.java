package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.loadbalancer.Overwrites;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.SampleService;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatusWritesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final StatusWrites status = new StatusWrites();

    private final List<Published> foreign = List.of(new Published("192.0.2.66", null, null));

    private void overwritten(Instant now) {
        status.overwritten(status.overwrites("u1").by(foreign, now).after());
    }

    @Test
    void overwriteThatWasPutRight_isANewOneTheNextTime() {
        overwritten(NOW);
        assertThat(status.overwrites("u1").by(foreign, NOW).isNew()).isFalse();

        status.published("u1", List.of());

        assertThat(status.overwrites("u1").by(foreign, NOW).isNew()).isTrue();
    }

    /** Each of them may land yet. */
    @Test
    void publicationsWithoutAnAnswerOntoOneVersion_mayAllBePublished_untilTheServiceIsAnotherVersion() {
        SampleService service = new SampleService().resourceVersion("1");
        status.unsure(service.build(), List.of(Ip.parse("192.0.2.1")));
        status.unsure(service.build(), List.of(Ip.parse("192.0.2.2")));

        assertThat(status.mayBePublished(service.build()))
                .containsExactly(Ip.parse("192.0.2.1"), Ip.parse("192.0.2.2"));
        assertThat(status.mayBePublished(service.resourceVersion("2").build())).isEmpty();
    }

    @Test
    void overwrites_areOfOneService_andNotOfTheNextOfItsName() {
        for (int second = 0; second < 3; second++) {
            status.published("u1", List.of());
            overwritten(NOW.plusSeconds(second));
        }

        assertThat(status.overwrites("u1").isInConflict(NOW.plusSeconds(3))).isTrue();
        assertThat(status.overwrites("u2")).isEqualTo(Overwrites.none("u2"));
    }
}
