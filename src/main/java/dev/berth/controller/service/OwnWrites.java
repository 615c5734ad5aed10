package dev.berth.controller.service;

import dev.berth.claim.Claim;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.SinceLook;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What was written of one Service, and of its Addresses, since it was looked at: in one pass, or in several. */
final class OwnWrites {
    private @Nullable ServiceState newest;
    private final Set<Ip> claims = new HashSet<>();

    /** The Addresses of its name as they were known before this pass last wrote the Service; null: it has not. */
    private @Nullable List<Claim> claimsBefore;

    /** A pass begins with the Service as it was read; empty: it is gone. */
    void begin(Optional<ServiceState> read) {
        claimsBefore = null;
        if (read.isPresent()) {
            if (!SinceLook.stillCounts(newest, read.get())) {
                claims.clear();
            }
            newest = read.get();
        }
    }

    /** The Service is as we wrote it; {@code before}: the Addresses as they were known before that. */
    void wrote(ServiceState answer, List<Claim> before) {
        newest = answer;
        claimsBefore = before;
    }

    /** The Address object of {@code ip} was written. */
    void wrote(Ip ip) {
        claims.add(ip);
    }

    /** Those whose Address objects were written while the Service was as it is but for our own writes. */
    List<Ip> addresses() {
        return List.copyOf(claims);
    }

    /** The Service as it is known by now; {@code planned} if nothing was learned since. */
    ServiceState newest(ServiceState planned) {
        return Objects.requireNonNullElse(newest, planned);
    }

    /** The Addresses of its name as they were known before this pass last wrote the Service; absent: it has not. */
    Optional<List<Claim>> claimsBefore() {
        return Optional.ofNullable(claimsBefore);
    }
}
