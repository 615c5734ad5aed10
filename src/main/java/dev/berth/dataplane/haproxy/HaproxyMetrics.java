package dev.berth.dataplane.haproxy;

import dev.berth.dataplane.haproxy.Statistics.Counters;
import dev.berth.dataplane.haproxy.Statistics.OfPort;
import dev.berth.provider.ProviderException;
import io.prometheus.client.Collector;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * HAProxy's statistics by Service and port, for Prometheus. HAProxy is asked at each scrape, so that nothing is left of
 * Services that are gone.
 */
final class HaproxyMetrics extends Collector {
    /** With more targets than this, a port shows how many pass, and not which: there may be a thousand nodes. */
    private static final int MOST_TARGETS = 100;

    private static final List<String> LABELS = List.of("cluster_name", "namespace", "service", "port");
    private static final List<String> TARGET_LABELS =
            Stream.concat(LABELS.stream(), Stream.of("target")).toList();

    private final Supplier<List<OfPort>> statistics;

    /** @param statistics throws {@link ProviderException} while HAProxy does not answer */
    HaproxyMetrics(Supplier<List<OfPort>> statistics) {
        this.statistics = statistics;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        List<MetricFamilySamples> families = new ArrayList<>();
        try {
            families.addAll(of(statistics.get()));
            families.add(new GaugeMetricFamily("berth_haproxy_up", "1 while HAProxy runs and answers", 1));
        } catch (ProviderException noAnswer) {
            families.add(new GaugeMetricFamily("berth_haproxy_up", "1 while HAProxy runs and answers", 0));
        }
        return families;
    }

    private static List<MetricFamilySamples> of(List<OfPort> all) {
        SequencedMap<List<String>, OfPort> ports = byLabels(all);
        GaugeMetricFamily up = new GaugeMetricFamily(
                "berth_haproxy_target_up", "1 while a target passes its health check", TARGET_LABELS);
        ports.forEach((labels, port) -> {
            if (port.targets().size() <= MOST_TARGETS) {
                port.targets()
                        .forEach((target, passes) -> up.addMetric(
                                Stream.concat(labels.stream(), Stream.of(target))
                                        .toList(),
                                passes ? 1 : 0));
            }
        });
        return List.of(
                gauge(ports, "berth_haproxy_current_sessions", "connections that are open", OfPort::openSessions),
                counter(ports, "berth_haproxy_sessions", "connections", Counters::sessions),
                counter(ports, "berth_haproxy_bytes_in", "bytes from clients", Counters::bytesIn),
                counter(ports, "berth_haproxy_bytes_out", "bytes to clients", Counters::bytesOut),
                counter(
                        ports,
                        "berth_haproxy_connections_denied",
                        "connections from outside of loadBalancerSourceRanges",
                        Counters::denied),
                counter(
                        ports,
                        "berth_haproxy_connection_errors",
                        "connections to targets that failed",
                        Counters::connectionErrors),
                gauge(
                        ports,
                        "berth_haproxy_targets",
                        "targets",
                        port -> port.targets().size()),
                gauge(
                        ports,
                        "berth_haproxy_targets_healthy",
                        "targets that pass the health check",
                        port -> port.targets().values().stream()
                                .filter(passes -> passes)
                                .count()),
                up);
    }

    /** A Service that was deleted, and one of the same name, may be there both for a moment: the last one counts. */
    private static SequencedMap<List<String>, OfPort> byLabels(List<OfPort> all) {
        SequencedMap<List<String>, OfPort> ports = new LinkedHashMap<>();
        for (OfPort port : all) {
            LoadBalancer of = port.loadBalancer();
            ports.put(List.of(of.clusterName(), of.namespace(), of.service(), Integer.toString(port.port())), port);
        }
        return ports;
    }

    private static MetricFamilySamples gauge(
            Map<List<String>, OfPort> ports, String name, String help, ToDoubleFunction<OfPort> value) {
        GaugeMetricFamily family = new GaugeMetricFamily(name, help, LABELS);
        ports.forEach((labels, port) -> family.addMetric(labels, value.applyAsDouble(port)));
        return family;
    }

    private static MetricFamilySamples counter(
            Map<List<String>, OfPort> ports, String name, String help, ToDoubleFunction<Counters> value) {
        CounterMetricFamily family = new CounterMetricFamily(name, help, LABELS);
        ports.forEach((labels, port) -> family.addMetric(labels, value.applyAsDouble(port.counters())));
        return family;
    }
}
