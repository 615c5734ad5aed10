package dev.berth.kube;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.loadbalancer.WellKnownNames;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All that reconciling a Service reads from and writes to a cluster. No method throws for what the API
 * server may answer.
 */
public interface Cluster {
    /**
     * The Service in the cache; absent: it is not there.
     *
     * @throws Unreadable if it is there and says what this Berth does not know
     */
    Optional<ServiceState> service(ServiceKey key);

    /** As {@link #service(ServiceKey)}, but {@code known} itself if the cache has that very version. */
    default Optional<ServiceState> service(ServiceKey key, Optional<ServiceState> known) {
        return service(key);
    }

    /** Whether the cache has the Service. */
    default boolean hasService(ServiceKey key) {
        return service(key).isPresent();
    }

    /** All Services in the cache. */
    CachedServices allServices();

    /** Those of them that can be read. */
    default List<ServiceState> services() {
        return allServices().states();
    }

    /** The labels of a namespace in the cache; empty if it is not there. */
    Map<String, String> namespaceLabels(String namespace);

    /** The Address object of {@code ip} in the cache; absent: it is not there. */
    Optional<Claim> claim(Ip ip);

    /** All Address objects in the cache. */
    List<Claim> claims();

    Read<ServiceState> readService(ServiceKey key);

    Read<Claim> readClaim(Ip ip);

    /** Creates the Address object of {@code ip}. A Conflict means that there is one already, no matter whose. */
    Write<Claim> createClaim(Ip ip, ClaimSpec spec);

    /**
     * Changes what an Address object says, and leaves what it says beside that. Refused if that would be lost.
     *
     * @param seen the object as the change was decided on; if it is another by now: Conflict
     */
    Write<Claim> updateClaim(Claim seen, ClaimSpec spec);

    /**
     * Makes another version of an Address object that says the same: anyone who decided on a change of it before
     * gets a Conflict.
     *
     * @param seen as in {@link #updateClaim}
     */
    Write<Claim> confirmClaim(Claim seen);

    /**
     * Deletes an Address object.
     *
     * @param seen as in {@link #updateClaim}
     */
    Write<Claim> deleteClaim(Claim seen);

    /**
     * Changes finalizer, the mark of its class, ingress and conditions of a Service in one patch of its status, and
     * nothing else: others' finalizers and conditions stay.
     *
     * @param seen the Service as the change was decided on; if it is another, or changed since: Conflict
     * @param dryRun whether the API server only answers as if
     */
    Write<ServiceState> publish(ServiceState seen, Publication.Difference difference, boolean dryRun);

    /**
     * Gives a Service's node ports back, and has none allocated for it any more; the only write to a Service that is not
     * to its status.
     *
     * @param seen as in {@link #publish}
     * @param ports what {@link WellKnownNames#NODE_PORTS_RELEASED} is to say
     */
    Write<ServiceState> releaseNodePorts(ServiceState seen, String ports);

    /**
     * Takes our finalizer with the mark of its class, our conditions, and the ingress off in one patch; else as {@link #publish}.
     *
     * @param others the entries of the ingress that stay; if they are all of it, it is not written
     */
    Write<ServiceState> clear(ServiceState seen, List<Published> others);
}
