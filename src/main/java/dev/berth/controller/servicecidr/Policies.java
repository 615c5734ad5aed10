package dev.berth.controller.servicecidr;

import dev.berth.api.v1alpha1.ServiceCIDRPolicy;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.FamilyGrowth;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Whether a ServiceCIDRPolicy can be read. Its schema may be another than ours. */
final class Policies {
    private Policies() {}

    /** What cannot be read, and what comes of it, human-readable; absent: all can be read. */
    static Optional<String> fault(ServiceCIDRPolicy policy) {
        List<String> faults = new ArrayList<>(policy.unreadable());
        faults.addAll(policy.adjusted());
        ServiceCIDRPolicy.Spec spec = policy.getSpec();
        if (spec == null) {
            faults.add("it has no spec");
        } else {
            missing(spec).forEach(field -> faults.add(field + " is missing, or has an empty entry"));
        }
        return faults.isEmpty()
                ? Optional.empty()
                : Optional.of(String.join("; ", faults) + "; it has no effect until that is corrected");
    }

    private static Stream<String> missing(ServiceCIDRPolicy.Spec spec) {
        List<String> missing = new ArrayList<>();
        ServiceCIDRPolicy.Growth growth = spec.growth();
        if (growth != null) {
            if (hasGap(growth.excluded())) {
                missing.add("spec.growth.excluded");
            }
            if (isIncomplete(growth.ipv4())) {
                missing.add("spec.growth.ipv4");
            }
            if (isIncomplete(growth.ipv6())) {
                missing.add("spec.growth.ipv6");
            }
        }
        return missing.stream();
    }

    private static boolean isIncomplete(@Nullable FamilyGrowth growth) {
        return growth != null
                && (growth.supernets() == null || hasGap(growth.supernets()) || growth.prefixLength() == null);
    }

    private static boolean hasGap(@Nullable List<?> list) {
        return list != null && list.stream().anyMatch(Objects::isNull);
    }
}
