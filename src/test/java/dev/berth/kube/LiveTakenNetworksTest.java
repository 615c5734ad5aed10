package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.berth.ip.IpRange;
import dev.berth.kube.AnsweringServer.Answer;
import dev.berth.servicecidr.ExcludedNetwork;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is asked of an API server before a range is made. */
class LiveTakenNetworksTest {
    private static final String SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    private static final String POOLS = "/apis/berth.dev/v1alpha1/addresspools";
    private static final List<IpRange> SUPERNETS = List.of(IpRange.parse("10.100.0.0/24"));

    private final Map<String, Answer> answers = new ConcurrentHashMap<>(Map.of(
            "/api/v1/nodes",
            list("Node", """
                    {"metadata": {"name": "a"}, "spec": {"podCIDRs": ["10.100.0.0/28", "10.244.0.0/24"]},
                     "status": {"addresses": [{"type": "InternalIP", "address": "10.100.0.17"}]}}"""),
            SLICES,
            list("EndpointSlice", """
                    {"metadata": {"name": "kubernetes"}, "addressType": "IPv4", "endpoints": [{"addresses": ["10.100.0.33"]}]}"""),
            "/api/v1/services",
            list("Service", """
                    {"metadata": {"name": "web", "namespace": "shop"}, "spec": {"externalIPs": ["10.100.0.65"]},
                     "status": {"loadBalancer": {"ingress": [{"ip": "10.100.0.49"}, {"ip": "192.0.2.1"}]}}}"""),
            POOLS,
            list("AddressPool", """
                    {"apiVersion": "berth.dev/v1alpha1", "kind": "AddressPool", "metadata": {"name": "edge"},
                     "spec": {"addresses": ["10.100.0.80-10.100.0.90", "192.0.2.0/24"]}}""")));
    private AnsweringServer server;

    @BeforeEach
    void start() {
        server = new AnsweringServer("/", this::answer);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Answer answer(HttpExchange request) {
        return answers.getOrDefault(request.getRequestURI().getPath(), new Answer(404, "{}"));
    }

    private static Answer list(String kind, String item) {
        return new Answer(200, "{\"kind\": \"" + kind + "List\", \"metadata\": {}, \"items\": [" + item + "]}");
    }

    private Read<List<ExcludedNetwork>> read() {
        return FabricClusterNetwork.live(server.client(), NetworkingVersion.V1).readTaken(SUPERNETS);
    }

    @Test
    void nodes_apiServers_services_andPools_areListed_asFarAsTheyAreInTheNetworks() {
        assertThat(read())
                .isEqualTo(new Read.Found<>(List.of(
                        new ExcludedNetwork("Node \"a\" (podCIDR)", IpRange.parse("10.100.0.0/28")),
                        new ExcludedNetwork("Node \"a\"", IpRange.parse("10.100.0.17")),
                        new ExcludedNetwork("an API server", IpRange.parse("10.100.0.33")),
                        new ExcludedNetwork("Service \"shop/web\" (published)", IpRange.parse("10.100.0.65")),
                        new ExcludedNetwork("Service \"shop/web\" (published)", IpRange.parse("10.100.0.49")),
                        new ExcludedNetwork("AddressPool \"edge\"", IpRange.parse("10.100.0.80-10.100.0.90")))));
    }

    /** A range that is made cannot be taken back. */
    @Test
    void aListThatFails_isAFailure_andIsNamed() {
        answers.put(SLICES, new Answer(403, """
                {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 403, "reason": "Forbidden",
                 "message": "endpointslices is forbidden"}"""));

        assertThat(read())
                .isInstanceOfSatisfying(
                        Read.Failed.class,
                        failed -> assertThat(failed.message())
                                .startsWith("listing the endpoints of Service default/kubernetes: ")
                                .contains("forbidden"));
    }
}
