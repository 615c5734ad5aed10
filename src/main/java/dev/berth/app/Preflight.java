package dev.berth.app;

import dev.berth.api.v1alpha1.Address;
import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.api.v1alpha1.LoadBalancerClass;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looks, before anything starts, whether the operator can work at all. */
final class Preflight {
    private static final List<Class<? extends CustomResource<?, ?>>> KINDS =
            List.of(AddressPool.class, Address.class, LoadBalancerClass.class, ServiceCIDRPolicy.class);

    private Preflight() {}

    /**
     * What is in the way of the operator, in one line that says what to do; absent: nothing.
     *
     * @param kubeconfig null: none was named
     */
    static Optional<String> check(@Nullable String kubeconfig) {
        return check(kubeconfig, KINDS);
    }

    /** The same of one who just lists these kinds. */
    static Optional<String> check(@Nullable String kubeconfig, List<Class<? extends CustomResource<?, ?>>> kinds) {
        Optional<String> unreadable = unreadable(kubeconfig);
        if (unreadable.isPresent()) {
            return unreadable;
        }
        try (KubernetesClient client = new KubernetesClientBuilder()
                .withConfig(ApiClient.bound(new ConfigBuilder().build()))
                .build()) {
            return check(client, kinds);
        } catch (RuntimeException wrong) {
            return Optional.of("the kubeconfig cannot be read: " + innermost(wrong));
        }
    }

    /** Why this file is no use; absent: it can be read, or none was named. */
    static Optional<String> unreadable(@Nullable String kubeconfig) {
        return kubeconfig == null || Files.isReadable(Path.of(kubeconfig))
                ? Optional.empty()
                : Optional.of(
                        "kubeconfig " + kubeconfig + " cannot be read: there is no such file, or it is not yours");
    }

    private static Optional<String> check(KubernetesClient client, List<Class<? extends CustomResource<?, ?>>> kinds) {
        for (Class<? extends CustomResource<?, ?>> kind : kinds) {
            try {
                client.resources(kind)
                        .list(new ListOptionsBuilder().withLimit(1L).build());
            } catch (KubernetesClientException failure) {
                return Optional.of(message(client, CustomResource.getCRDName(kind), failure));
            }
        }
        return Optional.empty();
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
                ? "the API server at " + client.getMasterUrl()
                        + " does not accept the credentials; check the kubeconfig"
                : "cannot connect to the API server at " + client.getMasterUrl() + ": " + innermost(failure)
                        + "; check the kubeconfig";
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
