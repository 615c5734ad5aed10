package dev.berth.dataplane.haproxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.dataplane.haproxy.LoadBalancer.ListenPort;
import dev.berth.dataplane.haproxy.LoadBalancer.Target;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.Node;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.LoadBalancerRequest.Tls;
import dev.berth.provider.Protocol;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ConfigurationTest {
    private static LoadBalancer loadBalancer(String address, String range, String parameterBalance, Target... targets) {
        return new LoadBalancer(
                "a1",
                "cluster",
                "shop",
                "web",
                "uid-1",
                List.of(address),
                List.of(new ListenPort(80, List.of(targets))),
                range.isEmpty() ? List.of() : List.of(range),
                Duration.ofHours(3),
                true,
                ClassParameters.of(Map.of("balance", parameterBalance)),
                null);
    }

    @Test
    void aPort_isAFrontendAndABackend() {
        String text = Configuration.of(
                "/state",
                List.of(loadBalancer(
                        "2001:db8::1",
                        "10.0.0.0/8",
                        "LeastConnections",
                        new Target("10.77.0.11", 30080, 10256, "/healthz"))),
                false);

        assertThat(text)
                .contains("frontend a1-80\n  bind [2001:db8::1]:80\n")
                .contains("  acl allowed src 10.0.0.0/8\n  tcp-request connection reject unless allowed\n")
                .contains("  balance leastconn\n")
                .contains("  stick-table type ipv6 size 100k expire 10800000ms peers berth\n")
                .contains("  option httpchk GET /healthz\n")
                .contains(
                        "  server 10.77.0.11_30080 10.77.0.11:30080 check port 10256 inter 1s fastinter 500ms downinter 500ms");
    }

    @Test
    void aPortWithTls_showsItsCertificate_andIsClosedWithoutOne() {
        LoadBalancer plain = loadBalancer("192.0.2.1", "", "RoundRobin");
        LoadBalancer tls = new LoadBalancer(
                plain.name(),
                plain.clusterName(),
                plain.namespace(),
                plain.service(),
                plain.uid(),
                plain.addresses(),
                List.of(new ListenPort(80, List.of()), new ListenPort(443, List.of())),
                plain.sourceRanges(),
                plain.sessionAffinity(),
                plain.usesAllIfAllFail(),
                plain.parameters(),
                new LoadBalancer.Tls(List.of(443), "abc"));

        assertThat(Configuration.of("/state", List.of(tls), false))
                .contains("  ssl-default-bind-options ssl-min-ver TLSv1.2\n\ndefaults\n")
                .contains("  bind 192.0.2.1:80\n")
                .contains("  bind 192.0.2.1:443 ssl crt /state/certificates/a1.pem # abc\n");
        assertThat(Configuration.of("/state", List.of(tls.withCertificate("")), false))
                .contains("  bind 192.0.2.1:80\n")
                .doesNotContain("a1-443");
        assertThat(Configuration.of("/state", List.of(plain), false)).doesNotContain("ssl");
    }

    /** A blank line would end a command of the runtime API, and begin another. */
    @Test
    void aCertificate_isPemOrRefused_andNothingOfItIsTold() {
        Tls tidy =
                new Tls(List.of(443), "-----BEGIN CERTIFICATE-----\n\nAAAA\r\n-----END CERTIFICATE-----", "\nBBBB=\n");

        assertThat(Certificates.pem(tidy))
                .isEqualTo("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\nBBBB=\n");
        for (String harmful : List.of("BBBB\n\nshutdown frontend x;", "a b", "#", "<<", "é", "-----BEGIN a-----")) {
            assertThatThrownBy(() -> Certificates.pem(new Tls(List.of(443), tidy.certificate(), harmful)))
                    .isInstanceOf(ProviderException.class)
                    .hasMessage("certificate or key has a line that is not PEM");
        }
    }

    @Test
    void whereAllAreUsedIfAllFail_aSecondBackendHasThemWithoutHealthChecks() {
        LoadBalancer one =
                loadBalancer("192.0.2.1", "", "RoundRobin", new Target("10.77.0.11", 30080, 10256, "/healthz"));

        assertThat(Configuration.of("/state", List.of(one), false))
                .contains("  use_backend a1-80-any if { nbsrv(a1-80) eq 0 }\n  default_backend a1-80\n")
                .endsWith("""
                        backend a1-80-any
                          balance roundrobin
                          fullconn 10000
                          timeout connect 5000ms
                          timeout server 3600000ms
                          stick-table type ip size 100k expire 10800000ms peers berth
                          stick on src
                          server 10.77.0.11_30080 10.77.0.11:30080
                        """);
    }

    @Test
    void withPolicyLocal_noneIsUsedIfAllFail() {
        LoadBalancerRequest request = LoadBalancerRequest.builder(
                        "cluster", new ServiceIdentity("shop", "web", "uid-1"), IpMode.PROXY)
                .addresses(List.of("192.0.2.1"))
                .ports(List.of(new Port("", Protocol.TCP, 80, 30080)))
                .nodes(List.of(Node.named("n1").withAddresses(List.of("10.77.0.11"))))
                .localTrafficPolicy(true)
                .build();

        assertThat(Configuration.of("/state", List.of(LoadBalancer.of("a1", request)), false))
                .contains("backend a1-80\n")
                .doesNotContain("nbsrv", "-any");
    }

    @Test
    void anAddressThatMayBeOnAnotherHost_isListenedOnWithoutIt() {
        assertThat(Configuration.of("/state", List.of(loadBalancer("192.0.2.1", "", "RoundRobin")), true))
                .contains("  bind 192.0.2.1:80 transparent\n");
    }

    /** What comes from Kubernetes is one word, or nothing is written. */
    @Test
    void noValue_canAddALineOrAWord() {
        Random random = new Random(1);
        String harmful = " \n\r\t#\"'\\{}$%;,=()[]<>|&\u0000\u2028é";
        for (int i = 0; i < 2_000; i++) {
            String value = "10.0.0.1" + harmful.charAt(random.nextInt(harmful.length())) + "  server evil 192.0.2.1:80";

            assertThatThrownBy(() -> Configuration.of("/state", List.of(loadBalancer(value, "", "RoundRobin")), false))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() ->
                            Configuration.of("/state", List.of(loadBalancer("10.0.0.1", value, "RoundRobin")), false))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Configuration.of(
                            "/state",
                            List.of(loadBalancer("10.0.0.1", "", "RoundRobin", new Target(value, 80, 80, null))),
                            false))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Configuration.of(
                            "/state",
                            List.of(loadBalancer(
                                    "10.0.0.1", "", "RoundRobin", new Target("10.0.0.2", 80, 80, "/" + value))),
                            false))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void anUnknownParameter_isRefusedByName() {
        assertThatThrownBy(() -> ClassParameters.of(Map.of("maxConnection", "5")))
                .isInstanceOf(ProviderException.class)
                .hasMessageContaining("\"maxConnection\" is unknown")
                .hasMessageContaining("maxConnections");
    }

    @Test
    void aParameterOutOfRange_isRefusedWithWhatItMustBe() {
        assertThatThrownBy(() -> ClassParameters.of(Map.of("maxConnections", "0")))
                .hasMessage("parameter \"maxConnections\" is \"0\"; it must be a number from 1 to 1000000");
        assertThatThrownBy(() -> ClassParameters.of(Map.of("idleTimeout", "99999h")))
                .hasMessageContaining("it must be a duration");
        assertThatThrownBy(() -> ClassParameters.of(Map.of("proxyProtocol", "v3")))
                .hasMessage("parameter \"proxyProtocol\" is \"v3\"; it must be None, V1 or V2");
    }
}
