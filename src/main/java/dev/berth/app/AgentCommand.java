package dev.berth.app;

import dev.berth.agent.AgentMetrics;
import dev.berth.agent.ApiServer;
import dev.berth.agent.NodeAgent;
import dev.berth.agent.membership.SharedKey;
import dev.berth.cli.Preflight;
import dev.berth.cli.Version;
import dev.berth.plugin.grpc.transport.Endpoint;
import dev.berth.plugin.grpc.transport.KeepAlive;
import dev.berth.plugin.grpc.transport.Transport;
import io.fabric8.kubernetes.client.Config;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code berth agent}: announces addresses on a node. */
@Command(
        name = "agent",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description =
                "Announces the addresses of Services on this node by ARP and NDP, and by BGP, until it is stopped.")
final class AgentCommand implements Callable<Integer> {
    private static final int UNKEPT = 143;

    /** The speaker is asked something each second, and takes it for an attack to be asked more often whether it is there. */
    private static final KeepAlive GOBGP_KEEP_ALIVE = new KeepAlive(Duration.ofHours(1), Duration.ofSeconds(10));

    @Option(
            names = "--node-name",
            required = true,
            paramLabel = "NAME",
            description = "the Node object that this machine is")
    String node = "";

    @Option(
            names = "--key-file",
            required = true,
            paramLabel = "FILE",
            description =
                    "the key that all agents of the cluster share, 16 characters at least; a second line may hold one more"
                            + " that is understood")
    Path keyFile = Path.of("");

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "7948",
            description = "UDP, where agents hear each other; the same on all nodes (default: ${DEFAULT-VALUE})")
    int port;

    @Option(
            names = "--gobgp",
            paramLabel = "unix:///PATH",
            description = "where gobgpd of GoBGP 4 listens on this node; by default nothing is announced by BGP")
    @Nullable String gobgp;

    @Option(
            names = "--secrets-namespace",
            paramLabel = "NAMESPACE",
            defaultValue = "berth-agents",
            description =
                    "where the agents' Leases are, and the Secrets that BGPPeers name (default: ${DEFAULT-VALUE})")
    String secretsNamespace = "";

    @Option(names = "--kubeconfig", paramLabel = "FILE", description = "by default the Pod's ServiceAccount")
    @Nullable Path kubeconfig;

    @Option(
            names = "--http",
            paramLabel = "HOST:PORT",
            description =
                    "where /metrics, /healthz and /announcements are served, to anybody who can reach it; by default not at"
                            + " all")
    @Nullable String http;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        ConsoleLog.start();
        try {
            AgentMetrics metrics = new AgentMetrics();
            Endpoint.Unix speaker = speaker();
            NodeAgent agent = new NodeAgent(
                    new NodeAgent.Settings(
                            node, secretsNamespace, port, SharedKey.read(keyFile), System.currentTimeMillis()),
                    server(),
                    new SecureRandom(),
                    metrics,
                    speaker == null
                            ? null
                            : Transport.channel(speaker, null, null, GOBGP_KEEP_ALIVE)
                                    .build());
            MetricsServer scraped = http == null ? null : MetricsServer.start("--http", http, metrics.registry());
            if (scraped != null) {
                scraped.page("/announcements", agent::explained);
                scraped.health("/healthz", agent::missing);
            }
            CountDownLatch ended = new CountDownLatch(1);
            Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> {
                agent.close();
                ended.countDown();
            }));
            agent.start();
            System.out.println("announcing on node " + node);
            ended.await();
            return UNKEPT;
        } catch (IllegalArgumentException | IOException unusable) {
            spec.commandLine().getErr().println("berth: " + Preflight.innermost(unusable));
            return 1;
        }
    }

    /** No channel: whatever a command's methods name is loaded by each command, and gRPC is for those that need it. */
    private Endpoint.@Nullable Unix speaker() {
        if (gobgp == null) {
            return null;
        }
        if (!(Endpoint.parse(gobgp) instanceof Endpoint.Unix socket)) {
            throw new IllegalArgumentException("--gobgp is \"" + gobgp + "\"; it must be unix:///PATH");
        }
        return socket;
    }

    private ApiServer server() throws IOException {
        if (kubeconfig != null) {
            return ApiServer.ofKubeconfig(kubeconfig);
        }
        String host = System.getenv("KUBERNETES_SERVICE_HOST");
        String apiPort = System.getenv("KUBERNETES_SERVICE_PORT");
        if (host == null || apiPort == null) {
            throw new IOException("not running in a Pod with a ServiceAccount; set --kubeconfig");
        }
        return ApiServer.ofPod(
                host,
                apiPort,
                Path.of(Config.KUBERNETES_SERVICE_ACCOUNT_TOKEN_PATH).resolveSibling(""));
    }
}
