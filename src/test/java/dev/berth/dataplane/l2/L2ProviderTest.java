package dev.berth.dataplane.l2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Beyond the contract: what it says of a class' parameters. */
class L2ProviderTest {
    private static LoadBalancerRequest request(Map<String, String> parameters) {
        return LoadBalancerRequest.builder("cluster", new ServiceIdentity("shop", "web", "uid"), IpMode.VIP)
                .addresses(List.of("192.0.2.10"))
                .parameters(parameters)
                .build();
    }

    @Test
    void parametersThatCanBeRead_areServed_asVip() {
        assertThat(new L2Provider().ensureLoadBalancer(request(Map.of("interfaces", "eth*"))))
                .isEqualTo(EnsureOutcome.ready(LoadBalancerStatus.of(List.of(Ingress.ofIp("192.0.2.10", IpMode.VIP)))));
        assertThat(new L2Provider().capabilities().ipModes()).containsExactly(IpMode.VIP);
    }

    @Test
    void parameterThatCannotBeRead_isRefusedForGood_sayingWhatToWrite() {
        assertThatThrownBy(() -> new L2Provider().ensureLoadBalancer(request(Map.of("asn", "64512"))))
                .isInstanceOfSatisfying(ProviderException.class, refused -> {
                    assertThat(refused.kind()).isEqualTo(ProviderException.Kind.PERMANENT);
                    assertThat(refused)
                            .hasMessage("parameter \"asn\" is unknown; provider \"l2\" knows interfaces,"
                                    + " withoutEndpoints; make a new LoadBalancerClass");
                });
    }
}
