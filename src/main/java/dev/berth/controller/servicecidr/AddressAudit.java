package dev.berth.controller.servicecidr;

import dev.berth.address.IpRange;
import dev.berth.kube.Caches;
import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.ClusterServices;
import dev.berth.kube.Read;
import dev.berth.kube.TakenNetworks;
import dev.berth.servicecidr.Audit;
import dev.berth.servicecidr.ClusterService;
import dev.berth.servicecidr.ExcludedNetwork;
import dev.berth.servicecidr.Finding;
import dev.berth.servicecidr.PoolRange;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.servicecidr.ServiceRange;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks once a minute for what is wrong, and says what it found twice: the API server puts much right by itself. */
final class AddressAudit {
    private static final Logger LOG = LoggerFactory.getLogger(AddressAudit.class);
    private static final Duration INTERVAL = Duration.ofSeconds(60);

    /** After something was found for the first time. */
    private static final Duration AGAIN = Duration.ofSeconds(10);

    /** Pods may be very many, and are listed live: so often where none was in a range. */
    private static final Duration PODS = Duration.ofHours(1);

    /** The same where some were, or they could not be listed. */
    private static final Duration PODS_AGAIN = Duration.ofMinutes(5);

    private final Caches caches;
    private final ClusterNetwork network;
    private final InstantSource clock;
    private final InstantSource steady;
    private List<Finding> found = List.of();
    private List<Finding> confirmed = List.of();
    private Instant next = Instant.EPOCH;
    private List<IpRange> rangesOfPods = List.of();
    private List<ExcludedNetwork> pods = List.of();
    private Instant nextPods = Instant.EPOCH;

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
        List<ExcludedNetwork> networks = Stream.concat(TakenNetworks.ofOthers(caches).stream(), pods(cidrs).stream())
                .toList();
        return network.askClusterIps(ips -> new Audit(cidrs, ips, services, pools, networks).findings(now));
    }

    /** The Pods in ranges, as they were when they could be listed last: hourly, and when a range is new or gone. */
    private List<ExcludedNetwork> pods(List<ServiceCidr> cidrs) {
        Instant now = steady.instant();
        List<IpRange> ranges = cidrs.stream()
                .flatMap(cidr -> cidr.ranges().stream())
                .map(ServiceRange::whole)
                .toList();
        if (!ranges.equals(rangesOfPods) || !now.isBefore(nextPods)) {
            rangesOfPods = ranges;
            Read<List<ExcludedNetwork>> found = network.readPods(ranges);
            switch (found) {
                case Read.Found<List<ExcludedNetwork>>(List<ExcludedNetwork> inRanges) -> pods = inRanges;
                case Read.Absent<List<ExcludedNetwork>> none -> pods = List.of();
                case Read.Failed<List<ExcludedNetwork>>(String message) ->
                    LOG.debug("the audit goes by the Pods that it knows: {}", message);
            }
            boolean clear = found instanceof Read.Found && pods.isEmpty();
            nextPods = now.plus(clear ? PODS : PODS_AGAIN);
        }
        return pods;
    }

    Instant again() {
        return next;
    }
}
