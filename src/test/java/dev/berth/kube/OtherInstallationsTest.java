package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OtherInstallationsTest {
    private static final String OURS = "berth.dev/controller";
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    private final OtherInstallations others = new OtherInstallations("berth-system", "berth", OURS);

    private static Lease lease(String namespace, String controllerName, @Nullable String holder, Instant renewed) {
        return new LeaseBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName("berth")
                .withUid("of " + namespace)
                .addToAnnotations(OtherInstallations.CONTROLLER_NAME, controllerName)
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity(holder)
                .withRenewTime(renewed.atZone(ZoneOffset.UTC))
                .endSpec()
                .build();
    }

    private List<Lease> suspects(Lease lease) {
        return others.suspects(List.of(lease), InstantSource.fixed(NOW));
    }

    @Test
    void leaseOfAnotherNamespace_withTheSameControllerName_isSuspect() {
        Lease other = lease("second", OURS, "them", NOW.minusSeconds(2));

        assertThat(suspects(other)).containsExactly(other);
    }

    @Test
    void ownLease_oneOfAnotherControllerName_oneThatNobodyHolds_andOneOfLongAgo_areNot() {
        assertThat(suspects(lease("berth-system", OURS, "the other replica", NOW)))
                .isEmpty();
        assertThat(suspects(lease("second", "example.com/second", "them", NOW))).isEmpty();
        assertThat(suspects(lease("second", OURS, null, NOW))).isEmpty();
        assertThat(suspects(lease("second", OURS, "them", NOW.minusSeconds(61))))
                .isEmpty();
    }

    @Test
    void suspect_isAlive_onlyIfItsLeaseIsRenewed_whateverTheClocksSay() {
        Lease before = lease("second", OURS, "them", NOW);

        assertThat(OtherInstallations.alive(List.of(before), List.of(before))).isEmpty();
        assertThat(OtherInstallations.alive(List.of(before), List.of())).isEmpty();
        assertThat(OtherInstallations.alive(List.of(before), List.of(lease("second", OURS, null, NOW.plusSeconds(2)))))
                .as("handed over")
                .isEmpty();
        assertThat(OtherInstallations.alive(
                        List.of(before), List.of(lease("second", OURS, "them", NOW.plusSeconds(2)))))
                .contains(before);
    }
}
