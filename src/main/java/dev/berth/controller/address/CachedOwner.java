package dev.berth.controller.address;

import dev.berth.claim.Owner;
import dev.berth.kube.Cluster;
import dev.berth.kube.Unreadable;
import dev.berth.loadbalancer.ServiceState;
import java.util.Optional;

/**
 * The Service of the name of an owner, as the cache has it.
 *
 * @param isUnreadable what such a Service holds stays as it is; others who share it are not to suffer from it
 * @param service empty: the cache has none, or it cannot be read
 */
record CachedOwner(Owner owner, boolean isUnreadable, Optional<ServiceState> service) {
    static CachedOwner of(Cluster cluster, Owner owner) {
        try {
            return new CachedOwner(owner, false, cluster.service(owner.service()));
        } catch (Unreadable there) {
            return new CachedOwner(owner, true, Optional.empty());
        }
    }

    /** Whether it is the owner itself, and not another Service of that name. */
    boolean isOwner() {
        return service.filter(state -> state.uid().equals(owner.uid())).isPresent();
    }
}
