package dev.berth.controller.servicecidr;

import dev.berth.api.v1alpha1.ServiceCIDRPolicy.FamilyGrowth;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.Spec;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.kube.Caches;
import dev.berth.kube.ClusterNetwork;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.Reservation;
import dev.berth.servicecidr.Usage;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Has the address kept that the cluster's DNS has by convention, the tenth of the default range, where Berth may create
 * ranges: a range beside a full one does not stop the API server from giving that one's static band to any Service.
 */
final class DnsReservation {
    private static final String DEFAULT_RANGE = "kubernetes";
    private static final ServiceKey DNS = new ServiceKey("kube-system", "kube-dns");
    private static final int TENTH = 10;

    /** For so long it must have been free: a Service that is replaced is away for a moment, and needs it again. */
    private static final Duration LASTING = Duration.ofMinutes(1);

    private final Caches caches;
    private final ClusterNetwork network;
    private final InstantSource clock;
    private final Map<Ip, Instant> freeSince = new HashMap<>();

    DnsReservation(Caches caches, ClusterNetwork network, InstantSource clock) {
        this.caches = caches;
        this.network = network;
        this.clock = clock;
    }

    /** That address, of each family that grows; empty: it need not be kept. */
    List<Reservation> of(Spec spec, Usage usage) {
        List<Ip> atRisk = atRisk(spec, usage);
        Instant now = clock.instant();
        freeSince.keySet().retainAll(atRisk);
        atRisk.forEach(ip -> freeSince.putIfAbsent(ip, now));
        return atRisk.stream()
                .filter(ip -> isKept(ip) || isFreeForLong(ip, now))
                .map(ip -> new Reservation(ip.toString(), DNS))
                .toList();
    }

    private List<Ip> atRisk(Spec spec, Usage usage) {
        if (RangeGrowth.isDryRun(spec)
                || caches.services().get(DNS.namespace(), DNS.name()).isPresent()) {
            return List.of();
        }
        return usage.ranges().stream()
                .filter(range -> range.serviceCidr().equals(DEFAULT_RANGE) && range.state() == Usage.State.READY)
                .flatMap(range -> threshold(spec, range.range().family()).stream()
                        .flatMap(threshold -> atRisk(range, threshold).stream()))
                .toList();
    }

    private Optional<Ip> atRisk(Usage.OfRange range, int threshold) {
        Ip tenth = Stream.iterate(range.range().network(), Ip::next)
                .skip(TENTH)
                .findFirst()
                .orElseThrow();
        return range.range()
                .staticBand()
                .filter(band -> band.contains(tenth))
                .filter(band -> isKept(tenth) || range.dynamicBand().usedPercent() >= threshold)
                .filter(band -> isKept(tenth) || at(tenth).isEmpty())
                .map(band -> tenth);
    }

    /** Absent: the family does not grow. */
    private static Optional<Integer> threshold(Spec spec, IpFamily family) {
        FamilyGrowth growth = spec.growth() == null
                ? null
                : family == IpFamily.IPV4 ? spec.growth().ipv4() : spec.growth().ipv6();
        return Optional.ofNullable(growth)
                .map(asked -> Objects.requireNonNullElse(asked.usedPercent(), RangeGrowth.THRESHOLD));
    }

    private boolean isFreeForLong(Ip ip, Instant now) {
        return !now.isBefore(freeSince.getOrDefault(ip, now).plus(LASTING));
    }

    private boolean isKept(Ip ip) {
        return at(ip).filter(ClusterIp::isReservation)
                .flatMap(ClusterIp::service)
                .filter(DNS::equals)
                .isPresent();
    }

    private Optional<ClusterIp> at(Ip ip) {
        return network.askClusterIps(ips -> ips.get(ip));
    }
}
