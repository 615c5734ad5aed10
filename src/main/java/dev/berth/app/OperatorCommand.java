package dev.berth.app;

import dev.berth.cli.Preflight;
import dev.berth.cli.Version;
import dev.berth.plugin.UnusablePlugin;
import dev.berth.provider.LoadBalancerProvider;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code berth operator}: reconciles until it is stopped. */
@Command(
        name = "operator",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Reconciles LoadBalancer Services until it is stopped.")
final class OperatorCommand implements Callable<Integer> {
    @Mixin
    private OperatorOptions options = new OperatorOptions();

    @Override
    public Integer call() {
        configure(options);
        if (options.deleteOrphaned && OperatorOptions.ANY_CLUSTER.equals(options.clusterName)) {
            System.err.println(
                    "berth: --delete-orphaned-load-balancers needs a --cluster-name of this cluster's own, or none:"
                            + " another cluster of the name \"" + options.clusterName
                            + "\" would lose its load balancers");
            return 2;
        }
        Optional<String> unfit = MemoryLimit.ofThisProcess().tooSmall().or(() -> OperatorPreflight.check(options));
        if (unfit.isPresent()) {
            System.err.println("berth: " + unfit.get());
            return 1;
        }
        Launch launch;
        try {
            launch = new Launch(options, plugins());
        } catch (UnusablePlugin unusable) {
            System.err.println("berth: " + unusable.getMessage());
            return 1;
        }
        AtomicInteger exitCode = new AtomicInteger();
        OperatorApplication.run(launch, (code, failure) -> {
            if (failure != null) {
                System.err.println("berth: the operator could not start: " + Preflight.innermost(failure));
            }
            exitCode.set(code);
        });
        return exitCode.get();
    }

    private SequencedMap<String, LoadBalancerProvider> plugins() throws UnusablePlugin {
        return options.pluginDirectory == null
                ? new LinkedHashMap<>()
                : Plugins.load(options.pluginDirectory, Wiring.OWN_PROVIDERS);
    }

    /** Quarkus and the client take their settings from system properties. */
    static void configure(OperatorOptions options) {
        // Netty's own switch: without it a JDK 25 warns of sun.misc.Unsafe at every start.
        System.setProperty("io.netty.noUnsafe", "true");
        if (options.kubeconfig != null) {
            System.setProperty("kubeconfig", options.kubeconfig);
        }
        System.setProperty("quarkus.http.host", options.httpHost);
        System.setProperty("quarkus.http.port", Integer.toString(options.httpPort));
        System.setProperty("quarkus.log.level", options.logLevel.name());
        System.setProperty(
                "quarkus.log.console.json.enabled",
                Boolean.toString(options.logFormat == OperatorOptions.LogFormat.json));
    }
}
