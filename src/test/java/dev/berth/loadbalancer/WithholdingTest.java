package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ServiceKey;
import dev.berth.reason.Reason;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What nobody else gets of what a Service publishes. */
class WithholdingTest {
    private static final ServiceState OURS = SampleService.named(new ServiceKey("prod", "web"), "u1")
            .finalizer(WellKnownNames.FINALIZER)
            .conditions(List.of(new Condition(
                    WellKnownNames.ADDRESS_ASSIGNED, Condition.Status.TRUE, "Allocated", "", Instant.EPOCH)))
            .build();
    private static final ServiceState UNMARKED =
            SampleService.named(new ServiceKey("prod", "web"), "u1").build();
    private static final ServicePlan DOWN = new ServicePlan.TearDown("its class changed", List.of());

    @Test
    void serviceOfAnother_keepsAllThatItPublishesFromOthers_fromTheFirstSight() {
        assertThat(Withholding.onSight(false)).isEqualTo(Withholding.ALL);
        assertThat(Withholding.onSight(true)).isEqualTo(Withholding.AS_BEFORE);
    }

    @Test
    void serviceThatLosesItsAddresses_andCarriesNoMarkOfOurs_keepsAllThatItPublishesFromOthers() {
        assertThat(Withholding.before(DOWN, Optional.of(UNMARKED))).isEqualTo(Withholding.ALL);
        assertThat(Withholding.before(DOWN, Optional.of(OURS))).isEqualTo(Withholding.AS_BEFORE);
        assertThat(Withholding.before(DOWN, Optional.empty())).isEqualTo(Withholding.AS_BEFORE);
        assertThat(Withholding.before(new ServicePlan.NotOurs(List.of()), Optional.of(UNMARKED)))
                .isEqualTo(Withholding.AS_BEFORE);
    }

    @Test
    void serviceThatIsSkipped_keepsFromOthersWhatItDoesNotHold() {
        ServicePlan.Skip skip =
                new ServicePlan.Skip(UNMARKED, Reason.ServedByOtherController, "edge", "another's", List.of());

        assertThat(Withholding.after(Optional.of(skip))).isEqualTo(Withholding.FOREIGN);
        assertThat(Withholding.after(Optional.empty())).isEqualTo(Withholding.AS_BEFORE);
    }
}
