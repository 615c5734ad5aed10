package dev.berth.app;

import dev.berth.clusterip.Audit;
import dev.berth.clusterip.ClusterIp;
import dev.berth.clusterip.ClusterIps;
import dev.berth.clusterip.ClusterService;
import dev.berth.clusterip.Finding;
import dev.berth.clusterip.PoolRange;
import dev.berth.clusterip.ServiceCidr;
import dev.berth.clusterip.Usage;
import dev.berth.kube.LiveAddresses;
import dev.berth.kube.NetworkingVersion;
import dev.berth.kube.Read;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code berth audit}: how full the cluster's Service ranges are, and what is wrong with them. */
@Command(
        name = "audit",
        description = "Prints how full the cluster's Service ranges (ServiceCIDRs) are, and what is wrong with them and"
                + " with the addresses of the Services. It changes nothing.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:nothing was found", "1:it could not look", "2:it was called wrongly", "3:something was found"
        })
final class AuditCommand extends OwnAddressesCommand {
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

    /** Services come and go between one list and the next; what is wrong is so still after this. */
    private static final Duration AGAIN = Duration.ofSeconds(5);

    @Override
    int call(KubernetesClient client, NetworkingVersion version) throws CannotLook, InterruptedException {
        LiveAddresses addresses = new LiveAddresses(client, version);
        AuditReport report = look(addresses);
        if (!report.findings().isEmpty()) {
            List<Finding> first = report.findings();
            Thread.sleep(AGAIN);
            report = look(addresses).keeping(first);
        }
        out().print(
                        switch (output) {
                            case text -> report.text();
                            case json -> AuditJson.of(report).text();
                        });
        out().flush();
        return report.findings().isEmpty() ? 0 : FOUND;
    }

    private static AuditReport look(LiveAddresses addresses) throws CannotLook {
        List<ServiceCidr> cidrs = CannotLook.found("listing ServiceCIDRs", addresses.readServiceCidrs());
        List<ClusterIp> objects = CannotLook.found("listing IPAddresses", addresses.readClusterIps());
        List<ClusterService> services = CannotLook.found("listing Services", addresses.readServices());
        Read<List<PoolRange>> readPools = addresses.readPools();
        boolean poolsServed = !(readPools instanceof Read.Absent<List<PoolRange>>);
        List<PoolRange> pools = poolsServed ? CannotLook.found("listing AddressPools", readPools) : List.of();
        ClusterIps ips = new ClusterIps();
        objects.forEach(ips::put);
        return new AuditReport(
                Usage.of(cidrs, ips),
                new Audit(cidrs, ips, services, pools, List.of()).findings(Instant.now()),
                new AuditReport.Seen(cidrs.size(), ips.size(), services.size(), poolsServed));
    }
}
