package dev.berth.loadbalancer;

import java.util.List;

/**
 * The annotations by which a Service asks another controller for what it asks Berth for by its own. Of
 * several names for one thing the first that is there counts: the newest comes first.
 *
 * @param controller its name, as people call it
 * @param addresses which addresses, as a list with commas; empty: it has no such annotation
 * @param pools out of which pool
 * @param sharingKeys with whom it shares its address
 * @param unspecifiedIsDhcp whether 0.0.0.0 and :: mean an address by DHCP
 */
public record ForeignAnnotations(
        String controller,
        List<String> addresses,
        List<String> pools,
        List<String> sharingKeys,
        boolean unspecifiedIsDhcp) {
    public ForeignAnnotations {
        addresses = List.copyOf(addresses);
        pools = List.copyOf(pools);
        sharingKeys = List.copyOf(sharingKeys);
    }
}
