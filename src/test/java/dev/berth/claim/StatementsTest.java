package dev.berth.claim;

import static dev.berth.claim.Sample.key;
import static dev.berth.ip.IpFamily.IPV4;
import static dev.berth.ip.IpFamily.IPV6;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.claim.WaitingList.Queue;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StatementsTest {
    private static final Queue EDGE = new Queue.OfPool("edge", IPV4);
    private static final Queue EDGE6 = new Queue.OfPool("edge", IPV6);

    private final Statements said = new Statements();

    @AfterEach
    void bothWaysToFindItAgree() {
        said.checkInvariants();
    }

    @Test
    void whatAServiceSays_isFoundByService_andByWhatItIsAbout_inTheOrderInWhichItWasSaid() {
        assertThat(said.isEmpty()).isTrue();
        said.says(key("b"), List.of(EDGE));
        said.says(key("a"), List.of(EDGE, EDGE6));

        assertThat(said.isEmpty()).isFalse();
        assertThat(said.of(key("a"))).containsExactly(EDGE, EDGE6);
        assertThat(said.by(EDGE)).containsExactly(key("b"), key("a"));
        assertThat(said.by(EDGE6)).containsExactly(key("a"));
    }

    @Test
    void whatAServiceSays_replacesWhatItSaidBefore() {
        said.says(key("a"), List.of(EDGE, EDGE6));
        said.says(key("a"), List.of(EDGE6));
        assertThat(said.by(EDGE)).isEmpty();
        assertThat(said.by(EDGE6)).containsExactly(key("a"));

        said.says(key("a"), List.of());
        assertThat(said.of(key("a"))).isEmpty();
        assertThat(said.by(EDGE6)).isEmpty();
        assertThat(said.isEmpty()).isTrue();
    }

    @Test
    void clear_leavesNothing() {
        said.says(key("a"), List.of(EDGE));
        said.clear();
        assertThat(said.isEmpty()).isTrue();
        assertThat(said.of(key("a"))).isEmpty();
        assertThat(said.by(EDGE)).isEmpty();
    }

    @Test
    void poolQuotaAndAddress_areOfOneFamily_andWhatIsSharedIsOfNone() {
        List<Queue> ofIpv4 =
                List.of(EDGE, new Queue.OfQuota("edge", IPV4, "prod"), new Queue.OfAddress(Ip.parse("192.0.2.0")));
        assertThat(ofIpv4).allSatisfy(queue -> {
            assertThat(queue.isOf(IPV4)).isTrue();
            assertThat(queue.isOf(IPV6)).isFalse();
        });
        Queue shared = new Queue.OfShare(new SharedBy("prod", "dns"));
        assertThat(IpFamily.values()).noneMatch(shared::isOf);
    }
}
