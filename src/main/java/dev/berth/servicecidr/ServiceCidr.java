package dev.berth.servicecidr;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A ServiceCIDR object.
 *
 * @param ranges one or two, one per family
 * @param unreadable CIDRs of it that Berth cannot read: what they contain is not known
 * @param created its creationTimestamp
 * @param deletedAt its deletionTimestamp; null: it is not being deleted
 * @param ready its condition {@code Ready}; null: it has none
 * @param readySince when that condition was written; null: it has none
 * @param finalizer whether it has {@link #FINALIZER}
 * @param madeByBerth whether it has Berth's label
 * @param acknowledged the reasons of findings of it that somebody knows of, and does not want to hear
 * @param retire its annotation {@link #RETIRE}; null: it has none
 */
public record ServiceCidr(
        String name,
        String uid,
        List<ServiceRange> ranges,
        List<String> unreadable,
        Instant created,
        @Nullable Instant deletedAt,
        @Nullable ReadyCondition ready,
        @Nullable Instant readySince,
        boolean finalizer,
        boolean madeByBerth,
        List<String> acknowledged,
        @Nullable String retire) {
    /** On a ServiceCIDR: whether it is to be deleted as soon as those in it find other addresses. */
    public static final String RETIRE = "berth.dev/retire";

    /** What the ServiceCIDR controller holds the object by until it may go. */
    public static final String FINALIZER = "networking.k8s.io/service-cidr-finalizer";

    public ServiceCidr {
        ranges = List.copyOf(ranges);
        unreadable = List.copyOf(unreadable);
        acknowledged = List.copyOf(acknowledged);
    }

    /** Whether it is asked to retire, or its annotation cannot be understood. */
    boolean mayBeToRetire() {
        return retire != null && !retire.equals("false");
    }

    /** Whether it is asked to retire. */
    public boolean isToRetire() {
        return "true".equals(retire);
    }

    /** Whether it is being deleted. */
    public boolean isTerminating() {
        return deletedAt != null;
    }

    /**
     * Whether the API server allocates from it: {@code Ready} is True or was never set, and it is not being
     * deleted. A range that is {@link ServiceRange#unusable} gives nothing all the same.
     */
    public boolean isReady() {
        return !isTerminating() && (ready == null || ready.status() == ReadyCondition.Status.TRUE);
    }

    /** Its range of {@code family}; absent: it has none. */
    public Optional<ServiceRange> range(IpFamily family) {
        return ranges.stream().filter(range -> range.family() == family).findFirst();
    }

    /** Whether one of its ranges contains {@code ip}. */
    public boolean contains(Ip ip) {
        return ranges.stream().anyMatch(range -> range.contains(ip));
    }

    /** Whether all of {@code range} lies in one of its ranges. */
    boolean contains(ServiceRange range) {
        return ranges.stream().anyMatch(mine -> mine.contains(range));
    }

    /** Whether one of its ranges has an address in common with {@code range}. */
    public boolean overlaps(ServiceRange range) {
        return ranges.stream().anyMatch(mine -> mine.overlaps(range));
    }
}
