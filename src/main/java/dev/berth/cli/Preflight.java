package dev.berth.cli;

import dev.berth.kube.ApiSerialization;
import dev.berth.kube.ApiTimeouts;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looks, before anything starts, whether a command can work at all. */
public final class Preflight {
    private Preflight() {}

    /**
     * What is in the way of a command that just lists these kinds, in one line that says what to do; absent: nothing.
     *
     * @param kubeconfig null: none was named
     */
    static Optional<String> check(@Nullable String kubeconfig, List<Class<? extends CustomResource<?, ?>>> kinds) {
        return check(kubeconfig, client -> check(client, kinds, 1));
    }

    /**
     * The same of one that needs what {@code checks} look at.
     *
     * @param kubeconfig null: none was named
     * @param checks what is in the way, by a client of the cluster
     */
    public static Optional<String> check(
            @Nullable String kubeconfig, Function<KubernetesClient, Optional<String>> checks) {
        try (KubernetesClient client = client(kubeconfig)) {
            return checks.apply(client);
        } catch (CommandFailure why) {
            return Optional.of(String.valueOf(why.getMessage()));
        } catch (RuntimeException wrong) {
            return Optional.of("the kubeconfig cannot be used: " + innermost(wrong));
        }
    }

    /**
     * A client by this kubeconfig, which is the system property of that name, too, or by what else is there.
     *
     * @param kubeconfig null: none was named
     * @throws CommandFailure if none says where the API server is
     */
    static KubernetesClient client(@Nullable String kubeconfig) throws CommandFailure {
        if (kubeconfig != null && !Files.isReadable(Path.of(kubeconfig))) {
            throw new CommandFailure("kubeconfig " + kubeconfig
                    + " cannot be read: it does not exist, or you have no permission to read it");
        }
        Config config = config();
        try {
            return new KubernetesClientBuilder()
                    .withConfig(config)
                    .withKubernetesSerialization(new ApiSerialization())
                    .build();
        } catch (RuntimeException wrong) {
            throw new CommandFailure("the kubeconfig cannot be used: " + innermost(wrong));
        }
    }

    private static Config config() throws CommandFailure {
        String files = Config.getKubeconfigFilenames().stream()
                .filter(file -> Files.isReadable(Path.of(file)))
                .collect(Collectors.joining(", "));
        Config config;
        try {
            config = ApiTimeouts.bound(new ConfigBuilder().build());
        } catch (RuntimeException garbage) {
            throw new CommandFailure("kubeconfig " + files + " is not a kubeconfig"
                    + YamlFault.syntax(garbage).map(fault -> ": " + fault).orElse(""));
        }
        if (config.getCurrentContext() == null
                && config.getMasterUrl().startsWith(Config.DEFAULT_MASTER_URL)
                && !Files.exists(Path.of(Config.KUBERNETES_SERVICE_ACCOUNT_TOKEN_PATH))) {
            throw new CommandFailure(
                    files.isEmpty()
                            ? "no kubeconfig was found, neither by $KUBECONFIG nor at ~/.kube/config, and Berth is"
                                    + " not running in a Pod with a ServiceAccount; set --kubeconfig"
                            : "kubeconfig " + files + " is not a kubeconfig, or has no current-context");
        }
        return config;
    }

    /**
     * What is in the way of listing these kinds.
     *
     * @param attempts how often a kind is listed while the answer does not come in time
     */
    public static Optional<String> check(
            KubernetesClient client, List<Class<? extends CustomResource<?, ?>>> kinds, int attempts) {
        for (Class<? extends CustomResource<?, ?>> kind : kinds) {
            try {
                list(client, kind, attempts);
            } catch (KubernetesClientException failure) {
                return Optional.of(message(client, CustomResource.getCRDName(kind), failure));
            }
        }
        return Optional.empty();
    }

    private static void list(KubernetesClient client, Class<? extends CustomResource<?, ?>> kind, int attempts) {
        for (int attempt = 1; ; attempt++) {
            try {
                client.resources(kind)
                        .list(new ListOptionsBuilder().withLimit(1L).build());
                return;
            } catch (KubernetesClientException failure) {
                if (attempt >= attempts || !timedOut(failure)) {
                    throw failure;
                }
                System.err.println("berth: " + innermost(failure) + "; trying again");
            }
        }
    }

    private static boolean timedOut(KubernetesClientException failure) {
        return Stream.<Throwable>iterate(failure, Objects::nonNull, Throwable::getCause)
                .anyMatch(TimeoutException.class::isInstance);
    }

    private static String message(KubernetesClient client, String crd, KubernetesClientException failure) {
        return switch (failure.getCode()) {
            case HttpURLConnection.HTTP_NOT_FOUND ->
                "CustomResourceDefinition " + crd + " is not installed; apply Berth's manifests first";
            case HttpURLConnection.HTTP_FORBIDDEN ->
                "may not list " + crd + ": " + failure.getStatus().getMessage() + "; apply Berth's RBAC manifests";
            default -> unanswered(client, failure);
        };
    }

    /** Why the API server answers nothing, in one line that says what to do. */
    static String unanswered(KubernetesClient client, KubernetesClientException failure) {
        return failure.getCode() == HttpURLConnection.HTTP_UNAUTHORIZED
                ? "the API server at " + client.getMasterUrl() + " does not accept the credentials; "
                        + advice(client.getConfiguration().getCurrentContext() != null)
                : "cannot connect to the API server at " + client.getMasterUrl() + ": " + innermost(failure) + "; "
                        + advice(client.getConfiguration().getCurrentContext() != null);
    }

    /** In a Pod there is no kubeconfig to check. */
    static String advice(boolean byKubeconfig) {
        return byKubeconfig
                ? "check the kubeconfig"
                : "check that the Pod reaches it (NetworkPolicies, the network plug-in), and that the Pod's ServiceAccount"
                        + " is there";
    }

    /** What is at the root of {@code failure}, in one line. */
    public static String innermost(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String message = cause.getMessage();
        return (message == null ? cause.getClass().getSimpleName() : message)
                .lines()
                .findFirst()
                .orElse("");
    }
}
