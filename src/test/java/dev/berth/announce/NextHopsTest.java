package dev.berth.announce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NextHopsTest {
    private static NextHops of(String... addresses) {
        return NextHops.of(Stream.of(addresses).map(Ip::parse).toList());
    }

    @Test
    void firstOfEachFamily_isTheNextHop_andTheOthersAreNamed() {
        NextHops hops = of("10.0.0.5", "2001:db8::5", "192.168.7.5", "2001:db8:7::5");

        assertThat(hops.byFamily().values()).containsExactly(Ip.parse("10.0.0.5"), Ip.parse("2001:db8::5"));
        assertThat(hops.choice())
                .isEqualTo("the Node has several InternalIPs of one family: routes have the first of each as next hop,"
                        + " 10.0.0.5, 2001:db8::5; not used: 192.168.7.5, 2001:db8:7::5");
    }

    @Test
    void nodeWithOneAddressOfAFamily_hasNothingToSay_alsoIfItIsTwiceThere() {
        assertThat(of("10.0.0.5", "2001:db8::5", "10.0.0.5").choice()).isEmpty();
        assertThat(of("2001:db8::5").byFamily().values()).containsExactly(Ip.parse("2001:db8::5"));
        assertThat(of().byFamily()).isEmpty();
    }
}
