package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.Monitoring;
import dev.berth.testing.Scrape;
import io.prometheus.client.Collector.MetricFamilySamples;
import io.prometheus.client.exporter.common.TextFormat;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Collections;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AgentMetricsTest {
    private final AgentMetrics metrics = new AgentMetrics();

    private Stream<String> names() {
        return Collections.list(metrics.registry().metricFamilySamples()).stream()
                .map((MetricFamilySamples family) -> family.name);
    }

    /** An alert on a speaker that is down would fire on each agent that has none. */
    @Test
    void withoutBgp_nothingOfItIsServed() {
        assertThat(names()).contains("berth_agent_addresses").noneMatch(name -> name.contains("bgp"));
    }

    @Test
    void whatAlertsAndDashboardAskOf_isThere() throws IOException {
        metrics.showBgp();
        metrics.speaker(true);
        metrics.convergence("bgp");
        StringWriter text = new StringWriter();
        TextFormat.write004(text, metrics.registry().metricFamilySamples());
        Scrape scrape = new Scrape(text.toString());

        assertThat(Monitoring.queries(Monitoring.Source.AGENT))
                .isNotEmpty()
                .allSatisfy(query -> assertThat(scrape.missing(query)).isEmpty());
    }

    @Test
    void withBgp_itsMetricsAreServed_fromTheStart() {
        metrics.showBgp();

        assertThat(names()).contains("berth_agent_bgp_peers", "berth_agent_bgp_sessions", "berth_agent_bgp_routes");
    }

    /** An agent that starts while the API server is away asks it nothing: an alert would say that it is down. */
    @Test
    void whetherTheSpeakerAnswers_isServed_onceItWasAsked() {
        metrics.showBgp();
        assertThat(names()).doesNotContain("berth_agent_bgp_speaker_up");

        metrics.speaker(false);
        metrics.speaker(false);
        assertThat(metrics.registry().getSampleValue("berth_agent_bgp_speaker_up"))
                .isZero();
        metrics.speaker(true);
        assertThat(metrics.registry().getSampleValue("berth_agent_bgp_speaker_up"))
                .isOne();
    }
}
