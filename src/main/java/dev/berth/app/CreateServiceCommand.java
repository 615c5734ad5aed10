package dev.berth.app;

import dev.berth.address.Ip;
import dev.berth.address.ServiceKey;
import dev.berth.clusterip.StaticRequest;
import dev.berth.kube.ClusterServices;
import dev.berth.kube.LiveAddresses;
import dev.berth.kube.NetworkingVersion;
import dev.berth.kube.Read;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code berth create-service}: creates a Service with a cluster IP that stays free of chance. */
@Command(
        name = "create-service",
        description = "Creates a Service with a free address of the static band of the cluster's ServiceCIDRs: the one"
                + " that --address or the manifest names, else the one that a ServiceCIDRPolicy keeps for it, else the"
                + " lowest. For dual stack one of each family.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:it is created", "1:it is not", "2:it was called wrongly"})
final class CreateServiceCommand extends OwnAddressesCommand {
    @Option(
            names = {"-f", "--filename"},
            paramLabel = "FILE",
            required = true,
            description = "manifest of the one Service; -: standard input")
    private String file = ServiceManifest.STDIN;

    @Option(
            names = "--address",
            paramLabel = "IP",
            split = ",",
            description = "address that it is to have; for dual stack one of each family, with a comma")
    private List<String> addresses = new ArrayList<>();

    @Override
    int call(KubernetesClient client, NetworkingVersion version) throws CannotLook, InterruptedException {
        Service manifest = ServiceManifest.read(client, file);
        LiveAddresses api = new LiveAddresses(client, version);
        StaticRequest request = request(manifest, client.getNamespace(), api);
        if (api.read(request.service()) instanceof Read.Found<Service>(Service there)) {
            throw new CannotLook("creating Service " + request.service() + ": " + ServiceCreation.exists(there));
        }
        Service created = new ServiceCreation(api, Clock.systemUTC(), Thread::sleep, manifest, request).create();
        out().println("service/" + created.getMetadata().getName() + " created with "
                + String.join(", ", ClusterServices.clusterIps(created)));
        out().flush();
        return 0;
    }

    private StaticRequest request(Service manifest, @Nullable String namespace, LiveAddresses api) throws CannotLook {
        ServiceSpec spec = manifest.getSpec();
        ServiceKey key = new ServiceKey(
                Objects.requireNonNullElse(
                        manifest.getMetadata().getNamespace(), Objects.requireNonNullElse(namespace, "default")),
                manifest.getMetadata().getName());
        List<String> named = Stream.of(
                        addresses.stream(), Stream.ofNullable(spec.getClusterIP()), spec.getClusterIPs().stream())
                .flatMap(texts -> texts)
                .filter(text -> !text.isBlank())
                .toList();
        if ("ExternalName".equals(spec.getType()) || named.contains("None")) {
            throw new CannotLook("creating Service " + key + ": it is one without a cluster IP (type ExternalName,"
                    + " or clusterIP None); create it with kubectl");
        }
        try {
            return StaticRequest.of(
                    key,
                    spec.getIpFamilies(),
                    spec.getIpFamilyPolicy(),
                    named.stream().map(Ip::parse).toList(),
                    CannotLook.found("listing ServiceCIDRs", api.readServiceCidrs()));
        } catch (IllegalArgumentException wrong) {
            throw new CannotLook("creating Service " + key + ": " + wrong.getMessage());
        }
    }
}
