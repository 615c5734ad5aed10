package dev.berth.claim;

import static dev.berth.claim.Sample.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WithheldTest {
    private static final Ip IP = Ip.parse("192.0.2.0");

    private final Withheld withheld = new Withheld();

    @Test
    void addressIsWithheldForAnother_ifAServiceBesideThisOnePublishesIt() {
        assertThat(withheld.isForAnother(IP, key("a"))).isFalse();
        withheld.replace(key("a"), List.of(IP));
        assertThat(withheld.isForAnother(IP, key("a"))).isFalse();
        assertThat(withheld.isForAnother(IP, key("b"))).isTrue();
        withheld.replace(key("b"), List.of(IP));
        assertThat(withheld.isForAnother(IP, key("a"))).isTrue();
    }

    @Test
    void addressIsWithheld_untilTheLastThatPublishesItDoesNoMore() {
        withheld.replace(key("a"), List.of(IP));
        withheld.replace(key("b"), List.of(IP));
        assertThat(withheld.all()).isEqualTo(Map.of(key("a"), List.of(IP), key("b"), List.of(IP)));

        assertThat(withheld.replace(key("a"), List.of())).containsExactly(IP);
        assertThat(withheld.contains(IP)).isTrue();
        assertThat(withheld.services()).containsExactly(key("b"));

        withheld.replace(key("b"), List.of());
        assertThat(withheld.contains(IP)).isFalse();
        assertThat(withheld.all()).isEmpty();
    }

    @Test
    void clear_leavesNothing() {
        withheld.replace(key("a"), List.of(IP));
        withheld.clear();
        assertThat(withheld.contains(IP)).isFalse();
        assertThat(withheld.of(key("a"))).isEmpty();
    }
}
