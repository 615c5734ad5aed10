package dev.berth.plugin.grpc.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.plugin.grpc.v1.EnsureLoadBalancerResponse;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerStatus;
import dev.berth.provider.PortError;
import dev.berth.provider.Protocol;
import dev.berth.provider.TargetHealth;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StatusMappingTest {
    private static final LoadBalancerStatus PLAIN =
            LoadBalancerStatus.of(List.of(Ingress.ofIp("192.0.2.1", IpMode.PROXY)));

    private static final LoadBalancerStatus FULL = LoadBalancerStatus.of(
                    List.of(Ingress.ofIp("192.0.2.1", IpMode.PROXY), Ingress.ofHostname("lb.example.com")))
            .withPortErrors(List.of(new PortError(53, Protocol.UDP, "Missing")))
            .withTargets(new TargetHealth(3, 2));

    @Test
    void status_arrivesAsItWasSent_alsoWithoutWhatIsNotTold() {
        for (LoadBalancerStatus status : List.of(PLAIN, FULL, PLAIN.withTargets(new TargetHealth(0, 0)))) {
            assertThat(StatusMapping.read(StatusMapping.write(Optional.of(status))))
                    .contains(status);
            assertThat(StatusMapping.read(StatusMapping.write(EnsureOutcome.ready(status))))
                    .isEqualTo(EnsureOutcome.ready(status));
        }
    }

    @Test
    void moreHealthyTargetsThanThereAre_areRefused() {
        EnsureLoadBalancerResponse sent = StatusMapping.write(EnsureOutcome.ready(FULL));
        EnsureLoadBalancerResponse odd = sent.toBuilder()
                .setReady(sent.getReady().toBuilder()
                        .setTargets(sent.getReady().getTargets().toBuilder().setHealthy(4)))
                .build();

        assertThatThrownBy(() -> StatusMapping.read(odd))
                .isInstanceOf(ProtocolViolation.class)
                .hasMessageContaining("4 of 3 targets");
    }
}
