package dev.berth.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.Band;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.Finding;
import dev.berth.api.v1alpha1.ServiceCIDRPolicy.Range;
import dev.berth.ip.IpFamily;
import dev.berth.servicecidr.Usage;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An {@link AuditReport} for programs. Ranges and findings have the fields of a ServiceCIDRPolicy's status; numbers of
 * addresses are decimal text, as there.
 *
 * @param families those that have a range that is ready
 */
record AuditJson(List<Range> ranges, List<Family> families, List<Finding> findings, AuditReport.Seen seen) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** A family as a whole, where what two ranges have counts once. */
    record Family(String family, String size, String allocated, String free, int usedPercent) {}

    static AuditJson of(AuditReport report) {
        return new AuditJson(
                report.usage().ranges().stream().map(AuditJson::range).toList(),
                Stream.of(IpFamily.values())
                        .flatMap(family -> report.usage().family(family).map(count -> family(family, count)).stream())
                        .toList(),
                report.findings().stream()
                        .map(finding -> new Finding(
                                finding.fault().severity().toString(),
                                finding.fault().reason().name(),
                                finding.object(),
                                finding.message()))
                        .toList(),
                report.seen());
    }

    private static Range range(Usage.OfRange range) {
        return new Range(
                range.serviceCidr(),
                range.range().toString(),
                range.state().toString(),
                band(range.staticBand()),
                band(range.dynamicBand()),
                Optional.ofNullable(range.largestFreeStaticBlock())
                        .map(block -> block.lower() + "-" + block.upper())
                        .orElse(null));
    }

    private static Band band(Usage.Count count) {
        return new Band(
                count.size().toString(),
                Long.toString(count.allocated()),
                count.free().toString(),
                null,
                null);
    }

    private static Family family(IpFamily family, Usage.Count count) {
        return new Family(
                family.toString(),
                count.size().toString(),
                Long.toString(count.allocated()),
                count.free().toString(),
                count.usedPercent());
    }

    /** All of it, the last line with its end. */
    String text() {
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(this) + "\n";
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
