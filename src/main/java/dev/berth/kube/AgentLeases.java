package dev.berth.kube;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The Leases of the agents: which of them live. */
public final class AgentLeases {
    private static final Logger LOG = LoggerFactory.getLogger(AgentLeases.class);

    private final KubernetesClient client;
    private final ApiBudget budget;
    private final String namespace;

    /** @param namespace of the agents */
    public AgentLeases(KubernetesClient client, ApiBudget budget, String namespace) {
        this.client = client;
        this.budget = budget;
        this.namespace = namespace;
    }

    /** By the name of the Node, when each was renewed; absent: they cannot be read. */
    public Optional<Map<String, String>> renewals() {
        try {
            Map<String, String> renewals = new TreeMap<>();
            for (Lease lease : budget.call(
                            () -> client.leases().inNamespace(namespace).list())
                    .getItems()) {
                ZonedDateTime renewed =
                        lease.getSpec() == null ? null : lease.getSpec().getRenewTime();
                if (renewed != null) {
                    renewals.put(
                            lease.getMetadata().getName(), renewed.toInstant().toString());
                }
            }
            return Optional.of(renewals);
        } catch (KubernetesClientException unknown) {
            LOG.debug("Leases of namespace {}: {}", namespace, unknown.getMessage());
            return Optional.empty();
        }
    }
}
