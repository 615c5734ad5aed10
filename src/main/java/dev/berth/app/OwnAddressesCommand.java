package dev.berth.app;

import dev.berth.kube.NetworkingVersion;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command that people call by hand for the cluster's own addresses. What is in its way, it says in one line. */
@Command(mixinStandardHelpOptions = true)
abstract class OwnAddressesCommand implements Callable<Integer> {
    static final int FAILED = 1;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "kubeconfig to connect with; without it: $KUBECONFIG, else ~/.kube/config, else the Pod's"
                    + " ServiceAccount")
    private @Nullable String kubeconfig;

    @Spec
    private @Nullable CommandSpec spec;

    /** Does what it is there for, and returns its exit code. */
    abstract int call(KubernetesClient client, NetworkingVersion version) throws CannotLook, InterruptedException;

    @Override
    public final Integer call() throws InterruptedException {
        try {
            System.setProperty("io.netty.noUnsafe", "true");
            if (kubeconfig != null) {
                System.setProperty("kubeconfig", kubeconfig);
            }
            try (KubernetesClient client = Preflight.client(kubeconfig)) {
                return call(client, version(client));
            }
        } catch (CannotLook why) {
            commandLine().getErr().println("berth: " + why.getMessage());
            return FAILED;
        }
    }

    private static NetworkingVersion version(KubernetesClient client) throws CannotLook {
        Optional<NetworkingVersion> served;
        try {
            served = NetworkingVersion.of(client);
        } catch (KubernetesClientException failure) {
            throw new CannotLook(Preflight.unanswered(client, failure));
        }
        return served.orElseThrow(() -> new CannotLook(NetworkingVersion.NOT_SERVED));
    }

    final PrintWriter out() {
        return commandLine().getOut();
    }

    final CommandLine commandLine() {
        return Optional.ofNullable(spec).orElseThrow().commandLine();
    }
}
