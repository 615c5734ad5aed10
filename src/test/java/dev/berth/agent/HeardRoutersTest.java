package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which of the routers that were heard on an interface are there. */
class HeardRoutersTest {
    private static final int ETH1 = 7;
    private static final Ip ONE = Ip.parse("fe80::1");
    private static final Ip OTHER = Ip.parse("fe80::2");

    private final HeardRouters routers = new HeardRouters();

    @BeforeEach
    void listen() {
        routers.listenTo(List.of(ETH1));
    }

    @Test
    void routerThatIsSilent_stays_whileThereIsNoOther() {
        assertThat(routers.heard(ETH1, ONE, 1_000)).isTrue();
        assertThat(routers.heard(ETH1, ONE, 2_000)).isFalse();
        assertThat(routers.on(ETH1)).containsExactly(ONE);
    }

    @Test
    void routerThatWasReplaced_isGone_afterAMinuteOfSilence() {
        routers.heard(ETH1, ONE, 1_000);
        routers.heard(ETH1, OTHER, 60_999);
        assertThat(routers.on(ETH1)).containsExactly(ONE, OTHER);
        routers.heard(ETH1, OTHER, 61_000);
        assertThat(routers.on(ETH1)).containsExactly(OTHER);
    }

    @Test
    void interfaceThatNoPeerIsOn_isNotListenedTo() {
        assertThat(routers.heard(8, ONE, 1_000)).isFalse();
        assertThat(routers.on(8)).isEmpty();
        routers.heard(ETH1, ONE, 1_000);
        routers.listenTo(List.of(8));
        routers.listenTo(List.of(ETH1));
        assertThat(routers.on(ETH1)).isEmpty();
    }

    @Test
    void whoeverSaysThatThereAreMany_fillsNoMemory() {
        for (int i = 1; i <= 2 * HeardRouters.MOST; i++) {
            assertThat(routers.heard(ETH1, Ip.parse("fe80::" + i), 1_000)).isEqualTo(i <= HeardRouters.MOST);
        }
        assertThat(routers.on(ETH1)).hasSize(HeardRouters.MOST);
        // Once they are silent there is room again.
        assertThat(routers.heard(ETH1, Ip.parse("fe80::ffff"), 61_000)).isTrue();
        assertThat(routers.on(ETH1)).containsExactly(Ip.parse("fe80::ffff"));
    }
}
