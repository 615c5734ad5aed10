package dev.berth.clusterip;

import dev.berth.address.Ip;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An IPAddress object: {@code ip} is taken, whoever made the object.
 *
 * @param ofAllocator whether it has both labels of the API server's allocator; only such ones hold a
 *     ServiceCIDR
 * @param parent who has the address; null: the object names nobody, which the API server allows no more
 * @param created its creationTimestamp
 */
public record ClusterIp(
        Ip ip, String uid, boolean ofAllocator, @Nullable Parent parent, Instant created) {}
