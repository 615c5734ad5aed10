package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import org.junit.jupiter.api.Test;

class ServiceStatesTest {
    private static final Service WEB = new ServiceBuilder()
            .withNewMetadata()
            .withNamespace("prod")
            .withName("web")
            .withUid("u1")
            .withResourceVersion("1")
            .endMetadata()
            .withNewSpec()
            .withType("LoadBalancer")
            .withIpFamilies("IPv4")
            .addNewPort()
            .withPort(80)
            .endPort()
            .endSpec()
            .build();

    /** Anyone who may write a Service could take any address by them (CVE-2020-8554). */
    @Test
    void externalIPs_areNotEvenRead() {
        Service with = new ServiceBuilder(WEB)
                .editSpec()
                .withExternalIPs("192.0.2.1")
                .endSpec()
                .build();

        assertThat(ServiceStates.of(with)).isEqualTo(ServiceStates.of(WEB));
    }

    @Test
    void portsWithoutAProtocol_areTcp_andThoseWithoutANodePort_haveNone() {
        assertThat(ServiceStates.of(WEB).ports()).singleElement().satisfies(port -> {
            assertThat(port.protocol().name()).isEqualTo("TCP");
            assertThat(port.nodePort()).isZero();
        });
    }
}
