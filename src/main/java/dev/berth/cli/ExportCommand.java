package dev.berth.cli;

import dev.berth.api.v1alpha1.Address;
import dev.berth.kube.ReservationExport;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code berth export}: who has which address, for a cluster in which the Services will be others; or how another
 * controller announces addresses, for Berth to do so.
 */
@Command(
        name = "export",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Prints every Address as a reservation for the Service of its name, to be applied to another"
                + " cluster, or to this one when it is recreated. With --from: how that controller announces addresses, as"
                + " objects of Berth's kinds; what does not carry over is in comments. It changes nothing.")
public final class ExportCommand implements Callable<Integer> {
    @Mixin
    private ClusterAccess cluster = new ClusterAccess();

    enum Source {
        metallb
    }

    @Option(
            names = "--from",
            paramLabel = "CONTROLLER",
            description = "${COMPLETION-CANDIDATES}; without it, Berth's own Addresses are exported")
    private @Nullable Source from;

    @Override
    public Integer call() throws InterruptedException {
        return from == null
                ? cluster.run(List.of(Address.class), ExportCommand::exportAddresses)
                : cluster.run(List.of(), ExportCommand::exportForeign);
    }

    private static int exportAddresses(KubernetesClient client, PrintWriter out) throws CommandFailure {
        try {
            List<Address> addresses = client.resources(Address.class).list().getItems();
            if (addresses.isEmpty()) {
                out.println("# There are no Addresses.");
            }
            addresses.stream()
                    .sorted(Comparator.comparing(
                            address -> address.getMetadata().getName()))
                    .map(ReservationExport::of)
                    .forEach(reservation ->
                            out.print(client.getKubernetesSerialization().asYaml(reservation)));
            out.flush();
            return 0;
        } catch (KubernetesClientException failure) {
            throw new CommandFailure("listing Addresses: " + Preflight.innermost(failure));
        }
    }

    private static int exportForeign(KubernetesClient client, PrintWriter out) throws CommandFailure {
        new MetalLbExport(client).print(out);
        return 0;
    }
}
