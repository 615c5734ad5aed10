package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.Address;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

class ReservationExportTest {
    private static final String WEB = "\"namespace\": \"prod\", \"name\": \"web\"";

    private static Address reservation(String claims) {
        return ReservationExport.of(new KubernetesSerialization().unmarshal("""
                {"apiVersion": "berth.dev/v1alpha1", "kind": "Address", "metadata": {"name": "192.0.2.1"},
                 "spec": {"address": "192.0.2.1", "claims": [%s]}}
                """.formatted(claims), Address.class));
    }

    /** It came back, and the claim of its predecessor is not gone yet. */
    @Test
    void serviceThatIsThereAndWasGone_isKeptForOnce_asOneThatIsThere() {
        String there = "{" + WEB + ", \"uid\": \"u1\"}";
        String gone = "{" + WEB + ", \"releasedAt\": \"2026-01-01T00:00:00Z\"}";

        for (String claims : new String[] {there + ", " + gone, gone + ", " + there}) {
            assertThat(reservation(claims).getSpec().claims())
                    .as(claims)
                    .containsExactly(new Address.Claim(null, "prod", "web", null, null, null, null));
        }
    }

    @Test
    void gatewayOfTheSameName_isAnother_andKeepsItsKind() {
        String gateway = "{" + WEB + ", \"kind\": \"Gateway\", \"uid\": \"u2\"}";
        String gone = "{" + WEB + ", \"releasedAt\": \"2026-01-01T00:00:00Z\"}";

        assertThat(reservation(gateway + ", " + gone).getSpec().claims())
                .extracting(Address.Claim::kind)
                .containsExactly("Gateway", null);
    }

    @Test
    void serviceThatIsGone_keepsItsTime() {
        assertThat(reservation("{" + WEB + ", \"releasedAt\": \"2026-01-01T00:00:00Z\"}")
                        .getSpec()
                        .claims())
                .singleElement()
                .extracting(Address.Claim::releasedAt)
                .isEqualTo("2026-01-01T00:00:00Z");
    }
}
