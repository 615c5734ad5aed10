package dev.berth.announce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a class of provider l2 may say. */
class L2ParametersTest {
    @Test
    void withoutParameters_anyInterfaceWillDo_andNothingIsAnnouncedWithoutEndpoints() {
        assertThat(L2Parameters.of(Map.of())).isEqualTo(L2Parameters.DEFAULT);
        assertThat(L2Parameters.DEFAULT.allows("eth7")).isTrue();
    }

    @Test
    void interfaces_areNamesAndPatterns() {
        L2Parameters parameters = L2Parameters.of(Map.of("interfaces", "eth0, bond*.12"));
        assertThat(parameters.interfaces()).containsExactly("eth0", "bond*.12");
        assertThat(List.of("eth0", "bond0.12", "bond.12")).allMatch(parameters::allows);
        assertThat(List.of("eth01", "eth", "bond0.1", "bond0x12")).noneMatch(parameters::allows);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "eth0,", "eth 0", "eth0/1", "interface-too-long", "eth0:1"})
    void whatNamesNoInterface_isRefused(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> L2Parameters.of(Map.of("interfaces", value)))
                .withMessageContaining("parameter \"interfaces\" is \"" + value + "\"")
                .withMessageEndingWith("write names separated by commas, like eth0 or bond*");
    }

    @Test
    void whatIsUnknown_isRefused_sayingWhatIsKnown() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> L2Parameters.of(Map.of("asn", "64512")))
                .withMessage("parameter \"asn\" is unknown; provider \"l2\" knows interfaces, withoutEndpoints");
    }

    @Test
    void withoutEndpoints_isOneOfTwoWords() {
        assertThat(L2Parameters.of(Map.of("withoutEndpoints", "Announce")).withoutEndpoints())
                .isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> L2Parameters.of(Map.of("withoutEndpoints", "true")))
                .withMessage("parameter \"withoutEndpoints\" is \"true\"; it must be Withhold or Announce");
    }
}
