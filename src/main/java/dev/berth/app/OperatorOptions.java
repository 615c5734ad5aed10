package dev.berth.app;

import dev.berth.api.v1alpha1.Berth;
import dev.berth.controller.servicecidr.ServiceCidrControl;
import dev.berth.duration.DurationText;
import dev.berth.migration.MigrationSources;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The flags of the operator. */
final class OperatorOptions {
    /** What many clusters are called, as it is the default of Kubernetes' own controllers. */
    static final String ANY_CLUSTER = "kubernetes";

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "kubeconfig to connect with; without it: $KUBECONFIG, else ~/.kube/config, else the Pod's"
                    + " ServiceAccount")
    @Nullable String kubeconfig;

    @Option(
            names = "--feature-gates",
            paramLabel = "NAME=BOOL,...",
            converter = FeatureGatesConverter.class,
            description = "LoadBalancerIPMode=true|false (default true): whether to write ipMode")
    FeatureGates featureGates = FeatureGates.defaults();

    @Option(
            names = "--leader-elect",
            arity = "0..1",
            fallbackValue = "true",
            defaultValue = "false",
            paramLabel = "BOOL",
            description = "work only while holding the lease, so that several replicas can run")
    boolean leaderElect;

    @Option(
            names = "--leader-elect-namespace",
            defaultValue = "${env:POD_NAMESPACE:-berth-system}",
            paramLabel = "NAME",
            description = "Berth's own namespace: of the lease, and of Secrets that classes name (default:"
                    + " ${DEFAULT-VALUE})")
    String leaderElectNamespace = "berth-system";

    @Option(
            names = "--leader-elect-lease-name",
            defaultValue = "berth",
            paramLabel = "NAME",
            description = "name of the lease (default: ${DEFAULT-VALUE})")
    String leaderElectLeaseName = "berth";

    @Option(
            names = "--agents-namespace",
            defaultValue = "berth-agents",
            paramLabel = "NAME",
            description = "where the agents of the nodes are, and their Leases (default: ${DEFAULT-VALUE})")
    String agentsNamespace = "berth-agents";

    @Option(
            names = "--controller-name",
            defaultValue = Berth.CONTROLLER_NAME,
            paramLabel = "NAME",
            description = "serve the LoadBalancerClasses with this spec.controllerName (default: ${DEFAULT-VALUE})")
    String controllerName = Berth.CONTROLLER_NAME;

    @Option(
            names = "--cluster-name",
            paramLabel = "NAME",
            description = "identifies this cluster to providers (default: the UID of the Namespace kube-system)")
    @Nullable String clusterName;

    @Option(
            names = "--resync-period",
            defaultValue = "30m",
            paramLabel = "DURATION",
            converter = PeriodConverter.class,
            description = "how often what providers have is compared with what they should, such as 90s or 1h30m"
                    + " (default: ${DEFAULT-VALUE})")
    Duration resyncPeriod = Duration.ofMinutes(30);

    @Option(
            names = "--delete-orphaned-load-balancers",
            description = "delete load balancers that providers have for Services that no longer exist; without it"
                    + " they are only reported")
    boolean deleteOrphaned;

    @Option(
            names = "--migrate-from",
            paramLabel = "NAME,...",
            converter = MigrationSourcesConverter.class,
            description = "metallb,cilium,kube-vip,purelb: take over, with their addresses, the Services that"
                    + " these served, and understand their annotations (default: none)")
    MigrationSources migrateFrom = MigrationSources.NONE;

    @Option(
            names = "--plugin-dir",
            paramLabel = "DIR",
            description = "folder of further providers: jars, and NAME.grpc.properties (default: none)")
    @Nullable Path pluginDirectory;

    @Option(
            names = "--service-cidr-controller",
            defaultValue = "Never",
            paramLabel = "MODE",
            description = "whether to be the ServiceCIDR controller of the cluster: Never, Auto (do what nobody did"
                    + " for --service-cidr-takeover-delay) or Always (default: ${DEFAULT-VALUE})")
    ServiceCidrControl.Mode serviceCidrController = ServiceCidrControl.Mode.Never;

    @Option(
            names = "--service-cidr-takeover-delay",
            defaultValue = "1m",
            paramLabel = "DURATION",
            converter = PeriodConverter.class,
            description = "with --service-cidr-controller=Auto: how long another controller has time to do its"
                    + " work, such as 90s or 1h30m (default: ${DEFAULT-VALUE})")
    Duration serviceCidrTakeoverDelay = Duration.ofMinutes(1);

    @Option(
            names = "--http-host",
            defaultValue = "127.0.0.1",
            paramLabel = "ADDRESS",
            description = "where health and metrics are served (default: ${DEFAULT-VALUE})")
    String httpHost = "127.0.0.1";

    @Option(
            names = "--http-port",
            defaultValue = "8080",
            paramLabel = "PORT",
            description = "0: any free one (default: ${DEFAULT-VALUE})")
    int httpPort;

    @Option(
            names = "--log-level",
            defaultValue = "INFO",
            paramLabel = "LEVEL",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    LogLevel logLevel = LogLevel.INFO;

    @Option(
            names = "--log-format",
            defaultValue = "text",
            paramLabel = "FORMAT",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    LogFormat logFormat = LogFormat.text;

    enum LogLevel {
        ERROR,
        WARN,
        INFO,
        DEBUG
    }

    enum LogFormat {
        text,
        json
    }

    /** Takes no period so short that Berth would be busy with nothing else. */
    static final class PeriodConverter implements ITypeConverter<Duration> {
        private static final Duration SHORTEST = Duration.ofSeconds(1);

        @Override
        public Duration convert(String text) {
            return DurationText.parse(text)
                    .filter(period -> period.compareTo(SHORTEST) >= 0)
                    .orElseThrow(() -> new TypeConversionException("'" + text + "' is not a duration of at least "
                            + DurationText.of(SHORTEST) + "; write it as 90s, 30m or 1h30m"));
        }
    }

    /** Lets picocli show our own message. */
    static final class MigrationSourcesConverter implements ITypeConverter<MigrationSources> {
        @Override
        public MigrationSources convert(String text) {
            try {
                return MigrationSources.parse(text);
            } catch (IllegalArgumentException unknown) {
                throw new TypeConversionException(unknown.getMessage());
            }
        }
    }

    /** Lets picocli show our own message. */
    static final class FeatureGatesConverter implements ITypeConverter<FeatureGates> {
        @Override
        public FeatureGates convert(String text) {
            try {
                return FeatureGates.parse(text);
            } catch (IllegalArgumentException unknown) {
                throw new TypeConversionException(unknown.getMessage());
            }
        }
    }
}
