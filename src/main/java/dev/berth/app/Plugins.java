package dev.berth.app;

import dev.berth.dataplane.haproxy.HaproxyFactory;
import dev.berth.loadbalancer.OneLine;
import dev.berth.plugin.MultiHostProvider;
import dev.berth.plugin.UnusablePlugin;
import dev.berth.plugin.grpc.GrpcProvider;
import dev.berth.plugin.grpc.GrpcSettings;
import dev.berth.plugin.grpc.wire.Contract;
import dev.berth.plugin.jar.JarPlugin;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.ProviderFactory;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The providers of a plug-in folder. Each {@code *.jar} in it is a plug-in, and each folder in it is one with all the
 * jars of that folder: its own and the libraries that it needs. No plug-in sees another, nor Berth, but the SPI. Each
 * {@code *.grpc.properties} says where a plug-in is that runs in a separate process.
 */
final class Plugins {
    private static final Logger LOG = LoggerFactory.getLogger(Plugins.class);

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final String GRPC = ".grpc.properties";
    /** Berth's own that need settings: a file NAME.properties switches one on. */
    private static final List<ProviderFactory> OWN = List.of(new HaproxyFactory());

    private final Path directory;
    private final SequencedMap<String, Path> owners = new LinkedHashMap<>();
    private final SequencedMap<String, LoadBalancerProvider> providers = new LinkedHashMap<>();

    private Plugins(Path directory) {
        this.directory = directory;
    }

    /**
     * Makes Berth's own providers that have settings there, and those of all plug-ins, in the order of their file names.
     *
     * @param taken names that plug-ins may not have
     * @throws UnusablePlugin at the first that cannot be used: a Berth that served some of its classes only, and said
     *     so in a log, would be found out late
     */
    static SequencedMap<String, LoadBalancerProvider> load(Path directory, Collection<String> taken)
            throws UnusablePlugin {
        Plugins plugins = new Plugins(directory);
        if (!Files.isDirectory(directory)) {
            throw new UnusablePlugin("plug-in folder " + directory + ": there is no such folder; see --plugin-dir");
        }
        for (ProviderFactory factory : OWN) {
            Path settings = directory.resolve(factory.name() + ".properties");
            if (Files.exists(settings)) {
                plugins.providers.put(
                        factory.name(),
                        JarPlugin.own(settings, factory)
                                .create(factory.name(), plugins.settings(settings, factory.name())));
            }
        }
        for (Path plugin : plugins.entries(directory)) {
            if (Files.isDirectory(plugin)) {
                plugins.load(plugin, plugins.jars(plugin), taken);
            } else if (isJar(plugin)) {
                plugins.load(plugin, List.of(plugin), taken);
            } else if (plugin.toString().endsWith(GRPC)) {
                plugins.connect(plugin, taken);
            }
        }
        return plugins.providers;
    }

    private static boolean isJar(Path file) {
        return file.toString().endsWith(".jar");
    }

    /** Hidden ones are nobody's: Kubernetes keeps some of its own in the folders that it mounts. */
    private List<Path> entries(Path folder) throws UnusablePlugin {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(entry -> !String.valueOf(entry.getFileName()).startsWith("."))
                    .sorted()
                    .toList();
        } catch (IOException failure) {
            throw new UnusablePlugin("plug-in folder " + folder + " cannot be read: " + failure);
        }
    }

    private List<Path> jars(Path plugin) throws UnusablePlugin {
        List<Path> jars = entries(plugin).stream().filter(Plugins::isJar).toList();
        if (jars.isEmpty()) {
            throw UnusablePlugin.of(plugin, "it has no jar; put the plug-in's jars into it, or remove it");
        }
        return jars;
    }

    private void load(Path plugin, List<Path> jars, Collection<String> taken) throws UnusablePlugin {
        for (JarPlugin jar : JarPlugin.load(plugin, jars)) {
            String name = jar.name();
            requireName(plugin, name);
            claim(plugin, name, taken);
            jar.requireContract(name, Contract.VERSIONS);
            providers.put(name, jar.create(name, settings(plugin, name)));
            String version = OneLine.of(jar.version());
            LOG.info(
                    "provider \"{}\" comes from plug-in {}, version {}",
                    name,
                    plugin,
                    version.isEmpty() ? "unknown" : version);
        }
    }

    /** Begins to connect to a plug-in, which need not be there yet. */
    private void connect(Path plugin, Collection<String> taken) throws UnusablePlugin {
        String file = String.valueOf(plugin.getFileName());
        String name = file.substring(0, file.length() - GRPC.length());
        requireName(plugin, name);
        claim(plugin, name, taken);
        Map<String, String> settings = properties(plugin, plugin);
        try {
            List<GrpcSettings> hosts = GrpcSettings.ofHosts(settings, directory);
            Clock clock = new SteadyClock().withZone(ZoneOffset.UTC);
            if (hosts.isEmpty()) {
                providers.put(name, new GrpcProvider(name, GrpcSettings.of(settings, directory), clock));
                return;
            }
            SequencedMap<String, GrpcProvider> several = new LinkedHashMap<>();
            hosts.forEach(host -> several.put(
                    name + " at " + host.target(), new GrpcProvider(name + " at " + host.target(), host, clock)));
            providers.put(name, new MultiHostProvider(file, several));
        } catch (IllegalArgumentException refused) {
            throw UnusablePlugin.of(plugin, String.valueOf(refused.getMessage()));
        }
    }

    private void claim(Path plugin, String name, Collection<String> taken) throws UnusablePlugin {
        if (taken.contains(name)) {
            throw UnusablePlugin.of(
                    plugin, "its provider \"" + name + "\" has the name of one of Berth's own; rename it");
        }
        Path other = owners.putIfAbsent(name, plugin);
        if (other != null) {
            throw UnusablePlugin.of(
                    plugin, "its provider \"" + name + "\" is in " + other.getFileName() + ", too; remove one");
        }
    }

    private static void requireName(Path plugin, String name) throws UnusablePlugin {
        if (!NAME.matcher(name).matches()) {
            throw UnusablePlugin.of(
                    plugin,
                    "its provider's name is \"" + name
                            + "\"; it needs lower-case letters, digits and hyphens, 63 at most");
        }
    }

    private Map<String, String> settings(Path plugin, String name) throws UnusablePlugin {
        Path file = directory.resolve(name + ".properties");
        return Files.exists(file) ? properties(plugin, file) : Map.of();
    }

    private static Map<String, String> properties(Path plugin, Path file) throws UnusablePlugin {
        Properties properties = new Properties();
        try (Reader text = Files.newBufferedReader(file)) {
            properties.load(text);
        } catch (IOException | IllegalArgumentException failure) {
            throw UnusablePlugin.of(
                    plugin, "its settings " + file + " cannot be read: " + UnusablePlugin.told(failure));
        }
        Map<String, String> settings = new TreeMap<>();
        properties.stringPropertyNames().forEach(key -> settings.put(key, properties.getProperty(key)));
        return settings;
    }
}
