package dev.berth.controller.servicecidr;

import dev.berth.kube.ClusterNetwork;
import dev.berth.kube.Read;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.ClusterIps;
import dev.berth.servicecidr.ServiceCidr;
import java.util.List;

/** What the API server has now. A cache may lag behind, and what is made, deleted or let go by it cannot be undone. */
record LiveRanges(List<ServiceCidr> cidrs, ClusterIps ips) {
    /** Reads both. Failed also while the IPAddresses are not watched: what happens next would not be noticed. */
    static Read<LiveRanges> read(ClusterNetwork network) {
        return network.interruption()
                .<Read<LiveRanges>>map(Read.Failed::new)
                .orElseGet(() -> network.readServiceCidrs()
                        .then(cidrs -> network.readClusterIps()
                                .then(taken -> new Read.Found<>(new LiveRanges(cidrs, index(taken))))));
    }

    /** Reads the ServiceCIDRs alone, for a step that does not depend on addresses. */
    static Read<LiveRanges> readWithoutAddresses(ClusterNetwork network) {
        return network.readServiceCidrs().then(cidrs -> new Read.Found<>(new LiveRanges(cidrs, new ClusterIps())));
    }

    private static ClusterIps index(List<ClusterIp> taken) {
        ClusterIps ips = new ClusterIps();
        ips.replaceAll(taken);
        return ips;
    }
}
