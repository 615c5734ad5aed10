package dev.berth.kube;

import dev.berth.claim.ServiceKey;
import dev.berth.servicecidr.ClusterService;
import io.fabric8.kubernetes.api.model.Service;
import java.util.List;
import java.util.Objects;

/** Services, as far as their cluster IPs go. */
public final class ClusterServices {
    private ClusterServices() {}

    public static ClusterService of(Service service) {
        return new ClusterService(
                new ServiceKey(
                        service.getMetadata().getNamespace(),
                        service.getMetadata().getName()),
                type(service),
                clusterIps(service),
                ServiceStates.time(service.getMetadata().getCreationTimestamp()));
    }

    /** As they stand in its spec. */
    static List<String> clusterIps(Service service) {
        return service.getSpec() == null
                ? List.of()
                : NullSafe.list(service.getSpec().getClusterIPs());
    }

    private static String type(Service service) {
        return service.getSpec() == null
                ? "ClusterIP"
                : Objects.requireNonNullElse(service.getSpec().getType(), "ClusterIP");
    }
}
