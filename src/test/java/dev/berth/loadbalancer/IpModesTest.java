package dev.berth.loadbalancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.loadbalancer.IpModes.Answer;
import dev.berth.provider.IpMode;
import java.util.List;
import org.junit.jupiter.api.Test;

class IpModesTest {
    private static final List<Published> WITH = List.of(new Published("192.0.2.1", null, IpMode.VIP));
    private static final List<Published> WITHOUT =
            WITH.stream().map(Published::withoutIpMode).toList();

    @Test
    void anApiServer_tellsByWhatItStores_whetherItKeepsTheMode() {
        assertThat(IpModes.told(WITHOUT, WITH, WITH)).contains(Answer.KEPT);
        assertThat(IpModes.told(List.of(), WITH, WITHOUT)).contains(Answer.DROPPED);
    }

    @Test
    void nothingIsTold_whereTheModeWasNotSent_orWasInUse() {
        assertThat(IpModes.told(WITHOUT, null, WITHOUT)).isEmpty();
        assertThat(IpModes.told(WITHOUT, WITHOUT, WITHOUT)).isEmpty();
        assertThat(IpModes.told(WITH, WITH, WITH)).isEmpty();
    }
}
