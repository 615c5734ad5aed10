package dev.berth.telemetry;

import dev.berth.clusterip.Finding;
import dev.berth.clusterip.Usage;
import dev.berth.controller.clusterip.ClusterAddressMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What is counted of the cluster's own addresses: nothing while there is no ServiceCIDRPolicy. */
public final class ClusterAddressMeters implements ClusterAddressMetrics {
    private final MultiGauge size;
    private final MultiGauge allocated;
    private final MultiGauge findings;

    public ClusterAddressMeters(MeterRegistry registry) {
        size = MultiGauge.builder("berth.servicecidr.size")
                .description("addresses that a range of a ServiceCIDR can give")
                .register(registry);
        allocated = MultiGauge.builder("berth.servicecidr.allocated")
                .description("addresses of a range of a ServiceCIDR that are in use")
                .register(registry);
        findings = MultiGauge.builder("berth.clusterip.findings")
                .description("what the audit of the cluster's own addresses found")
                .register(registry);
    }

    private record Band(Tags tags, Usage.Count count) {}

    @Override
    public void used(Usage usage) {
        List<Band> bands =
                usage.ranges().stream().flatMap(ClusterAddressMeters::bands).toList();
        size.register(
                bands.stream()
                        .<MultiGauge.Row<?>>map(band -> MultiGauge.Row.of(
                                band.tags(), band.count().size().doubleValue()))
                        .toList(),
                true);
        allocated.register(
                bands.stream()
                        .<MultiGauge.Row<?>>map(band -> MultiGauge.Row.of(
                                band.tags(), (double) band.count().allocated()))
                        .toList(),
                true);
    }

    private static Stream<Band> bands(Usage.OfRange range) {
        Tags tags = Tags.of(
                "servicecidr", range.serviceCidr(), "cidr", range.range().toString());
        return Stream.of(
                new Band(tags.and("band", "static"), range.staticBand()),
                new Band(tags.and("band", "dynamic"), range.dynamicBand()));
    }

    @Override
    public void found(List<Finding> found) {
        Map<Finding.Reason, Integer> byReason = new EnumMap<>(Finding.Reason.class);
        found.forEach(finding -> byReason.merge(finding.reason(), 1, Integer::sum));
        findings.register(
                byReason.entrySet().stream()
                        .<MultiGauge.Row<?>>map(entry -> MultiGauge.Row.of(
                                Tags.of("reason", entry.getKey().toString()), entry.getValue()))
                        .toList(),
                true);
    }
}
