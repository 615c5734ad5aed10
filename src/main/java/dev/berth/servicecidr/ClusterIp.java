package dev.berth.servicecidr;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An IPAddress object: {@code ip} is taken, no matter who made the object.
 *
 * @param managedBy its label {@code ipaddress.kubernetes.io/managed-by}; null: it has none
 * @param family its label {@code ipaddress.kubernetes.io/ip-family}; null: it has none
 * @param parent who has the address; null: the object names nobody, which the API server allows no more
 * @param created its creationTimestamp
 */
public record ClusterIp(
        Ip ip,
        String uid,
        @Nullable String managedBy,
        @Nullable String family,
        @Nullable Parent parent,
        Instant created) {
    /** The label that says who looks after the object. */
    public static final String MANAGED_BY = "ipaddress.kubernetes.io/managed-by";

    /** The label that says of which family the address is. */
    public static final String FAMILY = "ipaddress.kubernetes.io/ip-family";

    /** What {@link #managedBy} is if the API server's allocator made the object. */
    public static final String ALLOCATOR = "ipallocator.k8s.io";

    /** What {@link #managedBy} is if Berth made it, to keep the address for a Service to come. */
    public static final String BERTH = "berth.dev";

    /** Whether it has both labels of the API server's allocator; only such ones hold a ServiceCIDR. */
    public boolean ofAllocator() {
        return isManagedByAllocator() && ip.family().toString().equals(family);
    }

    /** Whether the API server's repair loop deletes it once no Service has the address. */
    boolean isManagedByAllocator() {
        return ALLOCATOR.equals(managedBy);
    }

    /** Whether it is one of Berth's reservations. */
    public boolean isReservation() {
        return BERTH.equals(managedBy);
    }

    /** The Service that it names; absent: it names something else, or nobody. */
    public Optional<ServiceKey> service() {
        return parent == null ? Optional.empty() : parent.service();
    }

    /** Whose the address is, as a person reads it: {@code prod/web} of a Service. */
    public String owner() {
        return service().map(ServiceKey::toString).orElseGet(() -> parent == null ? "nobody" : parent.toString());
    }
}
