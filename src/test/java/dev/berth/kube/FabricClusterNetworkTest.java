package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.kube.AnsweringServer.Answer;
import dev.berth.servicecidr.ClusterIp;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The live list of IPAddresses, of an API server that answers in pages. */
class FabricClusterNetworkTest {
    private static final String PATH = "/apis/networking.k8s.io/v1/ipaddresses";

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final AtomicReference<Answer> second = new AtomicReference<>();
    private AnsweringServer server;

    @BeforeEach
    void start() {
        second.set(new Answer(200, page("", 3, 4)));
        server = new AnsweringServer(PATH, request -> {
            String query = request.getRequestURI().getQuery();
            asked.add(query);
            return query.contains("continue=more") ? second.get() : new Answer(200, page("more", 1, 2));
        });
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static String page(String next, int from, int to) {
        return IntStream.rangeClosed(from, to)
                .mapToObj("""
                        {"metadata": {"name": "10.0.0.%1$d", "uid": "uid-%1$d",
                         "creationTimestamp": "2026-01-01T00:00:00Z"},
                         "spec": {"parentRef": {"resource": "services", "namespace": "prod", "name": "of-%1$d"}}}
                        """::formatted)
                .collect(Collectors.joining(
                        ",",
                        "{\"apiVersion\": \"networking.k8s.io/v1\", \"kind\": \"IPAddressList\","
                                + " \"metadata\": {\"continue\": \"" + next + "\"}, \"items\": [",
                        "]}"));
    }

    private Read<List<ClusterIp>> read() {
        return FabricClusterNetwork.live(server.client(), NetworkingVersion.V1).readClusterIps();
    }

    @Test
    void ipAddresses_areReadInPages() {
        assertThat(read())
                .isInstanceOfSatisfying(
                        Read.Found.class,
                        found -> assertThat((List<?>) found.value())
                                .extracting(ip -> ((ClusterIp) ip).ip().toString())
                                .containsExactly("10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"));
        assertThat(asked).hasSize(2).allMatch(query -> query.contains("limit=1000"));
    }

    /** What is done by the list cannot be undone. */
    @Test
    void anObjectThatCannotBeRead_isAFailure_notOneAddressLess() {
        second.set(new Answer(200, page("", 3, 4).replaceFirst("\"name\": \"10.0.0.3\",", "")));

        assertThat(read())
                .isInstanceOfSatisfying(
                        Read.Failed.class,
                        failed -> assertThat(failed.message()).contains("IPAddress null cannot be read"));
    }

    @Test
    void aPageThatIsMissing_isAFailure_notFewerAddresses() {
        second.set(new Answer(410, """
                {"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": 410, "reason": "Expired",
                 "message": "The provided continue parameter is too old"}
                """));

        assertThat(read()).isEqualTo(new Read.Failed<>("The provided continue parameter is too old"));
    }
}
