package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.app.FeatureGates.Gate;
import org.junit.jupiter.api.Test;

class FeatureGatesTest {
    @Test
    void nothingSaid_isOn() {
        assertThat(FeatureGates.defaults().isEnabled(Gate.LoadBalancerIPMode)).isTrue();
    }

    @Test
    void gate_isWhatWasSaidLast() {
        assertThat(FeatureGates.parse("LoadBalancerIPMode=true,LoadBalancerIPMode=false")
                        .isEnabled(Gate.LoadBalancerIPMode))
                .isFalse();
    }

    @Test
    void unknownGate_isRefusedNamingThoseThereAre() {
        assertThatThrownBy(() -> FeatureGates.parse("Nonsense=true"))
                .hasMessage("unknown feature gate \"Nonsense\"; there is LoadBalancerIPMode");
    }

    @Test
    void valueThatIsNeither_isRefused() {
        assertThatThrownBy(() -> FeatureGates.parse("LoadBalancerIPMode=maybe"))
                .hasMessage("feature gate LoadBalancerIPMode is true or false, not \"maybe\"");
    }
}
