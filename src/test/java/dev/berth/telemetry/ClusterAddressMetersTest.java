package dev.berth.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.ip.Ip;
import dev.berth.servicecidr.ClusterIp;
import dev.berth.servicecidr.ClusterIps;
import dev.berth.servicecidr.Finding;
import dev.berth.servicecidr.Forecast;
import dev.berth.servicecidr.SampleCidrs;
import dev.berth.servicecidr.ServiceCidr;
import dev.berth.servicecidr.Usage;
import dev.berth.servicecidr.UsageSample;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClusterAddressMetersTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ClusterAddressMeters meters = new ClusterAddressMeters(registry);
    private final ClusterIps ips = new ClusterIps();
    private List<UsageSample> history = List.of();

    /** The addresses from {@code first} to {@code last} of 10.0.0.0/24. */
    private void take(int first, int last) {
        IntStream.rangeClosed(first, last)
                .forEach(low ->
                        ips.put(new ClusterIp(Ip.parse("10.0.0." + low), "uid", ClusterIp.ALLOCATOR, null, null, NOW)));
    }

    private void count(ServiceCidr... cidrs) {
        Usage usage = Usage.of(List.of(cidrs), ips);
        meters.used(usage, Forecast.of(history, usage, NOW));
    }

    /** The value of each gauge of that name, by the values of its labels. */
    private Map<List<String>, Double> gauges(String name) {
        return registry.find(name).gauges().stream()
                .collect(Collectors.toMap(
                        gauge -> gauge.getId().getTags().stream()
                                .map(tag -> tag.getKey() + "=" + tag.getValue())
                                .toList(),
                        Gauge::value));
    }

    private static List<String> band(String cidr, String band) {
        return List.of("band=" + band, "cidr=" + cidr, "servicecidr=kubernetes");
    }

    private static List<String> family(String family) {
        return List.of("family=" + family);
    }

    @Test
    void eachBandOfEachRange_hasItsSize_andWhatIsInUse() {
        take(1, 20);

        count(SampleCidrs.ready("kubernetes", "10.0.0.0/24", "fd00::/64"));

        assertThat(gauges("berth.servicecidr.size"))
                .containsOnly(
                        Map.entry(band("10.0.0.0/24", "static"), 16.0),
                        Map.entry(band("10.0.0.0/24", "dynamic"), 238.0),
                        Map.entry(band("fd00::/64", "static"), 256.0),
                        Map.entry(band("fd00::/64", "dynamic"), Math.pow(2, 64)));
        assertThat(gauges("berth.servicecidr.allocated"))
                .containsOnly(
                        Map.entry(band("10.0.0.0/24", "static"), 16.0),
                        Map.entry(band("10.0.0.0/24", "dynamic"), 4.0),
                        Map.entry(band("fd00::/64", "static"), 0.0),
                        Map.entry(band("fd00::/64", "dynamic"), 0.0));
    }

    @Test
    void largestFreeStaticBlock_isThere_whereThereIsAStaticBand_andZeroWhereItIsFull() {
        take(1, 9);
        count(SampleCidrs.ready("kubernetes", "10.0.0.0/24"), SampleCidrs.ready("small", "10.9.0.0/28"));
        List<String> range = List.of("cidr=10.0.0.0/24", "servicecidr=kubernetes");
        assertThat(gauges("berth.servicecidr.largest.free.static.block")).containsOnly(Map.entry(range, 7.0));

        take(10, 16);
        count(SampleCidrs.ready("kubernetes", "10.0.0.0/24"), SampleCidrs.ready("small", "10.9.0.0/28"));
        assertThat(gauges("berth.servicecidr.largest.free.static.block")).containsOnly(Map.entry(range, 0.0));
    }

    @Test
    void aFamily_countsWhatTwoRangesHaveOnce() {
        take(1, 6);

        count(SampleCidrs.ready("kubernetes", "10.0.0.0/28"), SampleCidrs.ready("more", "10.0.0.0/24"));

        assertThat(gauges("berth.clusterip.size")).containsOnly(Map.entry(family("IPv4"), 254.0));
        assertThat(gauges("berth.clusterip.allocated")).containsOnly(Map.entry(family("IPv4"), 6.0));
        assertThat(gauges("berth.clusterip.free")).containsOnly(Map.entry(family("IPv4"), 248.0));
    }

    @Test
    void aFamilyThatWasFull_isNoMore_onceItHasAnotherRange() {
        take(1, 14);
        count(SampleCidrs.ready("kubernetes", "10.0.0.0/28"));
        assertThat(gauges("berth.clusterip.free")).containsEntry(family("IPv4"), 0.0);

        count(SampleCidrs.ready("kubernetes", "10.0.0.0/28"), SampleCidrs.ready("more", "10.9.0.0/28"));

        assertThat(gauges("berth.clusterip.allocated")).containsEntry(family("IPv4"), 14.0);
        assertThat(gauges("berth.clusterip.size")).containsEntry(family("IPv4"), 28.0);
        assertThat(gauges("berth.clusterip.full.timestamp.seconds")).isEmpty();
    }

    @Test
    void theForecastOfAFamily_isThereOnceItIsKnown() {
        take(1, 4);
        count(SampleCidrs.ready("kubernetes", "10.0.0.0/28"));
        assertThat(gauges("berth.clusterip.growth.per.day")).isEmpty();
        assertThat(gauges("berth.clusterip.full.timestamp.seconds")).isEmpty();

        history = List.of(
                new UsageSample(NOW.minus(Duration.ofDays(2)), Map.of("10.0.0.0/28", 0L), Map.of("10.0.0.0/28", 2L)));
        count(SampleCidrs.ready("kubernetes", "10.0.0.0/28"));

        assertThat(gauges("berth.clusterip.growth.per.day")).containsOnly(Map.entry(family("IPv4"), 1.0));
        assertThat(gauges("berth.clusterip.full.timestamp.seconds")).containsOnly(Map.entry(family("IPv4"), (double)
                Instant.parse("2026-01-11T00:00:00Z").getEpochSecond()));
    }

    @Test
    void aRangeThatIsGone_isCountedNoMore_andAFamilyWithoutARangeNeither() {
        count(SampleCidrs.ready("kubernetes", "10.0.0.0/24"), SampleCidrs.ready("more", "fd00::/64"));
        count(SampleCidrs.ready("kubernetes", "10.0.0.0/24"));

        assertThat(gauges("berth.servicecidr.size"))
                .containsOnlyKeys(band("10.0.0.0/24", "static"), band("10.0.0.0/24", "dynamic"));
        assertThat(gauges("berth.clusterip.size")).containsOnlyKeys(family("IPv4"));
    }

    private static Finding finding(Finding.Fault fault, String name) {
        return new Finding(fault, "ServiceCIDR", name, "wrong");
    }

    @Test
    void findings_areCountedByReason_untilTheyAreGone() {
        meters.found(List.of(
                finding(Finding.Fault.FAMILY_FULL, "a"),
                finding(Finding.Fault.BANDS_CONFLICT, "b"),
                finding(Finding.Fault.BANDS_CONFLICT, "c")));
        assertThat(gauges("berth.clusterip.findings"))
                .containsOnly(
                        Map.entry(List.of("reason=FamilyFull", "severity=Error"), 1.0),
                        Map.entry(List.of("reason=BandsConflict", "severity=Warning"), 2.0));

        meters.found(List.of(finding(Finding.Fault.BANDS_CONFLICT, "c")));
        assertThat(gauges("berth.clusterip.findings"))
                .containsOnly(Map.entry(List.of("reason=BandsConflict", "severity=Warning"), 1.0));
    }

    @Test
    void withoutAPolicy_thereIsNothing() {
        count(SampleCidrs.ready("kubernetes", "10.0.0.0/24", "fd00::/64"));
        meters.found(List.of(finding(Finding.Fault.BANDS_CONFLICT, "b")));

        meters.forget();

        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void forPrometheus_theNamesAreThoseOfTheDocumentation() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        ClusterAddressMeters scraped = new ClusterAddressMeters(prometheus);
        take(1, 14);
        Usage usage = Usage.of(List.of(SampleCidrs.ready("kubernetes", "10.0.0.0/28", "fd00::/64")), ips);
        history = List.of(UsageSample.of(usage, NOW.minus(Duration.ofDays(1))));
        scraped.used(usage, Forecast.of(history, usage, NOW));
        scraped.found(List.of(finding(Finding.Fault.FAMILY_FULL, "kubernetes")));

        assertThat(prometheus.scrape().lines().filter(line -> !line.startsWith("#")))
                .contains(
                        "berth_servicecidr_size{band=\"dynamic\",cidr=\"10.0.0.0/28\",servicecidr=\"kubernetes\",} 14.0",
                        "berth_servicecidr_allocated{band=\"dynamic\",cidr=\"10.0.0.0/28\",servicecidr=\"kubernetes\",} 14.0",
                        "berth_servicecidr_largest_free_static_block{cidr=\"fd00::/64\",servicecidr=\"kubernetes\",} 256.0",
                        "berth_clusterip_size{family=\"IPv4\",} 14.0",
                        "berth_clusterip_allocated{family=\"IPv4\",} 14.0",
                        "berth_clusterip_free{family=\"IPv4\",} 0.0",
                        "berth_clusterip_growth_per_day{family=\"IPv4\",} 0.0",
                        "berth_clusterip_full_timestamp_seconds{family=\"IPv4\",} 1.7672256E9",
                        "berth_clusterip_findings{reason=\"FamilyFull\",severity=\"Error\",} 1.0");
    }
}
