package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.agent.KeptObjects.Claim;
import dev.berth.claim.ServiceKey;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServicesWithAddressTest {
    private static final ServiceKey WEB = new ServiceKey("shop", "web");
    private static final List<Claim> OF_WEB = List.of(new Claim(WEB, "u"));

    private final ServicesWithAddress claimed = new ServicesWithAddress();

    @Test
    void serviceWithSeveralAddresses_hasOne_untilItHasLostTheLast() {
        claimed.change(List.of(), OF_WEB);
        claimed.change(List.of(), OF_WEB);
        claimed.change(OF_WEB, List.of());
        assertThat(claimed.has(WEB)).isTrue();
        claimed.change(OF_WEB, List.of());
        assertThat(claimed.has(WEB)).isFalse();
    }

    @Test
    void serviceThatIsReplacedByAnother_ofItsName_hasOne() {
        claimed.change(List.of(), OF_WEB);
        claimed.change(OF_WEB, List.of(new Claim(WEB, "v")));
        assertThat(claimed.has(WEB)).isTrue();
        assertThat(claimed.has(new ServiceKey("shop", "api"))).isFalse();
    }
}
