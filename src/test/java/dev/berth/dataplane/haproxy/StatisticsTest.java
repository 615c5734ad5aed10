package dev.berth.dataplane.haproxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.dataplane.haproxy.LoadBalancer.ListenPort;
import dev.berth.dataplane.haproxy.LoadBalancer.Target;
import dev.berth.dataplane.haproxy.Statistics.Counters;
import dev.berth.dataplane.haproxy.Statistics.OfPort;
import dev.berth.provider.ProviderException;
import dev.berth.testing.Monitoring;
import dev.berth.testing.Scrape;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.exporter.common.TextFormat;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What HAProxy counts, over its workers, and as Prometheus reads it. */
class StatisticsTest {
    private static final Target NODE = new Target("10.77.0.11", 30080, 10256, "/healthz");
    private static final Target SECOND = new Target("2001:db8::1", 30080, 10256, "/healthz");
    private static final LoadBalancer WEB = loadBalancer("a1", "web", NODE, SECOND);

    private final Statistics statistics = new Statistics();

    private static LoadBalancer loadBalancer(String name, String service, Target... targets) {
        return new LoadBalancer(
                name,
                "cluster",
                "shop",
                service,
                "uid-" + name,
                List.of("192.0.2.1"),
                List.of(new ListenPort(80, List.of(targets))),
                List.of(),
                null,
                true,
                ClassParameters.of(Map.of()),
                null);
    }

    /** As HAProxy 2.6 answers, with fewer columns. */
    private static String worker(int open, int sessions, int errors) {
        return """
                # pxname,svname,scur,stot,bin,bout,econ,status,last_chk,dcon,
                a1-80,FRONTEND,%d,%d,10,20,,OPEN,,3,
                a1-80,BACKEND,%d,%d,10,20,%d,UP,,,
                a1-80-any,BACKEND,0,1,1,2,1,UP,"a ""quoted"", word",,
                """.formatted(open, sessions, open, sessions, errors);
    }

    private static final String SERVERS = """
            # pxname,svname,scur,stot,bin,bout,econ,status,
            a1-80,10.77.0.11_30080,0,0,0,0,0,UP,
            a1-80,2001-db8--1_30080,0,0,0,0,0,DOWN,
            a1-80-any,10.77.0.11_30080,0,0,0,0,0,no check,
            """;

    private OfPort web(Map<Long, String> workers) {
        return statistics.of(List.of(WEB), workers, SERVERS).getFirst();
    }

    @Test
    void aPort_hasWhatItsFrontendAndBothBackendsCount() {
        OfPort port = web(Map.of(7L, worker(2, 5, 4)));

        assertThat(port.openSessions()).isEqualTo(2);
        assertThat(port.counters()).isEqualTo(new Counters(5, 10, 20, 3, 5));
        assertThat(port.targets()).isEqualTo(Map.of("10.77.0.11:30080", true, "[2001:db8::1]:30080", false));
    }

    @Test
    void aReload_losesNothing_alsoOfWorkersThatGoOnOrEnd() {
        web(Map.of(7L, worker(1, 5, 0)));

        OfPort reloaded = web(Map.of(7L, worker(1, 6, 0), 8L, worker(2, 2, 0)));
        assertThat(reloaded.openSessions()).isEqualTo(3);
        assertThat(reloaded.counters().sessions()).isEqualTo(8);

        OfPort silent = web(Map.of(7L, "", 8L, worker(2, 2, 0)));
        assertThat(silent.counters().sessions()).isEqualTo(8);

        OfPort ended = web(Map.of(8L, worker(2, 3, 0)));
        assertThat(ended.openSessions()).isEqualTo(2);
        assertThat(ended.counters().sessions()).isEqualTo(9);
        assertThat(ended.counters().bytesOut()).isEqualTo(40);
    }

    @Test
    void aServiceThatComesBack_countsFromZero() {
        web(Map.of(7L, worker(1, 5, 0)));
        statistics.of(List.of(), Map.of(8L, ""), "");

        assertThat(web(Map.of(8L, "")).counters()).isEqualTo(Counters.ZERO);
    }

    @Test
    void whatIsNoTable_countsNothing() {
        assertThat(StatisticsTable.of("Unknown command")).isEmpty();
        assertThat(StatisticsTable.of("")).isEmpty();
        assertThat(StatisticsTable.of(worker(1, 1, 0)).getLast().text("last_chk"))
                .isEqualTo("a \"quoted\", word");
        assertThat(StatisticsTable.of(worker(1, 1, 0)).getLast().number("status"))
                .isZero();
    }

    private static String scraped(Collector collector) {
        try {
            CollectorRegistry registry = new CollectorRegistry();
            registry.register(collector);
            StringWriter text = new StringWriter();
            TextFormat.write004(text, registry.metricFamilySamples());
            return text.toString();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    @Test
    void metrics_areByServiceAndPort() {
        String text =
                scraped(new HaproxyMetrics(() -> statistics.of(List.of(WEB), Map.of(7L, worker(2, 5, 4)), SERVERS)));

        String labels = "{cluster_name=\"cluster\",namespace=\"shop\",service=\"web\",port=\"80\",";
        assertThat(text.lines())
                .contains(
                        "berth_haproxy_up 1.0",
                        "berth_haproxy_current_sessions" + labels + "} 2.0",
                        "berth_haproxy_sessions_total" + labels + "} 5.0",
                        "berth_haproxy_bytes_in_total" + labels + "} 10.0",
                        "berth_haproxy_bytes_out_total" + labels + "} 20.0",
                        "berth_haproxy_connections_denied_total" + labels + "} 3.0",
                        "berth_haproxy_connection_errors_total" + labels + "} 5.0",
                        "berth_haproxy_targets" + labels + "} 2.0",
                        "berth_haproxy_targets_healthy" + labels + "} 1.0",
                        "berth_haproxy_target_up" + labels + "target=\"10.77.0.11:30080\",} 1.0",
                        "berth_haproxy_target_up" + labels + "target=\"[2001:db8::1]:30080\",} 0.0");
    }

    @Test
    void whatAlertsAndDashboardAskOf_isThere() {
        Scrape scrape = new Scrape(scraped(new HaproxyMetrics(
                () -> statistics.of(List.of(WEB), Map.of(7L, worker(2, 5, 4)), SERVERS))));

        assertThat(Monitoring.queries(Monitoring.Source.HAPROXY))
                .isNotEmpty()
                .allSatisfy(query -> assertThat(scrape.missing(query)).isEmpty());
    }

    @Test
    void manyTargets_areCounted_andNotNamed() {
        Target[] nodes = IntStream.range(0, 101)
                .mapToObj(i -> new Target("10.77.0." + i, 30080, 10256, "/healthz"))
                .toArray(Target[]::new);

        String text = scraped(
                new HaproxyMetrics(() -> statistics.of(List.of(loadBalancer("a1", "web", nodes)), Map.of(), SERVERS)));

        assertThat(text).contains("berth_haproxy_targets{").contains("} 101.0").doesNotContain("target=");
    }

    /** The former one may not be deleted yet. */
    @Test
    void twoServicesOfOneName_areOneSeries() {
        String text = scraped(new HaproxyMetrics(() ->
                statistics.of(List.of(WEB, loadBalancer("a2", "web", NODE)), Map.of(7L, worker(2, 5, 4)), SERVERS)));

        assertThat(text.lines().filter(line -> line.startsWith("berth_haproxy_targets{")))
                .hasSize(1);
    }

    @Test
    void haproxyThatDoesNotAnswer_isDown_andNothingElseIsSaid() {
        String text = scraped(new HaproxyMetrics(() -> {
            throw new ProviderException("HAProxy does not run");
        }));

        assertThat(text.lines().filter(line -> !line.startsWith("#"))).containsExactly("berth_haproxy_up 0.0");
    }
}
