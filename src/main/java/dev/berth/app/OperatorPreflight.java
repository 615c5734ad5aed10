package dev.berth.app;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.api.v1alpha1.Berth;
import dev.berth.cli.Preflight;
import dev.berth.kube.ApiSerialization;
import dev.berth.kube.OtherInstallations;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Looks, before anything starts, whether the operator can work at all. */
final class OperatorPreflight {
    /** An API server shows a kind that has changed some moments later; a leader renews its Lease every 2 s. */
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    private static final int LOOKS = 10;

    /** Of one list at the start: after a power cut everything starts at once, and an API server may be slow for a while. */
    private static final int ATTEMPTS = 3;

    private OperatorPreflight() {}

    /** What is in the way, in one line that says what to do; absent: nothing. */
    static Optional<String> check(OperatorOptions options) {
        return Preflight.check(
                options.kubeconfig,
                client -> Preflight.check(client, ApiSerialization.KINDS, ATTEMPTS)
                        .or(() -> ifItMayLook(() -> older(client)))
                        .or(() -> ifItMayLook(() -> besideAnother(client, options))));
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
     * Names the kind of ours that is from an older version of Berth: this one's fields would be dropped from what it writes.
     *
     * @param served what the API server publishes of them, in OpenAPI 3
     */
    static Optional<String> older(JsonNode served) {
        return ApiSerialization.KINDS.stream()
                .flatMap(kind -> KindFields.missing(kind, served).stream()
                        .filter(missing -> !missing.isEmpty())
                        .map(missing -> "CustomResourceDefinition " + CustomResource.getCRDName(kind)
                                + " is from an older version of Berth: field " + missing.getFirst()
                                + (missing.size() == 1
                                        ? " is missing"
                                        : " and " + (missing.size() - 1) + " more are missing")
                                + "; apply this version's manifests, which include the CRDs (with Helm: upgrade with"
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
}
