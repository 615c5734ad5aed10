package dev.berth.agent;

import java.util.random.RandomGenerator;

/**
 * What the parts of one agent have in common.
 *
 * @param node the name of the Node object
 * @param namespace where the agents' Leases are, and the Secrets with passwords
 */
record AgentParts(
        String node,
        String namespace,
        ApiServer server,
        ClusterView cluster,
        RandomGenerator random,
        AgentMetrics metrics,
        Warnings warnings) {}
