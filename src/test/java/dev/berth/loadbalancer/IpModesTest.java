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
        assertThat(IpModes.answer(WITHOUT, WITH, WITH)).contains(Answer.KEPT);
        assertThat(IpModes.answer(List.of(), WITH, WITHOUT)).contains(Answer.DROPPED);
    }

    @Test
    void nothingIsTold_whereTheModeWasNotSent_orWasInUse() {
        assertThat(IpModes.answer(WITHOUT, null, WITHOUT)).isEmpty();
        assertThat(IpModes.answer(WITHOUT, WITHOUT, WITHOUT)).isEmpty();
        assertThat(IpModes.answer(WITH, WITH, WITH)).isEmpty();
    }
}
