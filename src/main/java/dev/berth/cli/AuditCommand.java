package dev.berth.cli;

import dev.berth.kube.LiveAddresses;
import dev.berth.kube.NetworkingVersion;
import dev.berth.kube.Read;
import dev.berth.servicecidr.Audit;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.ClusterIps;
import dev.berth.servicecidr.ClusterService;
import dev.berth.servicecidr.Finding;
import dev.berth.servicecidr.PoolRange;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.servicecidr.Usage;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code berth audit}: how full the cluster's Service ranges are, and what is wrong with them. */
@Command(
        name = "audit",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Prints how full the cluster's Service ranges (ServiceCIDRs) are, and what is wrong with them and"
                + " with the addresses of the Services. It changes nothing.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:nothing was found",
            "1:the cluster could not be read",
            "2:invalid arguments",
            "3:something was found"
        })
public final class AuditCommand implements Callable<Integer> {
    private static final int FOUND = 3;

    enum Output {
        text,
        json
    }

    @Option(
            names = {"-o", "--output"},
            defaultValue = "text",
            paramLabel = "FORMAT",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private Output output = Output.text;

    @Mixin
    private ClusterAccess cluster = new ClusterAccess();

    /** Services come and go between one list and the next; what is wrong is so still after this. */
    private static final Duration AGAIN = Duration.ofSeconds(5);

    /** What is in its way, it says in one line. */
    @Override
    public Integer call() throws InterruptedException {
        return cluster.run(List.of(), this::call);
    }

    private int call(KubernetesClient client, PrintWriter out) throws CommandFailure, InterruptedException {
        NetworkingVersion version = version(client);
        LiveAddresses addresses = new LiveAddresses(client, version);
        AuditReport report = look(addresses);
        if (!report.findings().isEmpty()) {
            List<Finding> first = report.findings();
            Thread.sleep(AGAIN);
            report = look(addresses).keeping(first);
        }
        out.print(
                switch (output) {
                    case text -> report.text();
                    case json -> AuditJson.of(report).text();
                });
        out.flush();
        return report.findings().isEmpty() ? 0 : FOUND;
    }

    private static NetworkingVersion version(KubernetesClient client) throws CommandFailure {
        Optional<NetworkingVersion> served;
        try {
            served = NetworkingVersion.of(client);
        } catch (KubernetesClientException failure) {
            throw new CommandFailure(Preflight.unanswered(client, failure));
        }
        return served.orElseThrow(() -> new CommandFailure(NetworkingVersion.NOT_SERVED));
    }

    private static AuditReport look(LiveAddresses addresses) throws CommandFailure {
        List<ServiceCidr> cidrs = CommandFailure.found("listing ServiceCIDRs", addresses.readServiceCidrs());
        List<ClusterIp> objects = CommandFailure.found("listing IPAddresses", addresses.readClusterIps());
        List<ClusterService> services = CommandFailure.found("listing Services", addresses.readServices());
        Read<List<PoolRange>> readPools = addresses.readPools();
        boolean poolsServed = !(readPools instanceof Read.Absent<List<PoolRange>>);
        List<PoolRange> pools = poolsServed ? CommandFailure.found("listing AddressPools", readPools) : List.of();
        ClusterIps ips = new ClusterIps();
        objects.forEach(ips::put);
        return new AuditReport(
                Usage.of(cidrs, ips),
                new Audit(cidrs, ips, services, pools, List.of()).findings(Instant.now()),
                new AuditReport.Seen(cidrs.size(), ips.size(), services.size(), poolsServed));
    }
}
