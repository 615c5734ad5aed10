package dev.berth.controller.pool;

import dev.berth.api.v1alpha1.AddressPool;
import dev.berth.kube.Pools;
import org.jspecify.annotations.Nullable;

/** What a pool is judged by: its spec is the same while this is. */
record Edition(String uid, @Nullable Long generation, boolean releasesStranded) {
    static Edition of(AddressPool pool) {
        return new Edition(
                pool.getMetadata().getUid(), pool.getMetadata().getGeneration(), Pools.releasesStranded(pool));
    }
}
