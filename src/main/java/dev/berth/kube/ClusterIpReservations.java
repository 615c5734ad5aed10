package dev.berth.kube;

import dev.berth.api.v1alpha1.ClusterIPReservation;
import java.util.ArrayList;
import java.util.List;

/** ClusterIPReservations as they are read. */
public final class ClusterIpReservations {
    private ClusterIpReservations() {}

    /** Why one cannot be read: its schema may be another than ours. Empty: it can be. */
    public static List<String> faults(ClusterIPReservation object) {
        List<String> faults = new ArrayList<>(object.unreadable());
        faults.addAll(object.adjusted());
        ClusterIPReservation.Spec spec = object.getSpec();
        if (spec == null) {
            faults.add("it has no spec");
        } else if (spec.address() == null) {
            faults.add("spec.address is missing");
        } else if (spec.service() == null
                || spec.service().namespace() == null
                || spec.service().name() == null) {
            faults.add("spec.service is missing, or has no namespace or no name");
        }
        return faults;
    }
}
