package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which router of an interface stays the peer. */
class OnlyRouterTest {
    private static final Ip ONE = Ip.parse("fe80::1");
    private static final Ip OTHER = Ip.parse("fe80::2");

    private final OnlyRouter only = new OnlyRouter(ONE, 1_000);

    @Test
    void routerThatIsHeard_orIsTheOnlyOneThatWas_stays() {
        assertThat(only.stays(List.of(), 1_000_000)).isTrue();
        assertThat(only.stays(List.of(ONE, OTHER), 1_000_000)).isTrue();
    }

    /** An agent that starts knows it from the speaker, and has heard nobody. */
    @Test
    void routerThatIsNotHeardYet_stays_thoughAnotherIsHeardSooner() {
        assertThat(only.stays(List.of(OTHER), 1_000 + HeardRouters.SILENCE - 1)).isTrue();
        assertThat(only.stays(List.of(OTHER), 1_000 + HeardRouters.SILENCE)).isFalse();
    }
}
