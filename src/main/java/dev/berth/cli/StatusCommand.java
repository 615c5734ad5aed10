package dev.berth.cli;

import dev.berth.api.v1alpha1.Address;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.kube.Classes;
import dev.berth.kube.Conditions;
import dev.berth.kube.ServiceStates;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code berth status}: which Services wait, and which nobody serves. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Prints how many classes, pools and addresses there are, which Services wait for an address, and"
                + " which no LoadBalancerClass serves. It changes nothing.")
public final class StatusCommand implements Callable<Integer> {
    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "kubeconfig to connect with; without it: $KUBECONFIG, else ~/.kube/config, else the Pod's"
                    + " ServiceAccount")
    private @Nullable String kubeconfig;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        CommandLine commandLine = Optional.ofNullable(spec).orElseThrow().commandLine();
        System.setProperty("io.netty.noUnsafe", "true");
        if (kubeconfig != null) {
            System.setProperty("kubeconfig", kubeconfig);
        }
        Optional<String> unfit =
                Preflight.check(kubeconfig, List.of(LoadBalancerClass.class, AddressPool.class, Address.class));
        if (unfit.isPresent()) {
            commandLine.getErr().println("berth: " + unfit.get());
            return 1;
        }
        try (KubernetesClient client = Preflight.client(kubeconfig)) {
            PrintWriter out = commandLine.getOut();
            out.print(look(client).text());
            out.flush();
            return 0;
        } catch (CommandFailure why) {
            commandLine.getErr().println("berth: " + why.getMessage());
            return 1;
        } catch (KubernetesClientException failure) {
            commandLine.getErr().println("berth: listing Services: " + Preflight.innermost(failure));
            return 1;
        }
    }

    private static StatusReport look(KubernetesClient client) {
        return new StatusReport(
                client.resources(LoadBalancerClass.class).list().getItems().stream()
                        .flatMap(StatusCommand::declared)
                        .toList(),
                client.services().inAnyNamespace().list().getItems().stream()
                        .filter(ServiceStates::isLoadBalancer)
                        .filter(ServiceStates::canBeRead)
                        .map(ServiceStates::of)
                        .toList(),
                client.resources(AddressPool.class).list().getItems().size(),
                client.resources(Address.class).list().getItems().size());
    }

    private static Stream<StatusReport.Declared> declared(LoadBalancerClass object) {
        return Classes.declarations(Stream.of(object)).stream()
                .map(declaration -> new StatusReport.Declared(declaration, Conditions.of(object.getStatus())));
    }
}
