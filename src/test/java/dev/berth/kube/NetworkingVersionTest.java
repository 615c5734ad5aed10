package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NetworkingVersionTest {
    private static final String V1 = "networking.k8s.io/v1";
    private static final String V1BETA1 = "networking.k8s.io/v1beta1";

    @Test
    void serviceCidrs_areReadInTheNewestVersionThatIsServed_ifAny() {
        assertThat(NetworkingVersion.newest(List.of(V1BETA1, V1)::contains)).hasValue(NetworkingVersion.V1);
        assertThat(NetworkingVersion.newest(List.of(V1BETA1)::contains)).hasValue(NetworkingVersion.V1BETA1);
        assertThat(NetworkingVersion.newest(List.of()::contains)).isEmpty();
    }
}
