package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.announce.NotAnnouncedReason;
import dev.berth.ip.Ip;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What an agent says that it cannot take, and for how long. */
class RefusalsTest {
    private static final Ip ONE = Ip.parse("192.0.2.1");
    private static final Ip OTHER = Ip.parse("2001:db8::1");

    private final Refusals refusals = new Refusals();

    @Test
    void addressThatTheKernelRefuses_isTriedAgainAfterAMinute() {
        refusals.byKernel(ONE, 1_000);
        assertThat(refusals.at(60_999)).isEqualTo(Map.of(ONE, NotAnnouncedReason.KERNEL_REJECTED));
        assertThat(refusals.at(61_000)).isEmpty();
    }

    @Test
    void addressThatTheHostHas_isRefused_untilTheHostHasItNoMore() {
        refusals.onHost(List.of(ONE, OTHER));
        refusals.byKernel(OTHER, 0);
        assertThat(refusals.at(1))
                .isEqualTo(Map.of(ONE, NotAnnouncedReason.ADDRESS_ON_HOST, OTHER, NotAnnouncedReason.KERNEL_REJECTED));
        assertThat(refusals.isAnyOnHost()).isTrue();
        refusals.onHost(List.of());
        assertThat(refusals.at(1)).isEqualTo(Map.of(OTHER, NotAnnouncedReason.KERNEL_REJECTED));
        assertThat(refusals.isAnyOnHost()).isFalse();
    }

    @Test
    void noMoreAreKept_thanTheOthersCanBeNotifiedOf() {
        Ip address = ONE;
        for (int kept = 0; kept < Refusals.MOST; kept++) {
            assertThat(refusals.byKernel(address, 0)).isTrue();
            address = address.next();
        }
        assertThat(refusals.byKernel(address, 0)).isFalse();
        assertThat(refusals.byKernel(ONE, 5)).isTrue();
        assertThat(refusals.at(5)).hasSize(Refusals.MOST);
    }
}
