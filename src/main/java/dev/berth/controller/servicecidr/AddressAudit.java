package dev.berth.controller.servicecidr;

import dev.berth.kube.Caches;
import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.ClusterServices;
import dev.berth.kube.TakenNetworks;
import dev.berth.servicecidr.Audit;
import dev.berth.servicecidr.ClusterService;
import dev.berth.servicecidr.ExcludedNetwork;
import dev.berth.servicecidr.Finding;
import dev.berth.servicecidr.PoolRange;
import dev.berth.servicecidr.ServiceCidr;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;

/** Looks once a minute for what is wrong, and says what it found twice: the API server puts much right by itself. */
final class AddressAudit {
    private static final Duration INTERVAL = Duration.ofSeconds(60);

    /** After something was found for the first time. */
    private static final Duration AGAIN = Duration.ofSeconds(10);

    private final Caches caches;
    private final ClusterNetwork network;
    private final InstantSource clock;
    private final InstantSource steady;
    private final PodsInRanges pods;
    private List<Finding> found = List.of();
    private List<Finding> confirmed = List.of();
    private Instant next = Instant.EPOCH;

    AddressAudit(Caches caches, ClusterNetwork network, InstantSource clock, InstantSource steady) {
        this.caches = caches;
        this.network = network;
        this.clock = clock;
        this.steady = steady;
        pods = new PodsInRanges(network, steady);
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
        List<ExcludedNetwork> networks = Stream.concat(TakenNetworks.ofOthers(caches).stream(), pods.of(cidrs).stream())
                .toList();
        return network.askClusterIps(ips -> new Audit(cidrs, ips, services, pools, networks).findings(now));
    }

    Instant again() {
        return next;
    }
}
