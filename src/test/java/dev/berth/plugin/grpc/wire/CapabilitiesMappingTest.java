package dev.berth.plugin.grpc.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.provider.Capabilities;
import dev.berth.provider.IpMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CapabilitiesMappingTest {
    private static final Capabilities PLAIN = Capabilities.ofItsOwn(IpMode.PROXY);

    @Test
    void callLimit_arrivesAsItWasSent_alsoWhereThereIsNone() {
        for (Capabilities capabilities : new Capabilities[] {PLAIN, PLAIN.withCallLimit(1), PLAIN.withCallLimit(100)}) {
            assertThat(CapabilitiesMapping.read(CapabilitiesMapping.write(capabilities)))
                    .isEqualTo(capabilities);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 101})
    void callLimit_thatNoProviderCanHave_isRefused(int most) {
        dev.berth.plugin.grpc.v1.Capabilities odd =
                CapabilitiesMapping.write(PLAIN).toBuilder().setCallLimit(most).build();

        assertThatThrownBy(() -> CapabilitiesMapping.read(odd))
                .isInstanceOf(ProtocolViolation.class)
                .hasMessage("a call limit is from 1 to 100, and this one is " + most);
    }
}
