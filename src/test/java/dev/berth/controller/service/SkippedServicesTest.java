package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.loadbalancer.SampleService;
import dev.berth.loadbalancer.ServicePlan;
import dev.berth.reason.Reason;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SkippedServicesTest {
    private static final Optional<ServicePlan.Skip> SERVED = Optional.empty();

    private final Map<Reason, Integer> counts = new EnumMap<>(Reason.class);
    private final SkippedServices skipped = new SkippedServices(false);

    private List<String> note(String service, Optional<ServicePlan.Skip> now) {
        return skipped.note(new ServiceKey("prod", service), now, counts::put);
    }

    private static Optional<ServicePlan.Skip> left(String service, Reason reason) {
        return Optional.of(new ServicePlan.Skip(
                SampleService.named(new ServiceKey("prod", service), "u1").build(), reason, "pool", "", List.of()));
    }

    @Test
    void services_countUntilTheyAreSkippedNoMore() {
        note("a", left("a", Reason.DeferredToOther));
        note("b", left("b", Reason.DeferredToOther));
        note("b", left("b", Reason.ServedByOtherController));
        assertThat(counts).containsEntry(Reason.DeferredToOther, 1).containsEntry(Reason.ServedByOtherController, 1);

        note("a", SERVED);
        note("b", SERVED);
        assertThat(counts).containsEntry(Reason.DeferredToOther, 0).containsEntry(Reason.ServedByOtherController, 0);
    }

    @Test
    void classTellsWhichServicesAreAnothers_andIsDueWhenThatChanges() {
        assertThat(note("a", left("a", Reason.ServedByOtherController))).containsExactly("pool");
        assertThat(note("a", left("a", Reason.ServedByOtherController))).isEmpty();
        for (String service : List.of("b", "c", "d", "e")) {
            note(service, left(service, Reason.ServedByOtherController));
        }
        assertThat(skipped.byAnother("pool"))
                .hasValueSatisfying(
                        message -> assertThat(message).contains(": prod/a, prod/b, prod/c and 2 more; remove"));

        for (String service : List.of("a", "b", "c", "d", "e")) {
            assertThat(note(service, SERVED)).containsExactly("pool");
        }
        assertThat(skipped.byAnother("pool")).isEmpty();
    }

    @Test
    void whereServicesAreTakenOver_theClassDoesNotSayToRemoveWhatIsTakenOver() {
        SkippedServices migrating = new SkippedServices(true);
        migrating.note(new ServiceKey("prod", "a"), left("a", Reason.ServedByOtherController), counts::put);

        assertThat(migrating.byAnother("pool"))
                .hasValueSatisfying(message -> assertThat(message)
                        .endsWith(": prod/a; an event on each Service explains why Berth cannot take it over yet"));
    }
}
