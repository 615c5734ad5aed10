package dev.berth.telemetry;

import dev.berth.controller.servicecidr.ClusterAddressMetrics;
import dev.berth.ip.IpFamily;
import dev.berth.servicecidr.Finding;
import dev.berth.servicecidr.Forecast;
import dev.berth.servicecidr.Trend;
import dev.berth.servicecidr.Usage;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.math.BigInteger;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** What is counted of the cluster's own addresses: nothing while there is no ServiceCIDRPolicy. */
public final class ClusterAddressMeters implements ClusterAddressMetrics {
    private final List<Series<Band>> ofBands;
    private final List<Series<Usage.OfRange>> ofRanges;
    private final List<Series<Family>> ofFamilies;
    private final Series<Map.Entry<Finding.Fault, Integer>> findings;

    public ClusterAddressMeters(MeterRegistry registry) {
        Gauges gauges = new Gauges(registry);
        ofBands = List.of(
                gauges.of(
                        "berth.servicecidr.size",
                        "addresses that a range of a ServiceCIDR can give",
                        Band::tags,
                        band -> Optional.of(band.count().size())),
                gauges.of(
                        "berth.servicecidr.allocated",
                        "addresses of a range of a ServiceCIDR that are in use",
                        Band::tags,
                        band -> Optional.of(band.count().allocated())));
        ofRanges = List.of(gauges.of(
                "berth.servicecidr.largest.free.static.block",
                "free addresses in a row in the static band of a range of a ServiceCIDR",
                ClusterAddressMeters::tags,
                ClusterAddressMeters::largestFreeStaticBlock));
        ofFamilies = List.of(
                gauges.of(
                        "berth.clusterip.size",
                        "addresses that all ready ranges of a family can give",
                        Family::tags,
                        family -> Optional.of(family.count().size())),
                gauges.of(
                        "berth.clusterip.allocated",
                        "addresses in all ready ranges of a family that are in use",
                        Family::tags,
                        family -> Optional.of(family.count().allocated())),
                gauges.of(
                        "berth.clusterip.free",
                        "addresses in all ready ranges of a family that are free",
                        Family::tags,
                        family -> Optional.of(family.count().free())),
                gauges.of(
                        "berth.clusterip.growth.per.day",
                        "how many more addresses of a family are in use each day",
                        Family::tags,
                        family -> Optional.ofNullable(family.trend().growthPerDay())),
                gauges.of(
                        "berth.clusterip.full.timestamp.seconds",
                        "when the day begins (UTC) on which a family is full at this growth",
                        Family::tags,
                        ClusterAddressMeters::fullFrom));
        findings = gauges.of(
                "berth.clusterip.findings",
                "what the audit of the cluster's own addresses found",
                entry -> Tags.of(
                        "reason",
                        entry.getKey().reason().name(),
                        "severity",
                        entry.getKey().severity().toString()),
                entry -> Optional.of(entry.getValue()));
    }

    private record Gauges(MeterRegistry registry) {
        <T> Series<T> of(
                String name,
                String description,
                Function<T, Tags> tags,
                Function<T, Optional<? extends Number>> value) {
            return new Series<>(
                    MultiGauge.builder(name).description(description).register(registry), tags, value);
        }
    }

    /** The gauges of one name: those of what is there, each where its number is known. */
    private record Series<T>(MultiGauge gauge, Function<T, Tags> tags, Function<T, Optional<? extends Number>> value) {
        void show(Collection<T> all) {
            List<MultiGauge.Row<?>> rows = new ArrayList<>();
            for (T one : all) {
                value.apply(one).ifPresent(number -> rows.add(MultiGauge.Row.of(tags.apply(one), number)));
            }
            gauge.register(rows, true);
        }
    }

    private record Band(Tags tags, Usage.Count count) {}

    private record Family(Tags tags, Usage.Count count, Trend trend) {}

    @Override
    public void used(Usage usage, Forecast forecast) {
        show(
                usage.ranges(),
                Stream.of(IpFamily.values())
                        .flatMap(family -> usage.family(family).stream()
                                .map(count -> new Family(
                                        Tags.of("family", family.toString()), count, forecast.family(family))))
                        .toList());
    }

    @Override
    public void forget() {
        show(List.of(), List.of());
        found(List.of());
    }

    private void show(List<Usage.OfRange> ranges, List<Family> families) {
        List<Band> bands = ranges.stream().flatMap(ClusterAddressMeters::bands).toList();
        ofBands.forEach(series -> series.show(bands));
        ofRanges.forEach(series -> series.show(ranges));
        ofFamilies.forEach(series -> series.show(families));
    }

    private static Tags tags(Usage.OfRange range) {
        return Tags.of("servicecidr", range.serviceCidr(), "cidr", range.range().toString());
    }

    private static Stream<Band> bands(Usage.OfRange range) {
        return Stream.of(
                new Band(tags(range).and("band", "static"), range.staticBand()),
                new Band(tags(range).and("band", "dynamic"), range.dynamicBand()));
    }

    /** Zero of a band that is full; absent: there is no band. */
    private static Optional<BigInteger> largestFreeStaticBlock(Usage.OfRange range) {
        return range.staticBand().size().signum() == 0
                ? Optional.empty()
                : Optional.of(
                        range.largestFreeStaticBlock() == null
                                ? BigInteger.ZERO
                                : range.largestFreeStaticBlock().size());
    }

    private static Optional<Long> fullFrom(Family family) {
        return Optional.ofNullable(family.trend().fullOn())
                .map(day -> day.atStartOfDay(ZoneOffset.UTC).toEpochSecond());
    }

    @Override
    public void found(List<Finding> found) {
        Map<Finding.Fault, Integer> byFault = new EnumMap<>(Finding.Fault.class);
        found.forEach(finding -> byFault.merge(finding.fault(), 1, Integer::sum));
        findings.show(byFault.entrySet());
    }
}
