package dev.berth.app;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.api.v1alpha1.Address;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.AgentReport;
import dev.berth.api.v1alpha1.BGPPeer;
import dev.berth.api.v1alpha1.Berth;
import dev.berth.api.v1alpha1.ClusterIPReservation;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.kube.OtherInstallations;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looks, before anything starts, whether the operator can work at all. */
final class Preflight {
    static final List<Class<? extends CustomResource<?, ?>>> KINDS = List.of(
            AddressPool.class,
            Address.class,
            AgentReport.class,
            BGPPeer.class,
            ClusterIPReservation.class,
            LoadBalancerClass.class,
            ServiceCIDRPolicy.class);

    /** An API server shows a kind that has changed some moments later; a leader renews its Lease every 2 s. */
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    private static final int LOOKS = 10;

    /** Of one list at the start: after a power cut everything starts at once, and an API server may be slow for a while. */
    private static final int ATTEMPTS = 3;

    private Preflight() {}

    /** What is in the way of the operator, in one line that says what to do; absent: nothing. */
    static Optional<String> check(OperatorOptions options) {
        return check(
                options.kubeconfig,
                client -> check(client, KINDS, ATTEMPTS)
                        .or(() -> ifItMayLook(() -> older(client)))
                        .or(() -> ifItMayLook(() -> besideAnother(client, options))));
    }

    /**
     * The same of one who just lists these kinds.
     *
     * @param kubeconfig null: none was named
     */
    static Optional<String> check(@Nullable String kubeconfig, List<Class<? extends CustomResource<?, ?>>> kinds) {
        return check(kubeconfig, client -> check(client, kinds, 1));
    }

    private static Optional<String> check(
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
            throw new CommandFailure(
                    "kubeconfig " + kubeconfig + " cannot be read: there is no such file, or it is not yours");
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
            config = ApiClient.bound(new ConfigBuilder().build());
        } catch (RuntimeException garbage) {
            throw new CommandFailure("kubeconfig " + files + " is no kubeconfig"
                    + YamlFault.syntax(garbage).map(fault -> ": " + fault).orElse(""));
        }
        if (config.getCurrentContext() == null
                && config.getMasterUrl().startsWith(Config.DEFAULT_MASTER_URL)
                && !Files.exists(Path.of(Config.KUBERNETES_SERVICE_ACCOUNT_TOKEN_PATH))) {
            throw new CommandFailure(
                    files.isEmpty()
                            ? "no kubeconfig was found, neither by $KUBECONFIG nor at ~/.kube/config, and this is no Pod"
                                    + " with a ServiceAccount; name one by --kubeconfig"
                            : "kubeconfig " + files + " is no kubeconfig, or has no current-context");
        }
        return config;
    }

    /** @param attempts how often a kind is listed while the answer does not come in time */
    static Optional<String> check(
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

    private static Optional<String> older(KubernetesClient client) {
        return lookUntilItIsNot(() -> {
            String served = client.raw("/openapi/v3/apis/" + Berth.GROUP + "/" + Berth.VERSION);
            return served == null
                    ? Optional.empty()
                    : older(client.getKubernetesSerialization().unmarshal(served, JsonNode.class));
        });
    }

    /**
     * Says which of our kinds is of an older Berth: this one's fields would be dropped from what it writes.
     *
     * @param served what the API server publishes of them, in OpenAPI 3
     */
    static Optional<String> older(JsonNode served) {
        return KINDS.stream()
                .flatMap(kind -> KindFields.missing(kind, served).stream()
                        .filter(missing -> !missing.isEmpty())
                        .map(missing -> "CustomResourceDefinition " + CustomResource.getCRDName(kind)
                                + " is of an older Berth: it has no " + missing.getFirst()
                                + (missing.size() == 1 ? "" : " and lacks " + (missing.size() - 1) + " more fields")
                                + "; apply the manifests of this version, which bring the kinds (with Helm: upgrade with"
                                + " crds.enabled=true, or apply crds/)"))
                .findFirst();
    }

    private static Optional<String> besideAnother(KubernetesClient client, OperatorOptions options) {
        OtherInstallations others = new OtherInstallations(
                options.leaderElectNamespace, options.leaderElectLeaseName, options.controllerName);
        List<Lease> suspects = others.suspects(OtherInstallations.leases(client), InstantSource.system());
        Optional<Lease> other = Optional.empty();
        for (int look = 1; look < LOOKS && other.isEmpty() && !suspects.isEmpty(); look++) {
            sleep();
            other = OtherInstallations.alive(suspects, OtherInstallations.leases(client));
        }
        return other.map(lease -> "another Berth serves this cluster: it leads by Lease "
                + lease.getMetadata().getNamespace() + "/" + lease.getMetadata().getName()
                + ", and has the controller name " + options.controllerName
                + ", too; remove one of the two, or give this one a --controller-name of its own"
                + " (docs/operations.md, \"Limits\")");
    }

    /** Permissions of an older Berth do not keep this one from its work. */
    private static Optional<String> ifItMayLook(Supplier<Optional<String>> check) {
        try {
            return check.get();
        } catch (KubernetesClientException unreadable) {
            return Optional.empty();
        }
    }

    /** What {@code wrong} says each time. */
    private static Optional<String> lookUntilItIsNot(Supplier<Optional<String>> wrong) {
        Optional<String> said = Optional.empty();
        for (int look = 1; look <= LOOKS; look++) {
            said = wrong.get();
            if (said.isEmpty()) {
                return said;
            }
            sleep();
        }
        return said;
    }

    private static void sleep() {
        try {
            Thread.sleep(LOOK_AGAIN);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while looking at the cluster", stopping);
        }
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
    static String innermost(Throwable failure) {
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
