package dev.berth.controller.service;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.kube.CachedServices;
import dev.berth.kube.Cluster;
import dev.berth.kube.Read;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.ServiceState;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Another's cluster, for those who change one call of it. */
class ClusterAsIs implements Cluster {
    final SimulatedCluster.Client client;

    ClusterAsIs(SimulatedCluster.Client client) {
        this.client = client;
    }

    @Override
    public Optional<ServiceState> service(ServiceKey key) {
        return client.service(key);
    }

    @Override
    public CachedServices allServices() {
        return client.allServices();
    }

    @Override
    public Map<String, String> namespaceLabels(String namespace) {
        return client.namespaceLabels(namespace);
    }

    @Override
    public Optional<Claim> claim(Ip ip) {
        return client.claim(ip);
    }

    @Override
    public List<Claim> claims() {
        return client.claims();
    }

    @Override
    public Read<ServiceState> readService(ServiceKey key) {
        return client.readService(key);
    }

    @Override
    public Read<Claim> readClaim(Ip ip) {
        return client.readClaim(ip);
    }

    @Override
    public Write<Claim> createClaim(Ip ip, ClaimSpec spec) {
        return client.createClaim(ip, spec);
    }

    @Override
    public Write<Claim> updateClaim(Claim seen, ClaimSpec spec) {
        return client.updateClaim(seen, spec);
    }

    @Override
    public Write<Claim> confirmClaim(Claim seen) {
        return client.confirmClaim(seen);
    }

    @Override
    public Write<Claim> deleteClaim(Claim seen) {
        return client.deleteClaim(seen);
    }

    @Override
    public Write<ServiceState> publish(ServiceState seen, Publication.Difference difference, boolean dryRun) {
        return client.publish(seen, difference, dryRun);
    }

    @Override
    public Write<ServiceState> releaseNodePorts(ServiceState seen, String ports) {
        return client.releaseNodePorts(seen, ports);
    }

    @Override
    public Write<ServiceState> clear(ServiceState seen, List<Published> others) {
        return client.clear(seen, others);
    }
}
