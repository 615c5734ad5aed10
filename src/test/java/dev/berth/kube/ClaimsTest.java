package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.api.v1alpha1.Address;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
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

    private static Address address(Address.Claim... claims) {
        Address address = new Address();
        address.setMetadata(new ObjectMetaBuilder()
                .withName("192.0.2.1")
                .withUid("a1")
                .withResourceVersion("5")
                .build());
        address.setSpec(new Address.Spec(
                "192.0.2.1",
                "edge",
                "berth.dev/pool",
                List.of(claims),
                new Address.Sharing("k", "t"),
                "2026-01-01T00:00:00Z",
                true));
        return address;
    }

    private static final Address.Claim SERVICE = new Address.Claim("Service", "prod", "web", "u1");
    private static final Address.Claim GATEWAY = new Address.Claim("Gateway", "prod", "web", "u1");

    @Test
    void claimWithoutKind_isOfAService_asTheOneThatSaysSo() {
        Address silent = address(new Address.Claim(null, "prod", "web", "u1"));

        assertThat(Claims.of(silent)).isEqualTo(Claims.of(address(SERVICE)));
        assertThat(Claims.of(silent).orElseThrow().owners()).containsExactly(WEB);
        assertThat(Claims.isOfOtherKind(silent)).isFalse();
        assertThat(Claims.isOfOtherKind(address())).isFalse();
    }

    @Test
    void addressOfAnotherKind_isOfNoService_whateverElseItSays() {
        for (Address address : List.of(address(GATEWAY), address(SERVICE, GATEWAY), address(GATEWAY, SERVICE))) {
            assertThat(Claims.of(address))
                    .map(Claim::spec)
                    .contains(ClaimSpec.ofOtherKind("edge", "berth.dev/pool", "Gateway"));
            assertThat(Claims.isOfOtherKind(address)).isTrue();
        }
    }

    @Test
    void claimThatIsWritten_saysThatItIsOfAService() {
        assertThat(Claims.object(Ip.parse("192.0.2.1"), USED).getSpec().claims())
                .containsExactly(SERVICE);
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
