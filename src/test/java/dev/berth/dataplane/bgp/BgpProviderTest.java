package dev.berth.dataplane.bgp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ServiceIdentity;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Beyond the contract: how packets arrive. */
class BgpProviderTest {
    private static LoadBalancerRequest request() {
        return LoadBalancerRequest.builder("cluster", new ServiceIdentity("shop", "web", "uid"), IpMode.VIP)
                .addresses(List.of("192.0.2.10"))
                .build();
    }

    @Test
    void claimedAddress_isPublished_asVip() {
        assertThat(new BgpProvider().ensureLoadBalancer(request()))
                .isEqualTo(EnsureOutcome.ready(LoadBalancerStatus.of(List.of(Ingress.ofIp("192.0.2.10", IpMode.VIP)))));
        assertThat(new BgpProvider().capabilities().ipModes()).containsExactly(IpMode.VIP);
    }
}
