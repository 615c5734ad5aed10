package dev.berth.claim;

import static dev.berth.claim.Sample.request;
import static dev.berth.claim.Sample.turn;
import static dev.berth.ip.IpFamily.IPV4;
import static dev.berth.ip.IpFamily.IPV6;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class AddressRequestTest {
    @Test
    void onlyForSomeFamilies_aPartIsOfUse() {
        AddressRequest both = request("a", 0, true, IPV4, IPV6);
        assertThat(both.onlyFor(List.of(IPV6)).families()).containsExactly(IPV6);
        assertThat(both.onlyFor(List.of(IPV6)).allOrNone()).isFalse();
        assertThat(both.onlyFor(List.of(IPV4, IPV6))).isEqualTo(both);
        assertThat(request("a", 0, IPV4, IPV6).onlyFor(List.of(IPV4, IPV6)).allOrNone())
                .isFalse();
    }

    @Test
    void atAnotherPlace_nothingElseChanges() {
        AddressRequest request = request("a", 0, IPV4);
        assertThat(request.at(turn("a", 5))).isEqualTo(request("a", 5, IPV4));
    }

    @Test
    void familiesThatRepeat_orAreNone_areRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> request("a", 0, IPV4, IPV4));
        assertThatIllegalArgumentException().isThrownBy(() -> request("a", 0));
    }
}
