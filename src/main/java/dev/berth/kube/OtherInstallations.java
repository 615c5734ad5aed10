package dev.berth.kube;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Whether another installation does the work of this one on the same cluster: one that leads by a Lease of its own, and has
 * the same controller name.
 */
public final class OtherInstallations {
    /** On the Lease of a leader: which LoadBalancerClasses it serves. */
    static final String CONTROLLER_NAME = "berth.dev/controller-name";

    /** On the Lease of a leader, by which others find it: those of the manifests. */
    static final Map<String, String> LABELS =
            Map.of("app.kubernetes.io/name", "berth", "app.kubernetes.io/component", "operator");

    /** A Lease that was not renewed for so long, by this clock, which may be wrong, is of nobody who lives. */
    private static final Duration LONG_GONE = Duration.ofMinutes(1);

    private final String namespace;
    private final String name;
    private final String controllerName;

    /** @param namespace of the Lease of this installation, also where it has none */
    public OtherInstallations(String namespace, String name, String controllerName) {
        this.namespace = namespace;
        this.name = name;
        this.controllerName = controllerName;
    }

    /**
     * The Leases by which others lead.
     *
     * @throws io.fabric8.kubernetes.client.KubernetesClientException if they cannot be listed
     */
    public static List<Lease> leases(KubernetesClient client) {
        return client.leases().inAnyNamespace().withLabels(LABELS).list().getItems();
    }

    /** Of {@code leases}, those of others that may live. */
    public List<Lease> suspects(List<Lease> leases, InstantSource clock) {
        Instant earliest = clock.instant().minus(LONG_GONE);
        return leases.stream()
                .filter(this::isOfAnother)
                .filter(lease -> renewed(lease).filter(earliest::isBefore).isPresent())
                .toList();
    }

    /**
     * One of {@code suspects} that was renewed since, and so lives, whatever the clocks say.
     *
     * @param later the Leases some time later, which is more than the 2 s after which a leader renews its own
     */
    public static Optional<Lease> alive(List<Lease> suspects, List<Lease> later) {
        return suspects.stream()
                .filter(suspect -> later.stream()
                        .anyMatch(lease ->
                                isSame(suspect, lease) && !renewed(suspect).equals(renewed(lease)) && isHeld(lease)))
                .findFirst();
    }

    private boolean isOfAnother(Lease lease) {
        return isHeld(lease)
                && !(lease.getMetadata().getNamespace().equals(namespace)
                        && lease.getMetadata().getName().equals(name))
                && controllerName.equals(lease.getMetadata().getAnnotations().get(CONTROLLER_NAME));
    }

    private static boolean isHeld(Lease lease) {
        return lease.getSpec() != null && lease.getSpec().getHolderIdentity() != null;
    }

    private static boolean isSame(Lease one, Lease other) {
        return one.getMetadata().getUid().equals(other.getMetadata().getUid());
    }

    private static Optional<Instant> renewed(Lease lease) {
        return Optional.ofNullable(lease.getSpec().getRenewTime()).map(ZonedDateTime::toInstant);
    }
}
