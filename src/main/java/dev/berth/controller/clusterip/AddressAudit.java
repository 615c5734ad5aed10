package dev.berth.controller.clusterip;

import dev.berth.clusterip.Audit;
import dev.berth.clusterip.Avoided;
import dev.berth.clusterip.ClusterService;
import dev.berth.clusterip.Finding;
import dev.berth.clusterip.PoolRange;
import dev.berth.clusterip.ServiceCidr;
import dev.berth.kube.Caches;
import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.ClusterServices;
import dev.berth.kube.TakenNetworks;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/** Looks once a minute for what is wrong, and says what it found twice: the API server puts much right by itself. */
final class AddressAudit {
    private static final Duration INTERVAL = Duration.ofSeconds(60);

    /** After something was found for the first time. */
    private static final Duration AGAIN = Duration.ofSeconds(10);

    private final Caches caches;
    private final ClusterNetwork network;
    private final InstantSource clock;
    private final InstantSource steady;
    private List<Finding> found = List.of();
    private List<Finding> confirmed = List.of();
    private Instant next = Instant.EPOCH;

    AddressAudit(Caches caches, ClusterNetwork network, InstantSource clock, InstantSource steady) {
        this.caches = caches;
        this.network = network;
        this.clock = clock;
        this.steady = steady;
    }

    /** What is wrong, as far as it is known by now. */
    List<Finding> look(List<ServiceCidr> cidrs) {
        Instant now = steady.instant();
        if (!now.isBefore(next)) {
            List<Finding> before = found;
            found = find(cidrs, clock.instant());
            confirmed = Audit.foundAgain(found, before);
            next = now.plus(confirmed.size() == found.size() ? INTERVAL : AGAIN);
        }
        return confirmed;
    }

    private List<Finding> find(List<ServiceCidr> cidrs, Instant now) {
        List<ClusterService> services =
                caches.services().list().map(ClusterServices::of).toList();
        List<PoolRange> pools = TakenNetworks.pools(caches);
        List<Avoided> networks = TakenNetworks.ofOthers(caches);
        return network.askClusterIps(ips -> new Audit(cidrs, ips, services, pools, networks).findings(now));
    }

    Instant again() {
        return next;
    }
}
