package dev.berth.dataplane.haproxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.dataplane.haproxy.LoadBalancer.ListenPort;
import dev.berth.dataplane.haproxy.LoadBalancer.Target;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.LoadBalancerRequest.HealthCheck;
import dev.berth.provider.LoadBalancerRequest.Node;
import dev.berth.provider.LoadBalancerRequest.Port;
import dev.berth.provider.LoadBalancerRequest.Tls;
import dev.berth.provider.Protocol;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigurationTest {
    private static LoadBalancer loadBalancer(String address, String range, String parameterBalance, Target... targets) {
        return loadBalancer(List.of(address), range.isEmpty() ? List.of() : List.of(range), parameterBalance, targets);
    }

    private static LoadBalancer loadBalancer(
            List<String> addresses, List<String> ranges, String parameterBalance, Target... targets) {
        return new LoadBalancer(
                "a1",
                "cluster",
                "shop",
                "web",
                "uid-1",
                addresses,
                List.of(new ListenPort(80, List.of(targets))),
                ranges,
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
                        "2001:db8:1::/64",
                        "LeastConnections",
                        new Target("10.77.0.11", 30080, 10256, "/healthz"))),
                false);

        assertThat(text)
                .contains("frontend a1-80\n  bind [2001:db8::1]:80\n")
                .contains("""
                          acl called6 dst 2001:db8::1
                          acl allowed6 src 2001:db8:1::/64
                          tcp-request connection reject if called6 !allowed6
                        """)
                .contains("  balance leastconn\n")
                .contains("  stick-table type ipv6 size 100k expire 10800000ms peers berth\n")
                .contains("  option httpchk GET /healthz\n")
                .contains(
                        "  server 10.77.0.11_30080 10.77.0.11:30080 check port 10256 inter 1s fastinter 500ms downinter 500ms");
    }

    @Test
    void sourceRanges_areForClientsOfTheirFamily_andAFamilyWithoutAnyIsOpen() {
        List<String> both = List.of("192.0.2.1", "2001:db8::1");

        assertThat(Configuration.of("/state", List.of(loadBalancer(both, List.of("10.0.0.0/8"), "RoundRobin")), false))
                .contains("reject if called4 !allowed4\n")
                .doesNotContain("allowed6");
        assertThat(Configuration.of(
                        "/state",
                        List.of(loadBalancer(both, List.of("10.0.0.0/8", "2001:db8:1::/64"), "RoundRobin")),
                        false))
                .contains("reject if called4 !allowed4\n", "reject if called6 !allowed6\n");
        assertThat(Configuration.of(
                        "/state", List.of(loadBalancer("192.0.2.1", "2001:db8:1::/64", "RoundRobin")), false))
                .doesNotContain("reject");
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

    /** kube-proxy opens a node port by the families of the Service, and answers for the node by that of the node. */
    @Test
    void aNodeIsReachedByAFamilyOfTheService_andWithPolicyClusterCheckedByItsFirstAddress() {
        LoadBalancerRequest request = LoadBalancerRequest.builder(
                        "cluster", new ServiceIdentity("shop", "web", "uid-1"), IpMode.PROXY)
                .addresses(List.of("2001:db8::1"))
                .ports(List.of(new Port("", Protocol.TCP, 80, 30080)))
                .nodes(List.of(Node.named("n1").withAddresses(List.of("10.77.0.11", "fd77::11"))))
                .healthCheck(new HealthCheck(10256, "/healthz"))
                .build();
        LoadBalancerRequest local = request.toBuilder()
                .localTrafficPolicy(true)
                .healthCheck(new HealthCheck(30081, "/healthz"))
                .build();
        LoadBalancerRequest dualStack = request.toBuilder()
                .addresses(List.of("2001:db8::1", "192.0.2.1"))
                .build();

        assertThat(written(request))
                .contains("  server fd77--11_30080 [fd77::11]:30080 addr 10.77.0.11 check port 10256 ");
        assertThat(written(local)).contains("  server fd77--11_30080 [fd77::11]:30080 check port 30081 ");
        assertThat(written(dualStack)).contains("  server 10.77.0.11_30080 10.77.0.11:30080 check port 10256 ");
    }

    private static String written(LoadBalancerRequest request) {
        return Configuration.of("/state", List.of(LoadBalancer.of("a1", request)), false);
    }

    @Test
    void anAddressThatMayBeOnAnotherHost_isListenedOnWithoutIt() {
        assertThat(Configuration.of("/state", List.of(loadBalancer("192.0.2.1", "", "RoundRobin")), true))
                .contains("  bind 192.0.2.1:80 transparent\n");
    }

    /** With harmless values, but for one. */
    private static LoadBalancer with(String field, String value) {
        UnaryOperator<String> of = name -> name.equals(field) ? value : harmless(name);
        return new LoadBalancer(
                of.apply("name"),
                "cluster",
                of.apply("namespace"),
                of.apply("service"),
                "uid-1",
                List.of(of.apply("address"), "192.0.2.2", "2001:db8::2"),
                List.of(
                        new ListenPort(80, List.of(new Target(of.apply("target"), 30080, 10256, of.apply("path")))),
                        new ListenPort(443, List.of())),
                List.of(of.apply("range"), "10.0.0.0/8", "2001:db8:1::/64"),
                Duration.ofHours(3),
                true,
                ClassParameters.of(Map.of("proxyProtocol", "V1")),
                new LoadBalancer.Tls(List.of(443), of.apply("digest")));
    }

    private static String harmless(String field) {
        return Objects.requireNonNull(HARMLESS.get(field), field);
    }

    private static final Map<String, String> HARMLESS = Map.of(
            "name", "a1",
            "namespace", "shop",
            "service", "web",
            "address", "192.0.2.1",
            "range", "10.1.0.0/16",
            "target", "10.77.0.11",
            "path", "/healthz",
            "digest", "abc");

    /** Of each line the first word, and how many there are. */
    private static Set<String> shapes(String text) {
        return text.lines()
                .map(line -> line.strip().split(" ", -1))
                .map(words -> words[0] + " and " + (words.length - 1))
                .collect(Collectors.toSet());
    }

    /** Half of them of what names may have, half of anything. */
    private static String randomText(Random random) {
        String names = "abcXYZ0189.:/-_~";
        String anything = names
                + " \n\r\t\u000b\u0000\u0085\u2028\u00e9\u0661\uff10\ud83d\udd25#\"'\\\\{}$%;,=()[]<>|&!@*?`^+\u007f";
        String alphabet = random.nextBoolean() ? names : anything;
        String start = random.nextBoolean() ? "/" : "";
        return start
                + random.ints(random.nextInt(random.nextInt(10) == 0 ? 300 : 12), 0, alphabet.length())
                        .mapToObj(index -> alphabet.substring(index, index + 1))
                        .collect(Collectors.joining());
    }

    /** What comes from Kubernetes is one word, or nothing is written; so is what the runtime API gets. */
    @ParameterizedTest
    @ValueSource(strings = {"name", "namespace", "service", "address", "range", "target", "path", "digest"})
    void noValue_canAddALineOrAWord(String field) {
        Random random = new Random(1);
        String harmless = Configuration.of("/state", List.of(with(field, harmless(field))), false);
        int written = 0;
        int refused = 0;
        for (int i = 0; i < 4_000; i++) {
            String value = randomText(random);
            LoadBalancer one = with(field, value);
            String text;
            try {
                text = Configuration.of("/state", List.of(one), false);
            } catch (IllegalArgumentException odd) {
                refused++;
                continue;
            }
            written++;
            assertThat(text).as("%s", value).matches("[\\n -~]*");
            assertThat(text.lines().count())
                    .as("%s", value)
                    .isLessThanOrEqualTo(harmless.lines().count());
            assertThat(shapes(harmless)).as("%s", value).containsAll(shapes(text));
            Target target = one.ports().getFirst().targets().getFirst();
            assertThat(one.proxy(one.ports().getFirst()) + "/" + target.server())
                    .matches("[A-Za-z0-9._:/-]+");
            assertThat(Configuration.server(one.parameters(), target))
                    .allMatch(word -> word.matches("[A-Za-z0-9.:/_\\[\\]-]+"));
        }
        assertThat(List.of(written, refused)).as("of %s", field).allMatch(count -> count > 100);
    }

    @Test
    void nameOfALoadBalancer_isAWord_whateverTheUid() {
        Random random = new Random(2);
        for (int i = 0; i < 4_000; i++) {
            String uid = "u" + randomText(random);
            assertThat(HaproxyProvider.nameOf(new ServiceIdentity("shop", "web", uid)))
                    .as("%s", uid)
                    .matches("[A-Za-z0-9._-]+");
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
