package dev.berth.loadbalancer;

import dev.berth.claim.Claim;
import dev.berth.claim.Holding;
import dev.berth.ip.Ip;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What was known of a Service and its Addresses when it was looked at, and what was written of them since.
 *
 * @param beforeReading the Addresses of its name as they were known just before it was read live; empty: it was not
 * @param planned the same before the plan was made
 * @param newest the Service as it is known by now; absent: as it was planned for, or gone
 * @param beforeWriting the Addresses as they were known just before this pass last wrote the Service; absent: it has
 *     not
 * @param wroteAddresses those whose Address objects were written while the Service was as it is but for our own writes
 */
public record SinceLook(
        List<Claim> beforeReading,
        List<Claim> planned,
        Optional<ServiceState> newest,
        Optional<List<Claim>> beforeWriting,
        List<Ip> wroteAddresses) {
    public SinceLook {
        beforeReading = List.copyOf(beforeReading);
        planned = List.copyOf(planned);
        beforeWriting = beforeWriting.map(List::copyOf);
        wroteAddresses = List.copyOf(wroteAddresses);
    }

    /** Nothing was written yet, and these are as they were. */
    static SinceLook nothing(List<Holding> holdings) {
        return new SinceLook(
                List.of(),
                holdings.stream()
                        .flatMap(holding -> Optional.ofNullable(holding.claim()).stream())
                        .toList(),
                Optional.empty(),
                Optional.empty(),
                List.of());
    }

    /**
     * Whether what was written of a Service's Addresses counts still: it does while the Service is as it was then, but for
     * our own writes.
     *
     * @param before the Service as it was known; null: it was not
     * @param read the Service as it was read
     */
    public static boolean stillCounts(@Nullable ServiceState before, ServiceState read) {
        return before != null
                && before.uid().equals(read.uid())
                && before.resourceVersion().equals(read.resourceVersion());
    }

    /** Whether this pass has written the Service. */
    boolean wroteService() {
        return beforeWriting.isPresent();
    }

    /** The Address as it was known before this pass wrote the Service; absent: it was not known, or nothing written. */
    Optional<Claim> beforeWriting(Ip ip) {
        for (Claim claim : beforeWriting.orElse(List.of())) {
            if (claim.ip().equals(ip)) {
                return Optional.of(claim);
            }
        }
        return Optional.empty();
    }

    /** Whether the Service was read live when {@code claim} was known already: then it was there before the Service. */
    boolean isReadSince(Claim claim) {
        return beforeReading.contains(claim);
    }

    /** Whether the Address is still what it was before the plan was made. */
    boolean isAsPlanned(Claim claim) {
        return planned.contains(claim);
    }
}
