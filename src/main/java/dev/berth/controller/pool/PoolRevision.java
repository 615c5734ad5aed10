package dev.berth.controller.pool;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.kube.Pools;
import org.jspecify.annotations.Nullable;

/** What a pool is judged by: its spec is the same while this is. */
record PoolRevision(String uid, @Nullable Long generation, boolean releasesStranded) {
    static PoolRevision of(AddressPool pool) {
        return new PoolRevision(
                pool.getMetadata().getUid(), pool.getMetadata().getGeneration(), Pools.releasesStranded(pool));
    }
}
