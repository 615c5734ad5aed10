package dev.berth.cli;

import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What the commands that read a cluster have in common: which one it is, and how they say what is in their way. */
final class ClusterAccess {
    private static final int FAILED = 1;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "kubeconfig to connect with; without it: $KUBECONFIG, else ~/.kube/config, else the Pod's"
                    + " ServiceAccount")
    private @Nullable String kubeconfig;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    /** What a command does. */
    interface Work {
        /**
         * Does it, and returns the exit code.
         *
         * @throws CommandFailure if it cannot go on
         */
        int by(KubernetesClient client, PrintWriter out) throws CommandFailure, InterruptedException;
    }

    /**
     * Has {@code work} done by a client of the cluster, and returns its exit code. What is in its way is one line on
     * standard error, and exit code 1.
     *
     * @param kinds those of Berth that must be listed; empty: it lists none, or says itself what is wrong
     */
    int run(List<Class<? extends CustomResource<?, ?>>> kinds, Work work) throws InterruptedException {
        CommandLine commandLine = Optional.ofNullable(command).orElseThrow().commandLine();
        System.setProperty("io.netty.noUnsafe", "true");
        if (kubeconfig != null) {
            System.setProperty("kubeconfig", kubeconfig);
        }
        try {
            check(kinds);
            try (KubernetesClient client = Preflight.client(kubeconfig)) {
                return work.by(client, commandLine.getOut());
            }
        } catch (CommandFailure why) {
            commandLine.getErr().println("berth: " + why.getMessage());
            return FAILED;
        }
    }

    private void check(List<Class<? extends CustomResource<?, ?>>> kinds) throws CommandFailure {
        Optional<String> unfit = kinds.isEmpty() ? Optional.empty() : Preflight.check(kubeconfig, kinds);
        if (unfit.isPresent()) {
            throw new CommandFailure(unfit.get());
        }
    }
}
