package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.Installation;
import dev.berth.testing.OperatorProcess;
import dev.berth.testing.Patience;
import dev.berth.testing.SharedInstallation;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who leads, and what providers are told about it. */
@ExtendWith(SharedInstallation.class)
class LeaseIT {
    @Test
    void aLeaderThatIsToldToEnd_handsTheLeaseOverBeforeItEnds(Installation berth) {
        OperatorProcess first = berth.startOperator("--leader-elect");
        first.awaitLog("ready after");
        OperatorProcess second = berth.startOperator("--leader-elect");
        String holder = lease(berth).getSpec().getHolderIdentity();

        first.stop();

        // Without that it would be the first one's until it expires.
        assertThat(lease(berth).getSpec().getHolderIdentity()).isNotEqualTo(holder);
        second.awaitLog("ready after");
    }

    @Test
    void aLeaderThatLosesTheLease_ends_andTheTokenNeverGoesBack(Installation berth) {
        OperatorProcess first = berth.startOperator("--leader-elect");
        first.awaitLog("ready after");
        long before = token(berth);

        // As another replica does that found it expired.
        leases(berth)
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"spec\":{\"holderIdentity\":\"another\",\"renewTime\":\""
                                + DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'")
                                        .format(OffsetDateTime.now(ZoneOffset.UTC))
                                + "\"}}");
        assertThat(first.exitCode(Patience.USUAL)).isEqualTo(1);

        leases(berth).delete();
        berth.startOperator("--leader-elect").awaitLog("ready after");
        assertThat(token(berth)).isGreaterThan(before);
    }

    private static long token(Installation berth) {
        return Long.parseLong(lease(berth).getMetadata().getAnnotations().get("berth.dev/fencing-token"));
    }

    private static Lease lease(Installation berth) {
        return leases(berth).get();
    }

    private static Resource<Lease> leases(Installation berth) {
        return berth.client().leases().inNamespace("berth-system").withName("berth");
    }
}
