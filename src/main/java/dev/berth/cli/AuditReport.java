package dev.berth.cli;

import dev.berth.ip.IpFamily;
import dev.berth.servicecidr.Audit;
import dev.berth.servicecidr.Finding;
import dev.berth.servicecidr.Usage;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What {@code berth audit} says: a table of the ranges and one of the families, what is wrong and what to do about it,
 * and what was looked at.
 *
 * @param findings as {@link dev.berth.servicecidr.Audit#findings} orders them
 */
record AuditReport(Usage usage, List<Finding> findings, Seen seen) {
    private static final List<String> RANGES =
            List.of("SERVICECIDR", "CIDR", "STATE", "STATIC", "DYNAMIC", "LARGEST FREE STATIC BLOCK");
    private static final List<String> FAMILIES = List.of("FAMILY", "USED", "FREE");
    private static final String NONE = "-";

    /**
     * How much was looked at.
     *
     * @param pools whether the cluster has AddressPools at all
     */
    record Seen(int serviceCidrs, int ipAddresses, int services, boolean pools) {
        @Override
        public String toString() {
            return counted(serviceCidrs, "ServiceCIDR", "s") + ", " + counted(ipAddresses, "IPAddress", "es") + ", "
                    + counted(services, "Service", "s")
                    + (pools ? "" : " (no AddressPools, they are not installed)");
        }
    }

    AuditReport {
        findings = List.copyOf(findings);
    }

    /** It, with those findings only that were made before. */
    AuditReport keeping(List<Finding> before) {
        return new AuditReport(usage, Audit.foundAgain(findings, before), seen);
    }

    /** All of it, each line with its end. */
    String text() {
        return table(RANGES, usage.ranges().stream().map(AuditReport::row)) + "\n"
                + table(FAMILIES, Stream.of(IpFamily.values()).flatMap(this::row)) + "\n"
                + findings.stream().map(AuditReport::text).collect(Collectors.joining())
                + (findings.isEmpty() ? "Nothing found" : counted(findings.size(), "finding", "s")) + " in " + seen
                + "\n";
    }

    private static String text(Finding finding) {
        return finding.fault().severity() + "  " + finding.fault().reason() + "  " + finding.object() + "\n    "
                + finding.message() + "\n\n";
    }

    private static String table(List<String> headings, Stream<List<String>> lines) {
        List<List<String>> rows = Stream.concat(Stream.of(headings), lines).toList();
        int[] widths = IntStream.range(0, headings.size())
                .map(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElseThrow())
                .toArray();
        return rows.stream().map(row -> line(row, widths)).collect(Collectors.joining());
    }

    private static String line(List<String> row, int[] widths) {
        return IntStream.range(0, row.size())
                        .mapToObj(column -> row.get(column)
                                + " ".repeat(widths[column] - row.get(column).length()))
                        .collect(Collectors.joining("  "))
                        .stripTrailing()
                + "\n";
    }

    private static List<String> row(Usage.OfRange range) {
        return List.of(
                range.serviceCidr(),
                range.range().toString(),
                range.state().toString(),
                used(range.staticBand()),
                used(range.dynamicBand()),
                Objects.toString(range.largestFreeStaticBlock(), NONE));
    }

    private Stream<List<String>> row(IpFamily family) {
        return usage.family(family).stream()
                .map(count ->
                        List.of(family.toString(), used(count), count.free().toString()));
    }

    private static String used(Usage.Count count) {
        return count.size().signum() == 0 && count.allocated() == 0
                ? NONE
                : count.allocated() + " of " + count.size() + " (" + count.usedPercent() + "%)";
    }

    private static String counted(int number, String what, String plural) {
        return number + " " + what + (number == 1 ? "" : plural);
    }
}
