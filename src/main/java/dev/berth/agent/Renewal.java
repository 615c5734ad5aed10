package dev.berth.agent;

import dev.berth.kube.FieldManagers;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Renews the Lease of this agent, whichever thread writes next: what is written of it is of an agent that lives. */
final class Renewal {
    private final String node;
    private final String namespace;
    private final ApiServer server;
    private final ClusterView cluster;
    private final InstantSource clock;
    private final Warnings warnings;
    private final Heartbeat heartbeat;

    Renewal(AgentParts parts, InstantSource clock) {
        this.node = parts.node();
        this.namespace = parts.namespace();
        this.server = parts.server();
        this.cluster = parts.cluster();
        this.clock = clock;
        this.warnings = parts.warnings();
        this.heartbeat = new Heartbeat(parts.random(), millis());
    }

    private static long millis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    /** Renews it, if it is time. Of a Node that is gone there is none. */
    synchronized void renew() throws InterruptedException {
        Optional<String> uid = cluster.uid(node);
        if (uid.isEmpty() || !heartbeat.begins(millis())) {
            return;
        }
        try {
            server.apply(
                    Heartbeat.path(namespace, node),
                    FieldManagers.agent(node),
                    Heartbeat.applied(namespace, node, uid.get(), clock.instant()),
                    ApiServer.ANSWER);
        } catch (IOException failure) {
            warnings.warn("Lease of this agent: " + ApiServer.message(failure));
        }
    }
}
