package dev.berth.plugin.jar;

import static dev.berth.plugin.UnusablePlugin.told;

import dev.berth.plugin.UnusablePlugin;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ProviderFactory;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.zip.ZipFile;

/** A factory of providers, and the class loader that its code lives in. */
public final class JarPlugin {
    private static final String SERVICE = "META-INF/services/" + ProviderFactory.class.getName();

    private final Path plugin;
    private final ClassLoader loader;
    private final ProviderFactory factory;

    private JarPlugin(Path plugin, ProviderFactory factory) {
        this.plugin = plugin;
        this.loader = factory.getClass().getClassLoader();
        this.factory = factory;
    }

    /**
     * What these jars bring: one or more, in the order in which they name them.
     *
     * @param plugin the file or folder that the plug-in is, for messages
     * @param jars its own and the libraries that it needs
     * @throws UnusablePlugin if one of them is no jar, or they bring no factory that can be loaded
     */
    public static List<JarPlugin> load(Path plugin, List<Path> jars) throws UnusablePlugin {
        List<ProviderFactory> factories = factories(plugin, jars);
        if (factories.isEmpty()) {
            throw UnusablePlugin.of(plugin, "it names no provider; it needs a file " + SERVICE);
        }
        return factories.stream().map(factory -> new JarPlugin(plugin, factory)).toList();
    }

    /**
     * One that comes with Berth, in Berth's own class loader.
     *
     * @param settings the file that switches it on, for messages
     */
    public static JarPlugin own(Path settings, ProviderFactory factory) {
        return new JarPlugin(settings, factory);
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
            throw UnusablePlugin.of(plugin, "its provider cannot be loaded: " + told(broken) + "; rebuild it");
        }
    }

    /** A class loader passes over what is no jar. */
    private static void requireReadable(Path plugin, Path jar) throws UnusablePlugin {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            zip.size();
        } catch (IOException broken) {
            throw UnusablePlugin.of(
                    plugin, jar.getFileName() + " is not a jar that can be read: " + told(broken) + "; copy it again");
        }
    }

    /** The name of its provider, unchecked; empty: it has none. */
    public String name() throws UnusablePlugin {
        try {
            // Null, from code that nobody checked.
            return Objects.requireNonNullElse(JarProvider.within(loader, factory::name), "");
        } catch (RuntimeException | LinkageError broken) {
            throw UnusablePlugin.of(
                    plugin, factory.getClass().getName() + " does not declare its name: " + told(broken));
        }
    }

    /**
     * To be called before anything else is asked of it: in a later contract it may mean something else.
     *
     * @param name of its provider, for messages
     * @param known the versions of the contract that this Berth has
     */
    public void requireContract(String name, Collection<Integer> known) throws UnusablePlugin {
        int version;
        try {
            version = JarProvider.within(loader, factory::contractVersion);
        } catch (RuntimeException | LinkageError broken) {
            throw UnusablePlugin.of(
                    plugin, "its provider \"" + name + "\" does not declare its contract version: " + told(broken));
        }
        if (!known.contains(version)) {
            throw UnusablePlugin.of(
                    plugin,
                    "its provider \"" + name + "\" is written for contract version " + version + ", and this Berth has "
                            + known + "; use compatible versions of the plug-in and of Berth");
        }
    }

    /**
     * Its version, for people only, as it says it: whatever goes wrong with it is no reason to end the start. Empty: it
     * says none.
     */
    public String version() {
        try {
            // Null, from code that nobody checked.
            return Objects.requireNonNullElse(JarProvider.within(loader, factory::version), "");
        } catch (RuntimeException | LinkageError broken) {
            return "unknown (" + told(broken) + ")";
        }
    }

    /**
     * Makes its provider.
     *
     * @param name of the provider, for messages
     * @throws UnusablePlugin if it refuses its settings, or fails
     */
    public LoadBalancerProvider create(String name, Map<String, String> settings) throws UnusablePlugin {
        try {
            return JarProvider.within(loader, () -> {
                LoadBalancerProvider provider = factory.create(settings);
                return new JarProvider(
                        loader, provider, Objects.requireNonNull(provider.capabilities(), "capabilities() is null"));
            });
        } catch (ProviderException refused) {
            throw UnusablePlugin.of(plugin, "its provider \"" + name + "\" cannot start: " + refused.getMessage());
        } catch (RuntimeException | LinkageError broken) {
            throw UnusablePlugin.of(plugin, "its provider \"" + name + "\" fails at its start: " + told(broken));
        }
    }
}
