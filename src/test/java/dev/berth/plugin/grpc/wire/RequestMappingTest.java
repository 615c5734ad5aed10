package dev.berth.plugin.grpc.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.provider.Capabilities.Family;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Endpoint;
import dev.berth.provider.LoadBalancerRequest.HealthCheck;
import dev.berth.provider.LoadBalancerRequest.Node;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.LoadBalancerRequest.Tls;
import dev.berth.provider.Protocol;
import dev.berth.provider.ServiceIdentity;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RequestMappingTest {
    private static final ServiceIdentity WEB = new ServiceIdentity("prod", "web", "u1");
    private static final LoadBalancerRequest PLAIN =
            LoadBalancerRequest.builder("c1", WEB, IpMode.VIP).build();
    private static final LoadBalancerRequest FULL = LoadBalancerRequest.builder("c1", WEB, IpMode.PROXY)
            .fencingToken(7)
            .addresses(List.of("192.0.2.1"))
            .wantedAddresses(List.of("192.0.2.2"))
            .families(List.of(Family.IPV6, Family.IPV4))
            .ports(List.of(
                    new Port("web", Protocol.TCP, 80, 30080, "http"), new Port("dns", Protocol.UDP, 53, 0, null)))
            .nodes(List.of(Node.named("n1")
                    .withProviderId("cloud://n1")
                    .withAddresses(List.of("10.0.0.1"))
                    .withZone("a")
                    .withRegion("r")
                    .withLabels(Map.of("kubernetes.io/os", "linux"))))
            .endpoints(List.of(new Endpoint("web", "10.64.0.7", 8080, "n1", "a")))
            .healthCheck(new HealthCheck(10256, "/healthz"))
            .sourceRanges(List.of("198.51.100.0/24"))
            .sessionAffinity(Duration.ofMinutes(5))
            .localTrafficPolicy(true)
            .parameters(Map.of("rack", "7"))
            .annotations(Map.of("example.com/a", "b"))
            .labels(Map.of("app", "web"))
            .tls(new Tls(List.of(80), "CERTIFICATE", "A PRIVATE KEY"))
            .build();

    @Test
    void whatIsWritten_isReadAsItWas() {
        assertThat(RequestMapping.read(RequestMapping.write(FULL))).isEqualTo(FULL);
        assertThat(RequestMapping.read(RequestMapping.write(PLAIN))).isEqualTo(PLAIN);
    }

    @Test
    void copyOfARequest_hasAllThatItHas() {
        assertThat(FULL.toBuilder().build()).isEqualTo(FULL);
        assertThat(FULL.toBuilder().clusterName("c2").ipMode(IpMode.VIP).build())
                .isEqualTo(LoadBalancerRequest.builder("c2", WEB, IpMode.VIP)
                        .fencingToken(FULL.fencingToken())
                        .addresses(FULL.addresses())
                        .wantedAddresses(FULL.wantedAddresses())
                        .families(FULL.families())
                        .ports(FULL.ports())
                        .nodes(FULL.nodes())
                        .endpoints(FULL.endpoints())
                        .healthCheck(FULL.healthCheck())
                        .sourceRanges(FULL.sourceRanges())
                        .sessionAffinity(FULL.sessionAffinity())
                        .localTrafficPolicy(FULL.localTrafficPolicy())
                        .parameters(FULL.parameters())
                        .annotations(FULL.annotations())
                        .labels(FULL.labels())
                        .tls(FULL.tls())
                        .build());
    }

    @Test
    void aRequest_tellsNoPrivateKey() {
        assertThat(FULL.toString()).contains("Tls[80]").doesNotContain("A PRIVATE KEY");
    }

    @Test
    void nothingIsLeftOut() throws ReflectiveOperationException {
        for (Field field : LoadBalancerRequest.class.getDeclaredFields()) {
            if (!field.isSynthetic() && !List.of("clusterName", "service").contains(field.getName())) {
                Method part = LoadBalancerRequest.class.getMethod(field.getName());
                assertThat(part.invoke(FULL))
                        .as("the sample has to have its own %s", field.getName())
                        .isNotEqualTo(part.invoke(PLAIN));
            }
        }
    }
}
