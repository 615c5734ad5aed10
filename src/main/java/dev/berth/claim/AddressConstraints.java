package dev.berth.claim;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a Service says itself about the addresses that it wants.
 *
 * @param addresses these and no others, for their families; at most one per family
 * @param pools out of one of these; empty: any that may
 * @param sharing on which terms it shares its address; null: with nobody
 * @param retain whether its address is to be kept for its return
 */
public record AddressConstraints(
        List<Ip> addresses, List<String> pools, @Nullable Sharing sharing, boolean retain) {
    public static final AddressConstraints NONE = new AddressConstraints(List.of(), List.of(), null, false);

    public AddressConstraints {
        addresses = List.copyOf(addresses);
        pools = List.copyOf(pools);
        if (addresses.size() > 1
                && addresses.stream().map(Ip::family).distinct().count() != addresses.size()) {
            throw new IllegalArgumentException("at most one address per family is allowed: " + addresses);
        }
    }

    /** The address asked for; absent: any of the family will do. */
    public Optional<Ip> address(IpFamily family) {
        for (Ip ip : addresses) {
            if (ip.family() == family) {
                return Optional.of(ip);
            }
        }
        return Optional.empty();
    }

    /** {@code spec} of an address that this Service gets: whether it is retained when it is deleted. */
    public ClaimSpec retaining(ClaimSpec spec, ServiceKey service) {
        return spec.retainedFor(service, retain ? true : null);
    }
}
