package dev.berth.controller.servicecidr;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.servicecidr.ClusterIps;
import dev.berth.servicecidr.Finding;
import dev.berth.servicecidr.Growth;
import dev.berth.servicecidr.Reservations;
import dev.berth.servicecidr.Retirement;
import dev.berth.servicecidr.SampleCidrs;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.servicecidr.ServiceRange;
import dev.berth.servicecidr.Usage;
import dev.berth.servicecidr.UsageSample;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** A look at a cluster with one small range: nothing was found and done but what a test sets. */
final class SampleLook {
    final ClusterIps ips = new ClusterIps();
    List<ServiceCidr> cidrs = List.of(SampleCidrs.ready("first", "10.0.0.0/28"));
    List<UsageSample> history = List.of();
    List<RangeGrowth.Outcome> growth = List.of();
    List<RangeRetirement.Outcome> retired = List.of();
    Reservations kept = new Reservations(List.of(), List.of());
    List<Finding> findings = List.of();

    PolicyStatus.Look build() {
        return new PolicyStatus.Look(
                NetworkInMemory.START, Usage.of(cidrs, ips), history, growth, retired, kept, findings);
    }

    void allocate(int addresses) {
        IntStream.rangeClosed(1, addresses).forEach(i -> ips.put(NetworkInMemory.allocated("10.0.0." + i, "web-" + i)));
    }

    static RangeGrowth.Outcome enough(IpFamily family) {
        return new RangeGrowth.Outcome.Enough(family, 30, new Growth.Next("next", ServiceRange.parse("10.100.0.0/28")));
    }

    static RangeRetirement.Outcome retirement(Retirement.Verdict verdict, long remaining, Optional<String> failure) {
        List<Retirement.Occupant> first = remaining == 0
                ? List.of()
                : List.of(new Retirement.Occupant(Ip.parse("10.0.0.7"), "prod/web", Retirement.Needs.RECREATE));
        return new RangeRetirement.Outcome(
                new Retirement(
                        SampleCidrs.retiring(SampleCidrs.ready("old", "10.0.0.0/24")), verdict, remaining, first),
                failure);
    }

    /** That many findings. */
    static List<Finding> outOfRange(int findings) {
        return IntStream.rangeClosed(1, findings)
                .mapToObj(i ->
                        new Finding(Finding.Fault.CLUSTER_IP_OUT_OF_RANGE, "Service", "prod/web-" + i, "wrong " + i))
                .toList();
    }
}
