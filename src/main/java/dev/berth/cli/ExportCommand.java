package dev.berth.cli;

import dev.berth.api.v1alpha1.Address;
import dev.berth.kube.ApiSerialization;
import dev.berth.kube.ReservationExport;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

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
    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "kubeconfig to connect with; without it: $KUBECONFIG, else ~/.kube/config, else the Pod's"
                    + " ServiceAccount")
    @Nullable String kubeconfig;

    enum Source {
        metallb
    }

    @Option(
            names = "--from",
            paramLabel = "CONTROLLER",
            description = "${COMPLETION-CANDIDATES}; without it, Berth's own Addresses are exported")
    private @Nullable Source from;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        System.setProperty("io.netty.noUnsafe", "true");
        if (kubeconfig != null) {
            System.setProperty("kubeconfig", kubeconfig);
        }
        PrintWriter out = Optional.ofNullable(spec).orElseThrow().commandLine().getOut();
        if (from != null) {
            return exportForeign(out);
        }
        Optional<String> unfit = Preflight.check(kubeconfig, List.of(Address.class));
        if (unfit.isPresent()) {
            System.err.println("berth: " + unfit.get());
            return 1;
        }
        try (KubernetesClient client = new KubernetesClientBuilder()
                .withKubernetesSerialization(new ApiSerialization())
                .build()) {
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
            System.err.println("berth: listing Addresses: " + Preflight.innermost(failure));
            return 1;
        }
    }

    private int exportForeign(PrintWriter out) {
        try (KubernetesClient client = Preflight.client(kubeconfig)) {
            new MetalLbExport(client).print(out);
            return 0;
        } catch (CommandFailure why) {
            System.err.println("berth: " + why.getMessage());
            return 1;
        }
    }
}
