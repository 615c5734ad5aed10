package dev.berth.controller.address;

import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.kube.CachedServices;
import dev.berth.kube.Cluster;
import dev.berth.kube.Read;
import dev.berth.kube.Unreadable;
import dev.berth.kube.Write;
import dev.berth.loadbalancer.Publication;
import dev.berth.loadbalancer.Published;
import dev.berth.loadbalancer.ServiceState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A cluster of at most one Address and one Service; nothing is written. */
final class OneAddress implements Cluster {
    Optional<Claim> cached = Optional.empty();
    Optional<ServiceState> service = Optional.empty();
    Read<ServiceState> live = new Read.Absent<>();
    Read<Claim> liveClaim = new Read.Failed<>("not asked for");
    Write<Claim> update = new Write.Refused<>("not asked for");
    Write<Claim> deletion = new Write.Refused<>("not asked for");

    @Nullable ServiceKey unreadable;

    Runnable whileReading = () -> {};
    Runnable whileWriting = () -> {};

    @Override
    public Optional<ServiceState> service(ServiceKey key) {
        if (key.equals(unreadable)) {
            throw new Unreadable("spec.type is \"Odd\"");
        }
        return service;
    }

    @Override
    public boolean hasService(ServiceKey key) {
        return key.equals(unreadable) || service.isPresent();
    }

    @Override
    public CachedServices allServices() {
        return new CachedServices(List.of(), new TreeMap<>());
    }

    @Override
    public Map<String, String> namespaceLabels(String namespace) {
        return Map.of();
    }

    @Override
    public Optional<Claim> claim(Ip ip) {
        return cached;
    }

    @Override
    public List<Claim> claims() {
        return cached.stream().toList();
    }

    @Override
    public Read<ServiceState> readService(ServiceKey key) {
        return live;
    }

    @Override
    public Read<Claim> readClaim(Ip ip) {
        whileReading.run();
        return liveClaim;
    }

    @Override
    public Write<Claim> createClaim(Ip ip, ClaimSpec spec) {
        return new Write.Refused<>("not asked for");
    }

    @Override
    public Write<Claim> updateClaim(Claim seen, ClaimSpec spec) {
        whileWriting.run();
        return update;
    }

    @Override
    public Write<Claim> confirmClaim(Claim seen) {
        return new Write.Refused<>("not asked for");
    }

    @Override
    public Write<Claim> deleteClaim(Claim seen) {
        whileWriting.run();
        return deletion;
    }

    @Override
    public Write<ServiceState> releaseNodePorts(ServiceState seen, String ports) {
        return new Write.Refused<>("not asked for");
    }

    @Override
    public Write<ServiceState> publish(ServiceState seen, Publication.Difference difference, boolean dryRun) {
        return new Write.Refused<>("not asked for");
    }

    @Override
    public Write<ServiceState> clear(ServiceState seen, List<Published> others) {
        return new Write.Refused<>("not asked for");
    }
}
