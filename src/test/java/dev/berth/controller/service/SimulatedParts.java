package dev.berth.controller.service;

import dev.berth.claim.Claim;
import dev.berth.claim.Ledger;
import dev.berth.claim.ServiceKey;
import dev.berth.controller.Next;
import dev.berth.kube.Cluster;
import dev.berth.loadbalancer.ServiceState;
import dev.berth.provider.LoadBalancerProvider;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Collection;
import java.util.List;

/** What a simulated operator is wired of: as Berth is, unless a test puts something else in the place of a part. */
class SimulatedParts {
    static final SimulatedParts HEALTHY = new SimulatedParts();

    /** Its way to the API server. */
    Cluster cluster(SimulatedWorld world, SimulatedCluster.Client client) {
        return client;
    }

    /** The provider that touches the world. */
    LoadBalancerProvider provider(SimulatedWorld world, SimulatedCluster.Client client) {
        return world.provider;
    }

    /** The one that brings addresses of its own. */
    LoadBalancerProvider cloud(SimulatedWorld world, SimulatedCluster.Client client) {
        return world.cloud;
    }

    /** What it tells providers of its leadership; {@code leader} grows with each. */
    long fencingToken(long leader) {
        return leader;
    }

    /** What the ledger learns at the start. */
    void learn(Ledger ledger, List<Claim> claims) {
        ledger.rebuild(claims);
    }

    /** Takes an event on a Service; returns whether it is passed over. */
    boolean takeEcho(ServiceControl services, ServiceState now) {
        return services.takeEchoOfOurWrite(now.key(), now.uid(), now.resourceVersion());
    }

    /** Whom a change makes due. */
    Collection<ServiceKey> due(Collection<ServiceKey> keys) {
        return keys;
    }

    /** When a Service is looked at again. */
    Next next(Next next) {
        return next;
    }

    /** When a pool or a class is looked at again. */
    Next nextLook(Next next) {
        return next;
    }

    /** Whether the status of a pool or a class is written; else it is taken for written. */
    boolean writesStatus(HasMetadata object) {
        return true;
    }

    /** Which class object is looked at, for this one is judged again. */
    String verdictChanged(String className) {
        return className;
    }

    /** What is remembered of an Address that is gone. */
    boolean hearsOfTheEnd(Claim last) {
        return true;
    }
}
