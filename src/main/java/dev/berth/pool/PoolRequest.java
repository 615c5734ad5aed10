package dev.berth.pool;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import java.util.List;
import java.util.Optional;

/**
 * What a pool is asked for: one address.
 *
 * @param address the very one; absent: any of the family
 * @param pools those that the Service names; empty: it names none
 */
public record PoolRequest(IpFamily family, Optional<Ip> address, List<String> pools, Requester requester) {
    public PoolRequest {
        pools = List.copyOf(pools);
    }
}
