package dev.berth.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CapabilitiesTest {
    private static final Capabilities PLAIN = Capabilities.ofItsOwn(IpMode.PROXY);

    @Test
    void callLimit_isAbsent_unlessItIsSaid_andStaysWhateverElseIsSaid() {
        assertThat(PLAIN.callLimit()).isEmpty();

        Capabilities limited = PLAIN.withCallLimit(1)
                .withTargets(Capabilities.Targets.ENDPOINTS)
                .withProtocols(Protocol.UDP)
                .withFamilies(Capabilities.Family.IPV6)
                .withFeatures(Capabilities.Feature.LISTING)
                .withAnnotations("example.com/")
                .withImmediate(true);

        assertThat(limited.callLimit()).hasValue(1);
        assertThat(limited).isNotEqualTo(limited.withCallLimit(2)).isEqualTo(limited.withCallLimit(1));
        assertThat(PLAIN.withCallLimit(100).callLimit()).hasValue(100);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 101, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void callLimit_thatNoProviderCanHave_isRefused_andSaysWhatItMayBe(int most) {
        assertThatThrownBy(() -> PLAIN.withCallLimit(most))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a call limit is from 1 to 100, and this one is " + most);
    }
}
