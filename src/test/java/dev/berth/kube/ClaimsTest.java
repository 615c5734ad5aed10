package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClaimsTest {
    private static final Owner WEB = new Owner(new ServiceKey("prod", "web"), "u1");
    private static final ClaimSpec USED = ClaimSpec.of("edge", "example.com/outside", WEB);

    @Test
    void address_isMadeWithTheLabelsToFindItBy() {
        assertThat(Claims.object(Ip.parse("192.0.2.1"), USED).getMetadata().getLabels())
                .containsExactly(
                        Map.entry("berth.dev/pool", "edge"),
                        Map.entry("berth.dev/namespace", "prod"),
                        Map.entry("berth.dev/class", "example.com_outside"));
    }

    @Test
    void whatNoLabelCanSay_hasNone() {
        String tooLong = "e".repeat(64);

        assertThat(Claims.labels(ClaimSpec.of(tooLong, tooLong), tooLong)).isEmpty();
        assertThat(Claims.labels(ClaimSpec.of(null, null), null)).isEmpty();
    }

    @Test
    void addressOfSeveralNamespaces_hasTheLabelOfNone() {
        Owner other = new Owner(new ServiceKey("test", "web"), null);
        ClaimSpec both = new ClaimSpec("edge", null, List.of(WEB, other), null, null, false);

        assertThat(Claims.labels(both, "edge")).containsExactly(Map.entry("berth.dev/pool", "edge"));
    }

    @Test
    void difference_hasWhatChanges_andNullForWhatGoes() {
        Map<String, @Nullable String> expected = new LinkedHashMap<>();
        expected.put("gone", null);
        expected.put("other", "new");
        expected.put("added", "a");

        assertThat(Claims.difference(
                        Map.of("gone", "1", "same", "2", "other", "old"),
                        Map.of("same", "2", "other", "new", "added", "a")))
                .isEqualTo(expected);
    }
}
