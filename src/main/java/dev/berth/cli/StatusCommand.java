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
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code berth status}: which Services wait, and which nobody serves. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Prints how many classes, pools and addresses there are, which Services wait for an address, and"
                + " which no LoadBalancerClass serves. It changes nothing.")
public final class StatusCommand implements Callable<Integer> {
    @Mixin
    private ClusterAccess cluster = new ClusterAccess();

    @Override
    public Integer call() throws InterruptedException {
        return cluster.run(List.of(LoadBalancerClass.class, AddressPool.class, Address.class), StatusCommand::print);
    }

    private static int print(KubernetesClient client, PrintWriter out) throws CommandFailure {
        try {
            out.print(look(client).text());
            out.flush();
            return 0;
        } catch (KubernetesClientException failure) {
            throw new CommandFailure("listing Services: " + Preflight.innermost(failure));
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
