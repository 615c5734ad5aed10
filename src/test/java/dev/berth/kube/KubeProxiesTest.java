package dev.berth.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.provider.LoadBalancerRequest.Node;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Of nodes that are this machine. */
class KubeProxiesTest {
    private static final List<Node> HERE = List.of(Node.named("n1").withAddresses(List.of("127.0.0.1")));
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static ServerSocket listening(int port) throws IOException {
        return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
    }

    @Test
    void areThere_untilEveryNodeRefuses_asTheLogSays_andAgainWhenOneListens() throws IOException {
        int port;
        try (ServerSocket kubeProxy = listening(0)) {
            port = kubeProxy.getLocalPort();
            KubeProxies asked = new KubeProxies(port, PATIENCE);
            assertThat(asked.areThere()).isTrue();
            assertThat(asked.ask(HERE)).isFalse();
            kubeProxy.close();

            assertThat(asked.ask(HERE)).isTrue();
            assertThat(asked.areThere()).isFalse();
            assertThat(Path.of("docs/load-balancer-classes.md"))
                    .content()
                    .contains("\n    " + asked.described() + "\n");
            assertThat(asked.ask(HERE)).as("as before").isFalse();

            try (ServerSocket again = listening(port)) {
                assertThat(asked.ask(HERE)).isTrue();
                assertThat(again.getLocalPort()).isEqualTo(port);
            }
            assertThat(asked.areThere()).isTrue();
        }
    }

    @Test
    void withoutNodes_orWithoutAnAnswer_nothingIsConcluded() throws IOException {
        KubeProxies asked = new KubeProxies(1, PATIENCE);

        assertThat(asked.ask(List.of())).isFalse();
        assertThat(asked.ask(List.of(Node.named("bare")))).isFalse();
        assertThat(asked.ask(List.of(Node.named("elsewhere").withAddresses(List.of("not an address")))))
                .isFalse();
        assertThat(asked.areThere()).isTrue();
    }
}
