package dev.berth.app;

import dev.berth.controller.Workers;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.javaoperatorsdk.operator.api.config.Cloner;
import io.javaoperatorsdk.operator.api.config.ConfigurationService;
import io.javaoperatorsdk.operator.api.config.ConfigurationServiceOverrider;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfigurationBuilder;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How the operator SDK runs: with this client and these metrics, and whether it elects a leader. */
final class SdkConfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(SdkConfiguration.class);

    /** The SDK copies each object for its reconciler, by way of JSON. Ours change none: they take its name. */
    private static final Cloner AS_IT_IS = new Cloner() {
        @Override
        public <T extends HasMetadata> T clone(T object) {
            return object;
        }
    };

    private final KubernetesClient client;
    private final Metrics metrics;
    private final OperatorOptions options;
    private final String identity;
    private final Leadership leadership;

    /**
     * On top of the SDK's own defaults.
     *
     * @param identity of this replica, in the election
     */
    SdkConfiguration(
            KubernetesClient client, Metrics metrics, OperatorOptions options, String identity, Leadership leadership) {
        this.client = client;
        this.metrics = metrics;
        this.options = options;
        this.identity = identity;
        this.leadership = leadership;
    }

    /** Of the operator itself. */
    ConfigurationService ofOperator() {
        return ConfigurationService.newOverriddenConfigurationService(this::configure);
    }

    /** The same, for what these workers reconcile. */
    ConfigurationService withWorkers(Workers workers) {
        return ConfigurationService.newOverriddenConfigurationService(
                overrider -> configure(overrider.withExecutorService(workers)));
    }

    private void configure(ConfigurationServiceOverrider overrider) {
        overrider
                .withKubernetesClient(client)
                .withMetrics(metrics)
                .checkingCRDAndValidateLocalModel(false)
                .withUseSSAToPatchPrimaryResource(false)
                .withResourceCloner(AS_IT_IS)
                // By default one that fails ends the process; the readiness probe reports it.
                .withInformerStoppedHandler((informer, failure) -> {})
                .withCloseClientOnStop(false);
        if (options.leaderElect) {
            overrider.withLeaderElectionConfiguration(LeaderElectionConfigurationBuilder.aLeaderElectionConfiguration(
                            options.leaderElectLeaseName)
                    .withLeaseNamespace(options.leaderElectNamespace)
                    .withIdentity(identity)
                    .withLeaderCallbacks(new LeaderCallbacks(leadership::begin, leadership::lost, this::sayWhoLeads))
                    .build());
        }
    }

    /** What is thrown here would end the election for this replica. */
    private void sayWhoLeads(@Nullable String leader) {
        if (leader == null || leader.isEmpty()) {
            LOG.info("the lease is released: no replica leads");
        } else {
            LOG.info("{} leads", leader.equals(identity) ? "this replica" : leader);
        }
    }
}
