package dev.berth.controller.servicecidr;

import dev.berth.ip.IpRange;
import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.Read;
import dev.berth.servicecidr.ExcludedNetwork;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.servicecidr.ServiceRange;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The Pods whose address is in a ServiceCIDR. They may be very many, and are listed live: rarely. */
final class PodsInRanges {
    private static final Logger LOG = LoggerFactory.getLogger(PodsInRanges.class);

    /** So often where none was in a range. */
    private static final Duration INTERVAL = Duration.ofHours(1);

    /** The same where some were, or they could not be listed. */
    private static final Duration AGAIN = Duration.ofMinutes(5);

    private final ClusterNetwork network;
    private final InstantSource steady;
    private List<IpRange> ranges = List.of();
    private List<ExcludedNetwork> pods = List.of();
    private Instant next = Instant.EPOCH;

    PodsInRanges(ClusterNetwork network, InstantSource steady) {
        this.network = network;
        this.steady = steady;
    }

    /** As they were when they could be listed last: hourly, and when a range is new or gone. */
    List<ExcludedNetwork> of(List<ServiceCidr> cidrs) {
        Instant now = steady.instant();
        List<IpRange> wanted = cidrs.stream()
                .flatMap(cidr -> cidr.ranges().stream())
                .map(ServiceRange::whole)
                .toList();
        if (!wanted.equals(ranges) || !now.isBefore(next)) {
            ranges = wanted;
            Read<List<ExcludedNetwork>> found = network.readPods(ranges);
            switch (found) {
                case Read.Found<List<ExcludedNetwork>>(List<ExcludedNetwork> inRanges) -> pods = inRanges;
                case Read.Absent<List<ExcludedNetwork>> none -> pods = List.of();
                case Read.Failed<List<ExcludedNetwork>>(String message) ->
                    LOG.debug("the audit goes by the Pods that it knows: {}", message);
            }
            boolean clear = found instanceof Read.Found && pods.isEmpty();
            next = now.plus(clear ? INTERVAL : AGAIN);
        }
        return pods;
    }
}
