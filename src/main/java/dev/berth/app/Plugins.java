package dev.berth.app;

import dev.berth.dataplane.haproxy.HaproxyFactory;
import dev.berth.loadbalancer.OneLine;
import dev.berth.plugin.SeveralHosts;
import dev.berth.plugin.grpc.GrpcProvider;
import dev.berth.plugin.grpc.GrpcSettings;
import dev.berth.plugin.grpc.wire.Contract;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ProviderFactory;
import java.io.IOException;
import java.io.Reader;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.SequencedMap;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
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
    private static final ClassLoader BERTH = Plugins.class.getClassLoader();
    private static final String SERVICE = "META-INF/services/" + ProviderFactory.class.getName();

    /** Berth's own that need settings: a file NAME.properties switches one on. */
    private static final List<ProviderFactory> OWN = List.of(new HaproxyFactory());

    private final Path directory;
    private final SequencedMap<String, Path> owners = new LinkedHashMap<>();
    private final SequencedMap<String, LoadBalancerProvider> providers = new LinkedHashMap<>();

    /** A plug-in cannot be used; the message is one line, and says what to do. */
    static final class UnusablePlugin extends Exception {
        private static final long serialVersionUID = 1;

        UnusablePlugin(String message) {
            super(message);
        }
    }

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
                plugins.providers.put(factory.name(), plugins.create(settings, BERTH, factory.name(), factory));
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
            throw unusable(plugin, "it has no jar; put the plug-in's jars into it, or remove it");
        }
        return jars;
    }

    private void load(Path plugin, List<Path> jars, Collection<String> taken) throws UnusablePlugin {
        List<ProviderFactory> factories = factories(plugin, jars);
        if (factories.isEmpty()) {
            throw unusable(plugin, "it names no provider; it needs a file " + SERVICE);
        }
        for (ProviderFactory factory : factories) {
            ClassLoader loader = factory.getClass().getClassLoader();
            String name = name(plugin, loader, factory);
            claim(plugin, name, taken);
            requireKnownContract(plugin, loader, name, factory);
            providers.put(name, create(plugin, loader, name, factory));
            LOG.info("provider \"{}\" is of plug-in {}, version {}", name, plugin, version(loader, factory));
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
            providers.put(name, new SeveralHosts(file, several));
        } catch (IllegalArgumentException refused) {
            throw unusable(plugin, String.valueOf(refused.getMessage()));
        }
    }

    private void claim(Path plugin, String name, Collection<String> taken) throws UnusablePlugin {
        if (taken.contains(name)) {
            throw unusable(plugin, "its provider \"" + name + "\" has the name of one of Berth's own; rename it");
        }
        Path other = owners.putIfAbsent(name, plugin);
        if (other != null) {
            throw unusable(plugin, "its provider \"" + name + "\" is in " + other.getFileName() + ", too; remove one");
        }
    }

    /** Its class loader is never closed: classes are loaded from it for as long as Berth runs. */
    private static List<ProviderFactory> factories(Path plugin, List<Path> jars) throws UnusablePlugin {
        List<URL> urls = new ArrayList<>();
        for (Path jar : jars) {
            requireReadable(plugin, jar);
            try {
                urls.add(jar.toUri().toURL());
            } catch (MalformedURLException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
        ClassLoader loader =
                new URLClassLoader("plugin-" + plugin.getFileName(), urls.toArray(new URL[0]), new SpiOnly());
        try {
            return JarProvider.within(loader, () -> {
                List<ProviderFactory> factories = new ArrayList<>();
                ServiceLoader.load(ProviderFactory.class, loader).forEach(factories::add);
                return factories;
            });
        } catch (ServiceConfigurationError | LinkageError broken) {
            throw unusable(plugin, "its provider cannot be loaded: " + told(broken) + "; rebuild it");
        }
    }

    /** A class loader passes over what is no jar. */
    private static void requireReadable(Path plugin, Path jar) throws UnusablePlugin {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            zip.size();
        } catch (IOException broken) {
            throw unusable(
                    plugin, jar.getFileName() + " is no jar that can be read: " + told(broken) + "; copy it again");
        }
    }

    private static String name(Path plugin, ClassLoader loader, ProviderFactory factory) throws UnusablePlugin {
        String name;
        try {
            name = JarProvider.within(loader, factory::name);
        } catch (RuntimeException | LinkageError broken) {
            throw unusable(plugin, factory.getClass().getName() + " does not tell its name: " + told(broken));
        }
        // Null, from code that nobody checked.
        requireName(plugin, Objects.requireNonNullElse(name, ""));
        return name;
    }

    /** Before anything else is asked of it: in a later contract it may mean something else. */
    private static void requireKnownContract(Path plugin, ClassLoader loader, String name, ProviderFactory factory)
            throws UnusablePlugin {
        int version;
        try {
            version = JarProvider.within(loader, factory::contractVersion);
        } catch (RuntimeException | LinkageError broken) {
            throw unusable(plugin, "its provider \"" + name + "\" does not tell its contract version: " + told(broken));
        }
        if (!Contract.VERSIONS.contains(version)) {
            throw unusable(
                    plugin,
                    "its provider \"" + name + "\" is written for contract version " + version + ", and this Berth has "
                            + Contract.VERSIONS + "; use a plug-in and a Berth that fit");
        }
    }

    /** It is for people only: whatever goes wrong with it is no reason to end the start. */
    private static String version(ClassLoader loader, ProviderFactory factory) {
        try {
            // Null, from code that nobody checked.
            String version = OneLine.of(Objects.requireNonNullElse(JarProvider.within(loader, factory::version), ""));
            return version.isEmpty() ? "unknown" : version;
        } catch (RuntimeException | LinkageError broken) {
            return "unknown (" + told(broken) + ")";
        }
    }

    private static void requireName(Path plugin, String name) throws UnusablePlugin {
        if (!NAME.matcher(name).matches()) {
            throw unusable(
                    plugin,
                    "its provider's name is \"" + name
                            + "\"; it needs lower-case letters, digits and hyphens, 63 at most");
        }
    }

    private LoadBalancerProvider create(Path plugin, ClassLoader loader, String name, ProviderFactory factory)
            throws UnusablePlugin {
        Map<String, String> settings = settings(plugin, name);
        try {
            return JarProvider.within(loader, () -> {
                LoadBalancerProvider provider = factory.create(settings);
                return new JarProvider(
                        loader, provider, Objects.requireNonNull(provider.capabilities(), "capabilities() is null"));
            });
        } catch (ProviderException refused) {
            throw unusable(plugin, "its provider \"" + name + "\" cannot start: " + refused.getMessage());
        } catch (RuntimeException | LinkageError broken) {
            throw unusable(plugin, "its provider \"" + name + "\" fails at its start: " + told(broken));
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
            throw unusable(plugin, "its settings " + file + " cannot be read: " + told(failure));
        }
        Map<String, String> settings = new TreeMap<>();
        properties.stringPropertyNames().forEach(key -> settings.put(key, properties.getProperty(key)));
        return settings;
    }

    private static UnusablePlugin unusable(Path plugin, String why) {
        return new UnusablePlugin("plug-in " + plugin + ": " + why);
    }

    private static String told(Throwable failure) {
        return failure.toString().lines().findFirst().orElse("");
    }

    /** Shows the SPI, JSpecify and the platform; nothing else of what Berth is made of. */
    private static final class SpiOnly extends ClassLoader {
        private static final Pattern SHOWN =
                Pattern.compile("(dev\\.berth\\.provider|org\\.jspecify\\.annotations)\\.[^.]+");

        static {
            registerAsParallelCapable();
        }

        SpiOnly() {
            super("berth-spi", getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (SHOWN.matcher(name).matches()) {
                return BERTH.loadClass(name);
            }
            throw new ClassNotFoundException(name);
        }
    }
}
