package dev.berth.app;

import dev.berth.cli.Preflight;
import dev.berth.cli.Version;
import dev.berth.controller.service.Providers;
import dev.berth.dataplane.pool.PoolProvider;
import dev.berth.plugin.RemoteProvider;
import dev.berth.plugin.UnusablePlugin;
import dev.berth.plugin.grpc.host.ProviderServer;
import dev.berth.plugin.grpc.transport.Endpoint;
import dev.berth.plugin.grpc.transport.Tls;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.telemetry.MeteredProvider;
import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code berth provider-host}: serves a provider over gRPC, in a separate process. */
@Command(
        name = "provider-host",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Serves a provider over gRPC until it is stopped. A Berth calls it by a file"
                + " NAME.grpc.properties in its own --plugin-dir.")
final class ProviderHostCommand implements Callable<Integer> {
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(30);

    @Option(
            names = "--plugin-dir",
            paramLabel = "DIR",
            description = "folder of the provider's jars and settings; not for " + PoolProvider.NAME)
    @Nullable Path pluginDirectory;

    @Option(names = "--provider", required = true, paramLabel = "NAME", description = "which provider")
    String provider = "";

    @Option(
            names = "--listen",
            required = true,
            paramLabel = "unix:///PATH|HOST:PORT",
            description = "where; a port needs --ca, --certificate and --key")
    String listen = "";

    @Option(
            names = "--metrics",
            paramLabel = "HOST:PORT",
            description = "where /metrics is served, to anybody who can reach it; by default not at all")
    @Nullable String metrics;

    @ArgGroup(exclusive = false)
    @Nullable TlsOptions tls;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** All three, or none. */
    static final class TlsOptions {
        @Option(names = "--ca", required = true, paramLabel = "FILE", description = "who signs Berth's certificate")
        Path authority = Path.of("");

        @Option(names = "--certificate", required = true, paramLabel = "FILE", description = "of this host")
        Path certificate = Path.of("");

        @Option(names = "--key", required = true, paramLabel = "FILE", description = "of the certificate, in PKCS #8")
        Path key = Path.of("");
    }

    @Override
    public Integer call() throws InterruptedException {
        System.setProperty("io.netty.noUnsafe", "true");
        ConsoleLog.start();
        try {
            Endpoint endpoint = Endpoint.parse(listen);
            LoadBalancerProvider served = named(provider);
            Tls credentials = tls == null
                    ? null
                    : Tls.ofServer(new Tls.Files(tls.authority, tls.certificate, tls.key), LOOK_AGAIN);
            PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            ProviderMetrics.show(served, registry);
            MetricsServer scraped = metrics == null
                    ? null
                    : MetricsServer.start("--metrics", metrics, registry.getPrometheusRegistry());
            ProviderServer server = ProviderServer.start(
                    provider, new MeteredProvider(provider, served, registry), endpoint, credentials);
            Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> {
                server.close();
                new Providers(new LinkedHashMap<>(Map.of(provider, served))).close();
            }));
            System.out.println("serving provider \"" + provider + "\" at " + listen);
            if (scraped != null) {
                System.out.println("serving metrics on port " + scraped.port());
            }
            server.awaitEnd();
            return 0;
        } catch (UnusablePlugin | IllegalArgumentException unusable) {
            return refuse(String.valueOf(unusable.getMessage()));
        } catch (IOException failure) {
            return refuse("serving at " + listen + (metrics == null ? "" : " and " + metrics) + ": "
                    + Preflight.innermost(failure));
        }
    }

    private int refuse(String why) {
        spec.commandLine().getErr().println("berth: " + why);
        return 1;
    }

    private LoadBalancerProvider named(String name) throws UnusablePlugin {
        if (name.equals(PoolProvider.NAME)) {
            if (pluginDirectory != null) {
                throw new IllegalArgumentException("provider \"" + name + "\" is built in; leave --plugin-dir out");
            }
            return new PoolProvider();
        }
        SequencedMap<String, LoadBalancerProvider> loaded =
                pluginDirectory == null ? new LinkedHashMap<>() : Plugins.load(pluginDirectory, Wiring.OWN_PROVIDERS);
        loaded.values().stream().filter(RemoteProvider.class::isInstance).forEach(LoadBalancerProvider::close);
        return Optional.ofNullable(loaded.get(name))
                .filter(found -> !(found instanceof RemoteProvider))
                .orElseThrow(() -> new IllegalArgumentException("there is no provider \"" + name
                        + "\" to serve; --plugin-dir has " + loaded.keySet() + ", and " + PoolProvider.NAME
                        + " is built in"));
    }
}
