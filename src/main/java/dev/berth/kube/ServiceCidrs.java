package dev.berth.kube;

import dev.berth.ip.Ip;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.Parent;
import dev.berth.servicecidr.ReadyCondition;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.servicecidr.ServiceRange;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** ServiceCIDRs and IPAddresses of any {@link NetworkingVersion}, as the rest of Berth reads them. */
final class ServiceCidrs {
    /** On the ServiceCIDRs that Berth made. */
    static final Map<String, String> MADE_BY_BERTH = Map.of("app.kubernetes.io/managed-by", "berth");

    /** On a ServiceCIDR: the reasons of findings that are known and wanted, with commas between them. */
    private static final String ACKNOWLEDGED = "berth.dev/acknowledged";

    private ServiceCidrs() {}

    static ServiceCidr of(HasMetadata object) {
        ObjectMeta metadata = object.getMetadata();
        Optional<Condition> condition = Conditions.find(conditions(object), "Ready");
        return new ServiceCidr(
                metadata.getName(),
                metadata.getUid(),
                cidrs(object).stream().flatMap(ServiceCidrs::range).toList(),
                cidrs(object).stream()
                        .filter(cidr -> range(cidr).findAny().isEmpty())
                        .toList(),
                ServiceStates.time(metadata.getCreationTimestamp()),
                metadata.getDeletionTimestamp() == null ? null : ServiceStates.time(metadata.getDeletionTimestamp()),
                condition
                        .map(ready -> new ReadyCondition(
                                ReadyCondition.Status.of(NullSafe.text(ready.getStatus())),
                                NullSafe.text(ready.getReason()),
                                NullSafe.text(ready.getMessage())))
                        .orElse(null),
                condition
                        .map(Condition::getLastTransitionTime)
                        .map(ServiceStates::time)
                        .orElse(null),
                NullSafe.list(metadata.getFinalizers()).contains(ServiceCidr.FINALIZER),
                isMadeByBerth(metadata),
                acknowledged(metadata),
                NullSafe.map(metadata.getAnnotations()).get(ServiceCidr.RETIRE));
    }

    /** Empty: it is none that Berth can read. Today's API servers let no such one in. */
    private static Stream<ServiceRange> range(String cidr) {
        try {
            return Stream.of(ServiceRange.parse(cidr));
        } catch (IllegalArgumentException unreadable) {
            return Stream.empty();
        }
    }

    private static List<String> acknowledged(ObjectMeta metadata) {
        return Stream.ofNullable(metadata.getAnnotations())
                .flatMap(annotations -> Stream.ofNullable(annotations.get(ACKNOWLEDGED)))
                .flatMap(reasons -> Stream.of(reasons.split(",", -1)))
                .map(String::strip)
                .toList();
    }

    private static boolean isMadeByBerth(ObjectMeta metadata) {
        return NullSafe.map(metadata.getLabels()).entrySet().containsAll(MADE_BY_BERTH.entrySet());
    }

    static List<String> cidrs(HasMetadata object) {
        return switch (object) {
            case io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDR cidr ->
                cidr.getSpec() == null
                        ? List.of()
                        : NullSafe.list(cidr.getSpec().getCidrs());
            case io.fabric8.kubernetes.api.model.networking.v1beta1.ServiceCIDR cidr ->
                cidr.getSpec() == null
                        ? List.of()
                        : NullSafe.list(cidr.getSpec().getCidrs());
            default -> throw new IllegalArgumentException(object.getKind() + " is not a ServiceCIDR");
        };
    }

    private static @Nullable List<Condition> conditions(HasMetadata object) {
        return switch (object) {
            case io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDR cidr ->
                cidr.getStatus() == null ? null : cidr.getStatus().getConditions();
            case io.fabric8.kubernetes.api.model.networking.v1beta1.ServiceCIDR cidr ->
                cidr.getStatus() == null ? null : cidr.getStatus().getConditions();
            default -> null;
        };
    }

    /** Absent: its name is no address, which the API server does not allow. */
    static Optional<ClusterIp> clusterIp(HasMetadata object) {
        ObjectMeta metadata = object.getMetadata();
        Map<String, String> labels = NullSafe.map(metadata.getLabels());
        return Ip.find(metadata.getName())
                .map(ip -> new ClusterIp(
                        ip,
                        metadata.getUid(),
                        labels.get(ClusterIp.MANAGED_BY),
                        labels.get(ClusterIp.FAMILY),
                        parent(object),
                        ServiceStates.time(metadata.getCreationTimestamp())));
    }

    private static @Nullable Parent parent(HasMetadata object) {
        return switch (object) {
            case io.fabric8.kubernetes.api.model.networking.v1.IPAddress address -> {
                var ref = address.getSpec() == null ? null : address.getSpec().getParentRef();
                yield ref == null ? null : parent(ref.getGroup(), ref.getResource(), ref.getNamespace(), ref.getName());
            }
            case io.fabric8.kubernetes.api.model.networking.v1beta1.IPAddress address -> {
                var ref = address.getSpec() == null ? null : address.getSpec().getParentRef();
                yield ref == null ? null : parent(ref.getGroup(), ref.getResource(), ref.getNamespace(), ref.getName());
            }
            default -> throw new IllegalArgumentException(object.getKind() + " is not an IPAddress");
        };
    }

    private static Parent parent(
            @Nullable String group, @Nullable String resource, @Nullable String namespace, @Nullable String name) {
        return new Parent(NullSafe.text(group), NullSafe.text(resource), NullSafe.text(namespace), NullSafe.text(name));
    }
}
