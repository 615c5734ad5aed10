package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.reason.Reason;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatusEventsTest {
    private record Row(String sentence, ServiceState answer, Publication.Difference written, List<String> texts) {
        Row(String sentence, ServiceState answer, Publication.Difference written, String... texts) {
            this(sentence, answer, written, List.of(texts));
        }
    }

    private static final List<Row> ROWS = List.of(
            new Row(
                    "addresses that were published are said, in the words of the API server",
                    publishes("192.0.2.1", "2001:db8::1"),
                    ingress(List.of(new Published("192.0.2.1", null, null))),
                    "NORMAL EnsuredLoadBalancer Ensured load balancer \"lb-1\": 192.0.2.1, 2001:db8::1"),
            new Row("that none are published any more is not", publishes(), ingress(List.of())),
            new Row("addresses that stay are not", publishes("192.0.2.1"), says()),
            new Row(
                    "what cannot be done is a warning",
                    publishes(),
                    says(condition(WellKnownNames.UNSUPPORTED, true)),
                    "WARNING PoolDeleted some message"),
            new Row(
                    "so are node ports, annotations and addresses that need somebody",
                    publishes(),
                    says(
                            condition(WellKnownNames.NODE_PORTS_CONFLICT, true),
                            condition(WellKnownNames.ANNOTATIONS_IGNORED, true),
                            condition(WellKnownNames.ADDRESS_STRANDED, true)),
                    "WARNING PoolDeleted some message",
                    "WARNING PoolDeleted some message",
                    "WARNING PoolDeleted some message"),
            new Row(
                    "so are targets of which none is healthy",
                    publishes(),
                    says(condition(WellKnownNames.TARGETS_HEALTHY, false)),
                    "WARNING PoolDeleted some message"),
            new Row("but not healthy ones", publishes(), says(condition(WellKnownNames.TARGETS_HEALTHY, true))),
            new Row(
                    "nor what is said otherwise",
                    publishes(),
                    says(
                            condition(WellKnownNames.ADDRESS_ASSIGNED, false),
                            condition(WellKnownNames.PROGRAMMED, false))),
            new Row(
                    "nor what another version of Berth said, which this one cannot judge",
                    publishes(),
                    says(condition(WellKnownNames.ADDRESS_STRANDED, true, "OfAnotherVersion"))));

    private static ServiceState publishes(String... ips) {
        return SampleService.named(new ServiceKey("prod", "web"), "u1")
                .ingress(ips)
                .build();
    }

    private static Condition condition(String type, boolean holds) {
        return condition(type, holds, Reason.PoolDeleted.name());
    }

    private static Condition condition(String type, boolean holds, String reason) {
        return new Condition(type, Condition.Status.of(holds), reason, "some message", Instant.EPOCH);
    }

    private static Publication.Difference ingress(List<Published> ingress) {
        return new Publication.Difference(false, null, ingress, List.of(), List.of());
    }

    private static Publication.Difference says(Condition... conditions) {
        return new Publication.Difference(false, null, null, List.of(conditions), List.of());
    }

    @Test
    void whatIsWritten_isSaid_whereSomebodyWouldWantToReadOfIt() {
        assertThat(ROWS)
                .allSatisfy(row -> assertThat(StatusEvents.of(row.written(), row.answer(), "load balancer \"lb-1\""))
                        .extracting(event -> event.type() + " " + event.reason() + " " + event.message())
                        .as(row.sentence())
                        .containsExactlyElementsOf(row.texts()));
    }
}
