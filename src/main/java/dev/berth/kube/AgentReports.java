package dev.berth.kube;

import dev.berth.announce.NodeReport;
import dev.berth.announce.Protocol;
import dev.berth.api.v1alpha1.AgentReport;
import dev.berth.ip.IpRange;
import java.util.List;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** AgentReports as Berth's own values: what cannot be read in one is left out. */
public final class AgentReports {
    private AgentReports() {}

    /** What one says; what cannot be read of it is left out. */
    public static NodeReport of(AgentReport object) {
        SequencedMap<Protocol, NodeReport.Part> parts = new TreeMap<>();
        AgentReport.Spec spec = object.getSpec();
        if (spec != null) {
            put(parts, Protocol.L2, spec.l2());
            put(parts, Protocol.BGP, spec.bgp());
        }
        return new NodeReport(parts);
    }

    private static void put(
            SequencedMap<Protocol, NodeReport.Part> parts, Protocol protocol, AgentReport.@Nullable Part part) {
        if (part != null) {
            SequencedMap<String, List<IpRange>> silent = new TreeMap<>();
            list(part.silent()).forEach(one -> silent.put(one.reason(), ranges(one.addresses())));
            parts.put(protocol, new NodeReport.Part(ranges(part.addresses()), ranges(part.conflicting()), silent));
        }
    }

    private static List<IpRange> ranges(@Nullable List<String> texts) {
        return list(texts).stream().flatMap(text -> IpRange.find(text).stream()).toList();
    }

    private static <T> List<T> list(@Nullable List<T> given) {
        return given == null
                ? List.of()
                : given.stream().filter(Objects::nonNull).toList();
    }
}
