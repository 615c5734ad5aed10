package dev.berth.telemetry;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;

/** What agents announce, as the operator knows it: also where the metrics of the agents themselves are not read. */
public final class AnnouncementMeters {
    static final List<String> SESSION_STATES = List.of("Established", "Connecting", "Unusable", "Unknown");

    private AnnouncementMeters() {}

    /** What is counted, each time that metrics are read. */
    public interface Counts {
        /** Addresses that nobody announces although their Services have endpoints. */
        long unannounced();

        /** Agents that have reported, and have stopped renewing their Leases. */
        long silentAgents();

        /** Addresses that more than one machine answers for: two nodes, or a node and a machine that is no node. */
        long conflicting();

        /** BGP sessions, one for each BGPPeer and node, in this {@code state} of their entry in the BGPPeer's status. */
        long sessions(String state);
    }

    /**
     * Shows {@code berth_addresses_unannounced}, {@code berth_addresses_conflicting}, {@code berth_agents_silent}, and {@code
     * berth_bgp_sessions} by state.
     */
    public static void show(Counts counts, MeterRegistry registry) {
        Gauge.builder("berth.addresses.unannounced", counts::unannounced)
                .description("addresses that nobody announces although their Services have endpoints")
                .register(registry);
        Gauge.builder("berth.addresses.conflicting", counts::conflicting)
                .description("addresses that more than one machine answers for")
                .register(registry);
        Gauge.builder("berth.agents.silent", counts::silentAgents)
                .description("agents that have stopped renewing their Leases")
                .register(registry);
        for (String state : SESSION_STATES) {
            Gauge.builder("berth.bgp.sessions", () -> counts.sessions(state))
                    .tag("state", state)
                    .description("BGP sessions of nodes that BGPPeers ask for")
                    .register(registry);
        }
    }
}
