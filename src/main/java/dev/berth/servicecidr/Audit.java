package dev.berth.servicecidr;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds what is wrong with the cluster's own addresses. It changes nothing. What is repaired by the API server
 * within its three minutes is found as well: say only what is found twice in a row.
 *
 * @param services all of them
 * @param pools the addresses of all AddressPools
 * @param networks what else no range should have, as far as known: of Nodes and their Pods, and what Services publish
 */
public record Audit(
        Collection<ServiceCidr> cidrs,
        ClusterIps ips,
        Collection<ClusterService> services,
        Collection<PoolRange> pools,
        Collection<ExcludedNetwork> networks) {

    /** All that is wrong and that nobody has acknowledged, in the order of {@link Finding.Fault}; within that by object. */
    public List<Finding> findings(Instant now) {
        ClusterIpHolders holders = new ClusterIpHolders(services);
        List<Finding> all = new ArrayList<>(new FamilyAudit(Usage.of(cidrs, ips)).findings());
        all.addAll(new ServiceAudit(allRanges(), ips, holders).findings(services));
        all.addAll(new IpAddressAudit(holders, now).findings(ips));
        all.addAll(new RangeAudit(cidrs, ips, pools, networks, now).findings());
        all.removeIf(this::isAcknowledged);
        // Stable: of one fault, each part has them in the order of their objects.
        all.sort(Comparator.comparing(Finding::fault));
        return List.copyOf(all);
    }

    private boolean isAcknowledged(Finding finding) {
        return finding.kind().equals(Finding.SERVICE_CIDR)
                && cidrs.stream()
                        .filter(cidr -> cidr.name().equals(finding.name()))
                        .anyMatch(cidr -> cidr.acknowledged()
                                .contains(finding.fault().reason().name()));
    }

    /** Those of {@code found} that {@code before} has, too, in the order of {@code found}; there may be very many. */
    public static List<Finding> foundAgain(List<Finding> found, List<Finding> before) {
        Set<Finding> known = new HashSet<>(before);
        return found.stream().filter(known::contains).toList();
    }

    private RangeUnion allRanges() {
        return new RangeUnion(
                cidrs.stream().flatMap(cidr -> cidr.ranges().stream()).toList());
    }
}
