package dev.berth.agent;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.prometheus.client.Histogram;
import java.util.List;

/** What an agent counts. */
public final class AgentMetrics {
    private final CollectorRegistry registry = new CollectorRegistry();
    final Gauge announced = gauge("berth_agent_addresses", "Addresses that this node announces.");
    final Gauge unannounced =
            gauge("berth_agent_unannounced_addresses", "Addresses that are to be announced, and no node can.");
    final Gauge agents = gauge("berth_agent_agents", "Agents that answer, this one among them.");
    final Gauge current = gauge("berth_agent_api_server_up", "1 while the API server answers.");
    final Gauge conflicting =
            gauge("berth_agent_conflicting_addresses", "Addresses that another machine has claimed lately.");
    final Gauge peers = bgpGauge("berth_agent_bgp_peers", "BGPPeers that this node is to have a session with.");
    final Gauge sessions = bgpGauge("berth_agent_bgp_sessions", "BGP sessions that are established.");
    final Gauge routes = bgpGauge("berth_agent_bgp_routes", "Addresses that this node announces by BGP.");
    private final Gauge speaker = bgpGauge("berth_agent_bgp_speaker_up", "1 while gobgpd answers.");
    final Counter taken = counter("berth_agent_taken_total", "Addresses that this node began to announce.");
    final Counter released = counter("berth_agent_released_total", "Addresses that this node ceased to announce.");
    final Counter conflicts =
            counter("berth_agent_conflicts_total", "Claims of another machine to an address that this node announces.");
    final Counter failures = counter("berth_agent_failures_total", "Calls of the kernel that failed.");
    final Counter refused =
            counter("berth_agent_refused_datagrams_total", "Datagrams that were not made by the agents' shared key.");
    final Counter neighbourMessages = Counter.build()
            .name("berth_agent_neighbour_messages_total")
            .help("Messages by which an address was announced to neighbours, or neighbours were asked for it.")
            .labelNames("protocol", "kind")
            .register(registry);
    private boolean isSpeakerShown;
    private final Histogram convergence = Histogram.build()
            .name("berth_agent_convergence_seconds")
            .help("From when a change was read until this node announced what follows from it.")
            .labelNames("protocol")
            .buckets(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
            .register(registry);

    /** Not yet served: where there is no speaker, none is down. */
    private static Gauge bgpGauge(String name, String help) {
        return Gauge.build().name(name).help(help).create();
    }

    /** This agent announces by BGP. */
    void showBgp() {
        List.of(peers, sessions, routes).forEach(registry::register);
    }

    /** Whether the speaker answers: served from the first time on, because before it was not asked. One thread. */
    void speaker(boolean answers) {
        speaker.set(answers ? 1 : 0);
        if (!isSpeakerShown) {
            isSpeakerShown = true;
            registry.register(speaker);
        }
    }

    /** @param protocol l2 or bgp; served from now on, whether anything has changed or not */
    Convergence convergence(String protocol) {
        return new Convergence(System::nanoTime, convergence.labels(protocol)::observe);
    }

    private Gauge gauge(String name, String help) {
        return Gauge.build().name(name).help(help).register(registry);
    }

    private Counter counter(String name, String help) {
        return Counter.build().name(name).help(help).register(registry);
    }

    /** To be served. */
    public CollectorRegistry registry() {
        return registry;
    }
}
