package dev.berth.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The version of {@code networking.k8s.io} in which an API server has ServiceCIDR and IPAddress. */
public enum NetworkingVersion {
    /** Since Kubernetes 1.33. */
    V1(
            "v1",
            io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDR.class,
            io.fabric8.kubernetes.api.model.networking.v1.IPAddress.class),

    /** In Kubernetes 1.31 and 1.32, where it has to be switched on. */
    V1BETA1(
            "v1beta1",
            io.fabric8.kubernetes.api.model.networking.v1beta1.ServiceCIDR.class,
            io.fabric8.kubernetes.api.model.networking.v1beta1.IPAddress.class);

    /** What to say where {@link #of} is absent. */
    public static final String NOT_SERVED =
            "the API server serves ServiceCIDR neither in networking.k8s.io/v1 nor in v1beta1:"
                    + " it is older than Kubernetes 1.31, or they are switched off (in 1.31 and 1.32, switch on the feature gate"
                    + " MultiCIDRServiceAllocator and --runtime-config=networking.k8s.io/v1beta1=true)";

    private static final String GROUP = "networking.k8s.io";

    private final String version;
    private final Class<? extends HasMetadata> serviceCidr;
    private final Class<? extends HasMetadata> ipAddress;

    NetworkingVersion(
            String version, Class<? extends HasMetadata> serviceCidr, Class<? extends HasMetadata> ipAddress) {
        this.version = version;
        this.serviceCidr = serviceCidr;
        this.ipAddress = ipAddress;
    }

    /** The newest that the API server serves; absent: it has none of the kinds, and its range is not known. */
    public static Optional<NetworkingVersion> of(KubernetesClient client) {
        return newest(version -> client.supports(version, "ServiceCIDR"));
    }

    static Optional<NetworkingVersion> newest(Predicate<String> isServed) {
        return Stream.of(values())
                .filter(version -> isServed.test(version.apiVersion()))
                .findFirst();
    }

    /** As objects name it. */
    public String apiVersion() {
        return GROUP + "/" + version;
    }

    /** The client's class of its ServiceCIDRs. */
    public Class<? extends HasMetadata> serviceCidr() {
        return serviceCidr;
    }

    /** The client's class of its IPAddresses. */
    Class<? extends HasMetadata> ipAddress() {
        return ipAddress;
    }
}
