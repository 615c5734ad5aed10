package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.berth.announce.DesiredAddress;
import dev.berth.testing.Mutation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an agent reads of a cluster. */
class ClusterViewTest {
    private static final int ODD_ONES = 500;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String NODES = "/api/v1/nodes";
    private static final String SERVICES = "/api/v1/services";
    private static final String SLICES = "/apis/discovery.k8s.io/v1/endpointslices";
    private static final String ADDRESSES = "/apis/berth.dev/v1alpha1/addresses";

    @TempDir
    private Path folder;

    private FakeApiServer server;
    private ClusterView view;

    @BeforeEach
    void serve() throws IOException {
        server = new FakeApiServer();
        server.put(NODES, node("a", "192.0.2.1"));
        server.put("/apis/berth.dev/v1alpha1/loadbalancerclasses", """
                {"metadata": {"name": "l2"}, "spec": {"loadBalancerClass": "test.dev/l2", "provider": "l2"}}
                """);
        server.put(SERVICES, service("web", "Local"));
        server.put(ADDRESSES, address("192.0.2.10"));
        server.put(SLICES, slice(Stream.of("a")));
        view = new ClusterView(server.client(folder), () -> {}, () -> 0L);
    }

    @AfterEach
    void stop() {
        view.close();
        server.close();
    }

    private static String node(String name, String... addresses) {
        return "{\"metadata\": {\"name\": \"%s\"}, \"status\": {\"addresses\": [%s]}}"
                .formatted(
                        name,
                        String.join(
                                ", ",
                                Stream.of(addresses)
                                        .map("{\"type\": \"InternalIP\", \"address\": \"%s\"}"::formatted)
                                        .toList()));
    }

    private static String address(String ip) {
        return address(ip, "web");
    }

    private static String address(String ip, String service) {
        return """
                {"metadata": {"name": "%1$s"}, "spec": {"address": "%1$s", "class": "test.dev/l2",
                  "claims": [{"namespace": "shop", "name": "%2$s", "uid": "u"}]}}
                """.formatted(ip, service);
    }

    private static String service(String name, String policy) {
        return """
                {"metadata": {"namespace": "shop", "name": "%s", "uid": "u"},
                 "spec": {"type": "LoadBalancer", "externalTrafficPolicy": "%s"}}
                """.formatted(name, policy);
    }

    private static String slice(Stream<String> nodes) {
        return slice("web", nodes);
    }

    private static String slice(String service, Stream<String> nodes) {
        return """
                {"metadata": {"namespace": "shop", "name": "%1$s-1", "labels": {"kubernetes.io/service-name": "%1$s"}},
                  "addressType": "IPv4", "endpoints": [%2$s]}
                """.formatted(
                service,
                String.join(", ", nodes.map("{\"nodeName\": \"%s\"}"::formatted).toList()));
    }

    private List<DesiredAddress> read() {
        view.start();
        await().until(view::isKnown);
        return view.asked();
    }

    private List<String> ready() {
        return view.asked().getFirst().services().getFirst().ready();
    }

    @Test
    void addressOfANode_isKnownForOne_whateverNode() {
        server.put(NODES, node("a", "192.0.2.1", "2001:db8::1"), node("b", "192.0.2.2", "2001:db8::2"));
        server.put(ADDRESSES, address("192.0.2.10"), address("192.0.2.2"), address("2001:db8::2"));
        assertThat(read())
                .extracting(asked -> asked.address() + " " + asked.isOfNode())
                .containsExactly("192.0.2.2 true", "192.0.2.10 false", "2001:db8::2 true");
    }

    @Test
    void nodeOfSeveral_isHidden_ifItHasHadNoInternalIp() {
        server.put(NODES, node("a", "192.0.2.1"), node("b"));
        read();
        assertThat(List.of("a", "b", "none")).filteredOn(view::isHidden).containsExactly("b");

        server.send(NODES, "MODIFIED", node("a"));
        server.send(NODES, "MODIFIED", node("b", "192.0.2.2"));
        await().until(() -> !view.isHidden("b"));
        assertThat(view.isHidden("a")).isFalse();
        assertThat(view.others("b")).containsOnlyKeys("a");

        // Another Node of the name.
        server.send(NODES, "MODIFIED", "{\"metadata\": {\"name\": \"a\", \"uid\": \"u2\"}}");
        await().until(() -> view.isHidden("a"));
        assertThat(view.others("b")).isEmpty();

        server.send(NODES, "DELETED", node("b"));
        await().until(() -> !view.isHidden("a"));
    }

    @Test
    void addressThatSomethingElseThanAServiceHas_isNotAskedFor() {
        server.put(
                ADDRESSES,
                address("192.0.2.10"),
                address("192.0.2.11").replace("\"uid\": \"u\"", "\"uid\": \"u\", \"kind\": \"Gateway\""),
                address("192.0.2.12")
                        .replace(
                                "\"claims\": [",
                                "\"claims\": [{\"kind\": \"Gateway\", \"namespace\": \"shop\", \"name\": \"edge\"}, "),
                address("192.0.2.13").replace("\"uid\": \"u\"", "\"uid\": \"u\", \"kind\": \"Service\""));
        assertThat(read()).extracting(asked -> asked.address().toString()).containsExactly("192.0.2.10", "192.0.2.13");
    }

    /** Its own, and no more: whoever may write the status of one Node could else stop all addresses. */
    @Test
    void statusOfANode_keepsFourAddressesFromBeingAnnounced_howeverManyItNames() {
        String[] forged =
                IntStream.range(10, 100).mapToObj("192.0.2.%d"::formatted).toArray(String[]::new);
        server.put(NODES, node("a", forged), node("b", "192.0.2.2", "192.0.2.99"));
        server.put(ADDRESSES, Stream.of(forged).map(ClusterViewTest::address).toArray(String[]::new));
        assertThat(read())
                .hasSize(90)
                .filteredOn(DesiredAddress::isOfNode)
                .extracting(asked -> asked.address().toString())
                .containsExactly("192.0.2.10", "192.0.2.11", "192.0.2.12", "192.0.2.13", "192.0.2.99");
    }

    /** There may be very many, and each change of one is a reason to decide about all addresses. */
    @Test
    void serviceWithoutAnAddress_changesNothing_andNeitherDoItsEndpoints() {
        read();
        long number = view.number();

        server.send(SLICES, "ADDED", slice("other", Stream.of("a")));
        server.send(SLICES, "MODIFIED", slice("other", Stream.of()));
        server.send(SLICES, "MODIFIED", slice(Stream.of()));
        await().until(() -> ready().isEmpty());
        assertThat(view.number()).isEqualTo(number + 1);

        server.send(SERVICES, "ADDED", service("other", "Cluster"));
        server.send(SERVICES, "MODIFIED", service("web", "Cluster"));
        await().until(() -> !view.asked().getFirst().services().getFirst().isLocal());
        assertThat(view.number()).isEqualTo(number + 2);
    }

    @Test
    void serviceThatGetsAnAddressLater_isKnownThen_withItsEndpoints() {
        server.put(SERVICES, service("web", "Local"), service("api", "Local"));
        server.put(SLICES, slice(Stream.of("a")), slice("api", Stream.of("a")));
        assertThat(read()).hasSize(1);
        long number = view.number();

        server.send(ADDRESSES, "ADDED", address("192.0.2.9", "api"));
        await().until(() -> view.number() > number);
        assertThat(ready()).containsExactly("a");

        server.send(SLICES, "MODIFIED", slice("api", Stream.of()));
        await().until(() -> ready().isEmpty());
        assertThat(view.number()).isEqualTo(number + 2);
    }

    @Test
    void namesOfNodesThatThereAreNot_areNotKept() {
        server.put(
                SLICES,
                slice(Stream.concat(
                        Stream.of("a"), IntStream.range(0, 1_000).mapToObj(number -> "invented-" + number))));
        assertThat(read()).hasSize(1);
        assertThat(ready()).hasSize(2).contains("a");
    }

    /** {@code sample}, and odd ones made of it; each has a name of its own. */
    private static String[] withOddOnes(boolean typed, String sample, String... parts) throws IOException {
        JsonNode object = JSON.readTree(sample);
        String[] all = new String[ODD_ONES + 1];
        all[0] = object.toString();
        for (int seed = 0; seed < ODD_ONES; seed++) {
            ObjectNode odd = (ObjectNode) new Mutation(new Random(seed), typed).of(object, parts);
            odd.withObject("/metadata").put("name", "odd-" + seed);
            all[seed + 1] = odd.toString();
        }
        return all;
    }

    /** As the operator does, which does not accept it. */
    @Test
    void classWhoseParametersCannotBeRead_hasNoValue_thoughItIsTheOlder() throws IOException {
        server.put("/apis/berth.dev/v1alpha1/loadbalancerclasses", """
                {"metadata": {"name": "older", "creationTimestamp": "2026-01-01T00:00:00Z"},
                 "spec": {"loadBalancerClass": "test.dev/l2", "provider": "bgp", "parameters": {"interfaces": "eth0"}}}
                """, """
                {"metadata": {"name": "younger", "creationTimestamp": "2026-01-02T00:00:00Z"},
                 "spec": {"loadBalancerClass": "test.dev/l2", "provider": "l2", "parameters": {"interfaces": "eth0"}}}
                """);
        server.put(ADDRESSES, address("192.0.2.10"));

        assertThat(read())
                .singleElement()
                .satisfies(asked -> assertThat(asked.parameters().interfaces()).containsExactly("eth0"));
    }

    private static String classObject(String name, String day, String networkInterface, String accepted) {
        return """
                {"metadata": {"name": "%s", "creationTimestamp": "2026-01-%sT00:00:00Z"},
                 "spec": {"loadBalancerClass": "test.dev/l2", "provider": "l2", "parameters": {"interfaces": "%s"}},
                 "status": {"conditions": [{"type": "Accepted", %s}]}}
                """.formatted(name, day, networkInterface, accepted);
    }

    /** Each case, and the interface of the class that has the value. */
    @ParameterizedTest
    @CsvSource({"UnknownProvider, younger", "UnsupportedIPMode, younger", "ValueTaken, older"})
    void classThatIsNotAccepted_leavesItsValueToAYoungerOne(String reason, String expected) {
        server.put(
                "/apis/berth.dev/v1alpha1/loadbalancerclasses",
                classObject("older", "01", "older", "\"status\": \"False\", \"reason\": \"" + reason + "\""),
                classObject("younger", "02", "younger", "\"status\": \"True\", \"reason\": \"Accepted\""));

        assertThat(read())
                .singleElement()
                .satisfies(asked -> assertThat(asked.parameters().interfaces()).containsExactly(expected));
    }

    /** Services may have addresses of it. */
    @Test
    void classThatIsNotAccepted_isAnnounced_ifItIsTheOnlyOneOfItsValue() {
        server.put(
                "/apis/berth.dev/v1alpha1/loadbalancerclasses",
                classObject("older", "01", "eth0", "\"status\": \"False\", \"reason\": \"UnsupportedIPMode\""));

        assertThat(read()).hasSize(1);
    }

    @Test
    void oddObjects_keepNoOtherFromBeingRead() throws IOException {
        server.put(NODES, withOddOnes(true, """
                {"metadata": {"name": "a", "labels": {"node.kubernetes.io/exclude-from-external-load-balancers": "false"}},
                 "spec": {"unschedulable": false, "taints": [{"key": "node.kubernetes.io/out-of-service", "effect": "x"}]},
                 "status": {"addresses": [{"type": "InternalIP", "address": "192.0.2.1"}],
                   "conditions": [{"type": "NetworkUnavailable", "status": "False"}]}}
                """, "metadata/labels", "spec", "status"));
        server.put("/apis/berth.dev/v1alpha1/loadbalancerclasses", withOddOnes(false, """
                {"metadata": {"name": "l2", "creationTimestamp": "2026-01-01T00:00:00Z"},
                 "spec": {"loadBalancerClass": "test.dev/l2", "provider": "l2", "parameters": {"interfaces": "eth0"}}}
                """, "spec"));
        server.put(SERVICES, withOddOnes(true, service("web", "Local"), "spec"));
        server.put(ADDRESSES, withOddOnes(false, address("192.0.2.10"), "spec"));
        server.put(SLICES, withOddOnes(true, """
                {"metadata": {"namespace": "shop", "name": "web-1", "labels": {"kubernetes.io/service-name": "web"}},
                 "addressType": "IPv4",
                 "endpoints": [{"nodeName": "a", "conditions": {"ready": true, "serving": true, "terminating": false}}]}
                """, "metadata/labels", "addressType", "endpoints"));

        assertThat(read()).anySatisfy(asked -> {
            assertThat(asked.address()).hasToString("192.0.2.10");
            assertThat(asked.services())
                    .first()
                    .satisfies(web -> assertThat(web.ready()).contains("a"));
        });
        assertThat(view.nodes()).hasSize(ODD_ONES + 1);
    }

    /** The API server writes the uid of an owner into the name of a field, and bounds neither. */
    @Test
    void ownerWithAUidOfAnyLength_keepsNoOtherFromBeingRead() {
        server.put(SERVICES, """
                {"metadata": {"namespace": "shop", "name": "owned", "uid": "o", "managedFields": [
                  {"fieldsV1": {"f:metadata": {"f:ownerReferences": {"k:%s": {}}}}}]}, "spec": {"type": "LoadBalancer"}}
                """.formatted("u".repeat(60_000)), service("web", "Local"));
        assertThat(read()).hasSize(1);
        assertThat(ready()).containsExactly("a");
    }

    @Test
    void nodeThatCameAfterItsEndpoints_hasThem() {
        server.put(SLICES, slice(Stream.of("a", "b")));
        assertThat(read()).hasSize(1);
        assertThat(ready()).doesNotContain("b");
        server.send(NODES, "ADDED", node("b"));
        await().until(() -> ready().equals(List.of("a", "b")));
    }
}
