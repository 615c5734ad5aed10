package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.plugin.RemoteProvider;
import dev.berth.plugin.UnusablePlugin;
import dev.berth.plugin.jar.JarProvider;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.ProviderException;
import dev.berth.provider.ServiceIdentity;
import dev.berth.testing.Build;
import dev.berth.testing.SampleProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a plug-in folder. Plug-ins are compiled here against the classes of this build. */
class PluginsTest {
    private static final String FACTORY = """
            package plugin;
            public final class Factory implements dev.berth.provider.ProviderFactory {
                public String name() { return %s; }
                public dev.berth.provider.LoadBalancerProvider create(java.util.Map<String, String> settings) {
                    if (Thread.currentThread().getContextClassLoader() != Factory.class.getClassLoader()) throw new IllegalStateException("in another's");
                    %s
                }
            }
            """;
    private static final String PROVIDER = """
            package plugin;
            import dev.berth.provider.*;
            import java.util.Optional;
            public record Provider(String name) implements LoadBalancerProvider {
                public Capabilities capabilities() { return Capabilities.fromPools(IpMode.VIP); }
                public String getLoadBalancerName(ServiceIdentity service) { return name + loader(); }
                private static String loader() {
                    return Thread.currentThread().getContextClassLoader() == Provider.class.getClassLoader() ? "" : " in another's";
                }
                public Optional<LoadBalancerStatus> getLoadBalancer(LoadBalancerRequest request) { return Optional.empty(); }
                public EnsureOutcome ensureLoadBalancer(LoadBalancerRequest request) { return EnsureOutcome.implementedElsewhere(); }
                public void updateLoadBalancer(LoadBalancerRequest request) {}
                public void ensureLoadBalancerDeleted(LoadBalancerRequest request) {}
            }
            """;
    private static final String SERVICE = "META-INF/services/dev.berth.provider.ProviderFactory";

    @TempDir
    private Path temporary;

    private Path folder;

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createDirectory(temporary.resolve("plugins"));
    }

    private SequencedMap<String, LoadBalancerProvider> load() throws UnusablePlugin {
        return Plugins.load(folder, List.of("pool"));
    }

    /** A jar of one factory and its provider. */
    private Path plugin(String jar, String name, String create) throws IOException {
        return jar(jar, FACTORY.formatted("\"" + name + "\"", create), "plugin.Factory\n");
    }

    private Path plugin(String jar, String name) throws IOException {
        return plugin(jar, name, "return new Provider(settings.toString());");
    }

    private Path jar(String jar, String factory, String services) throws IOException {
        Path work = Files.createTempDirectory(temporary, "work");
        Path classes = work.resolve("classes");
        Path service = classes.resolve(SERVICE);
        Files.createDirectories(service.getParent());
        if (!services.isEmpty()) {
            Files.writeString(service, services);
        }
        List<String> arguments = new ArrayList<>(
                List.of("-d", classes.toString(), "-cp", Build.file("classes").toString()));
        arguments.add(Files.writeString(work.resolve("Factory.java"), factory).toString());
        arguments.add(Files.writeString(work.resolve("Provider.java"), PROVIDER).toString());
        SampleProvider.run("javac", arguments);
        Path file = folder.resolve(jar);
        Files.createDirectories(file.getParent());
        SampleProvider.run("jar", List.of("--create", "--file=" + file, "-C", classes.toString(), "."));
        return file;
    }

    @Test
    void eachJarAndEachFolder_isAPlugin() throws IOException, UnusablePlugin {
        plugin("a.jar", "one");
        plugin("b/main.jar", "two");
        Files.writeString(folder.resolve("notes.txt"), "no plug-in");
        Files.createDirectory(folder.resolve("..data"));

        assertThat(load().keySet()).containsExactly("one", "two");
    }

    @Test
    void twoPlugins_withClassesOfOneName_haveTheirOwn() throws IOException, UnusablePlugin {
        plugin("a.jar", "one");
        plugin("b.jar", "two");

        assertThat(load().values().stream()
                        .map(provider -> ((JarProvider) provider).made().getClass()))
                .doesNotHaveDuplicates();
    }

    @Test
    void codeOfAPlugin_hasItsOwnClassLoaderAsThatOfTheThread_andGivesItBack() throws IOException, UnusablePlugin {
        plugin("a.jar", "one", "return new Provider(\"one\");");
        ClassLoader before = Thread.currentThread().getContextClassLoader();

        assertThat(nameGivenBy("one")).isEqualTo("one");
        assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
    }

    @Test
    void pluginWithoutCapabilities_isRefusedAtTheStart() throws IOException {
        plugin("a.jar", "one", "return null;");

        assertThatThrownBy(this::load).isInstanceOf(UnusablePlugin.class).hasMessageContaining("fails at its start");
    }

    @Test
    void settings_areTheFileOfTheProvidersName() throws IOException, UnusablePlugin {
        plugin("a.jar", "one");
        Files.writeString(folder.resolve("one.properties"), "url = https://lb.example.com\n");

        assertThat(nameGivenBy("one")).isEqualTo("{url=https://lb.example.com}");
    }

    @Test
    void settings_withoutAFile_areEmpty() throws IOException, UnusablePlugin {
        plugin("a.jar", "one");

        assertThat(nameGivenBy("one")).isEqualTo("{}");
    }

    private String nameGivenBy(String provider) throws UnusablePlugin {
        return Optional.ofNullable(load().get(provider))
                .map(made -> made.getLoadBalancerName(new ServiceIdentity("default", "web", "1")))
                .orElseThrow();
    }

    @Test
    void aPlugin_seesNothingOfBerthButTheSpi() throws IOException, UnusablePlugin {
        plugin("a.jar", "one", """
                for (String hidden : new String[] {"dev.berth.app.Main", "dev.berth.provider.tck.World", "org.slf4j.Logger"}) {
                    try {
                        Class.forName(hidden);
                        throw new IllegalStateException("sees " + hidden);
                    } catch (ClassNotFoundException expected) {
                    }
                }
                return new Provider("");
                """);

        assertThat(load()).containsKey("one");
    }

    private Path pluginThat(String says) throws IOException {
        return jar(
                "a.jar",
                FACTORY.formatted("\"one\"", "return new Provider(\"one\");").replaceFirst("\\}\\s*$", says + "\n}"),
                "plugin.Factory\n");
    }

    @Test
    void aPluginOfAContractThatIsNotKnown_isRefusedAtTheStart_namingBoth() throws IOException {
        pluginThat("public int contractVersion() { return 2; }");

        assertThatThrownBy(this::load)
                .isInstanceOf(UnusablePlugin.class)
                .hasMessageEndingWith(
                        "a.jar: its provider \"one\" is written for contract version 2, and this Berth has [1];"
                                + " use compatible versions of the plug-in and of Berth");
    }

    @Test
    void aVersionThatCannotBeTold_endsNoStart() throws IOException, UnusablePlugin {
        pluginThat("public String version() { throw new IllegalStateException(\"lost\"); }");

        assertThat(nameGivenBy("one")).isEqualTo("one");
    }

    @Test
    void noFolder_isSaid() {
        folder = temporary.resolve("nowhere");
        assertThatThrownBy(this::load).hasMessageEndingWith("nowhere: there is no such folder; see --plugin-dir");
    }

    @Test
    void aFileThatIsNoJar_isSaid() throws IOException {
        Files.writeString(folder.resolve("broken.jar"), "half a downlo");
        assertThatThrownBy(this::load)
                .isInstanceOf(UnusablePlugin.class)
                .hasMessageContaining("broken.jar: broken.jar is not a jar that can be read");
    }

    @Test
    void aJarWithoutAProvider_isSaid() throws IOException {
        jar("empty.jar", FACTORY.formatted("\"one\"", "return null;"), "");
        assertThatThrownBy(this::load)
                .hasMessageEndingWith("empty.jar: it names no provider; it needs a file " + SERVICE);
    }

    @Test
    void aFolderWithoutAJar_isSaid() throws IOException {
        Files.createDirectory(folder.resolve("empty"));
        assertThatThrownBy(this::load).hasMessageContaining("empty: it has no jar");
    }

    @Test
    void aFactoryThatIsNotThere_isSaid() throws IOException {
        jar("wrong.jar", FACTORY.formatted("\"one\"", "return null;"), "plugin.Missing\n");
        assertThatThrownBy(this::load)
                .hasMessageContaining("wrong.jar: its provider cannot be loaded: ")
                .hasMessageContaining("plugin.Missing not found");
    }

    @Test
    void twoOfOneName_areSaid() throws IOException {
        plugin("a.jar", "one");
        plugin("b.jar", "one");
        assertThatThrownBy(this::load).hasMessageEndingWith("b.jar: its provider \"one\" is in a.jar, too; remove one");
    }

    @Test
    void aNameOfBerthsOwn_isSaid() throws IOException {
        plugin("a.jar", "pool");
        assertThatThrownBy(this::load)
                .hasMessageEndingWith("its provider \"pool\" has the name of one of Berth's own; rename it");
    }

    @Test
    void aNameThatAClassCannotHave_isSaid() throws IOException {
        plugin("a.jar", "My Provider");
        assertThatThrownBy(this::load).hasMessageContaining("its provider's name is \"My Provider\"; it needs");
    }

    @Test
    void aFactoryThatRefusesItsSettings_isQuoted() throws IOException {
        plugin("a.jar", "one", "throw new dev.berth.provider.ProviderException(\"one.properties has no url\");");
        assertThatThrownBy(this::load)
                .hasMessageEndingWith("its provider \"one\" cannot start: one.properties has no url");
    }

    @Test
    void aFactoryThatMakesNothing_isSaid() throws IOException {
        plugin("a.jar", "one", "return null;");
        assertThatThrownBy(this::load)
                .isInstanceOf(UnusablePlugin.class)
                .hasMessageContaining("its provider \"one\" fails at its start: ")
                .hasMessageNotContaining("\n");
    }

    @Test
    void aPluginThatLacksALibrary_isSaid() throws IOException {
        plugin("a.jar", "one", "throw new NoClassDefFoundError(\"com/example/Client\");");
        assertThatThrownBy(this::load)
                .hasMessageEndingWith(
                        "its provider \"one\" fails at its start: java.lang.NoClassDefFoundError: com/example/Client");
    }

    private void grpc(String name, String settings) throws IOException {
        Files.writeString(folder.resolve(name + ".grpc.properties"), settings);
    }

    private void assertRefused(String settings, String why) throws IOException {
        grpc("lb", settings);
        assertThatThrownBy(this::load)
                .isInstanceOf(UnusablePlugin.class)
                .hasMessageContaining("lb.grpc.properties: ")
                .hasMessageContaining(why);
    }

    @Test
    void aPluginOfAnotherProcess_needNotBeThereYet() throws IOException, UnusablePlugin {
        grpc("lb", "target = unix:///nowhere/lb.sock\n");

        SequencedMap<String, LoadBalancerProvider> loaded = load();

        assertThat(loaded.keySet()).containsExactly("lb");
        assertThatThrownBy(() -> loaded.firstEntry().getValue().capabilities())
                .isInstanceOf(ProviderException.class)
                .hasMessageContaining("plug-in \"lb\"");
        loaded.values().forEach(provider -> ((RemoteProvider) provider).close());
    }

    @Test
    void aPluginOfSeveralHosts_isOneProvider() throws IOException, UnusablePlugin {
        grpc("lb", "targets = unix:///nowhere/a.sock, unix:///nowhere/b.sock\n");

        SequencedMap<String, LoadBalancerProvider> loaded = load();

        assertThat(loaded.keySet()).containsExactly("lb");
        RemoteProvider provider = (RemoteProvider) loaded.firstEntry().getValue();
        assertThat(provider.hosts().keySet())
                .containsExactly("lb at unix:///nowhere/a.sock", "lb at unix:///nowhere/b.sock");
        assertThatThrownBy(provider::capabilities).hasMessageStartingWith("plug-in \"lb at unix:///nowhere/a.sock\"");
        provider.close();
    }

    @Test
    void settingsOfAnotherProcess_areRefused_withTheirReason() throws IOException {
        assertRefused("target=unix:///s\ntargets=unix:///s,unix:///t", "there are target and targets");
        assertRefused("targets=unix:///s", "targets names one host only");
        assertRefused("targets=unix:///s,unix:///s", "targets names a host twice");
        assertRefused("targets=unix:///s,lb.sock", "\"lb.sock\" is neither unix:///PATH nor HOST:PORT");
        assertRefused("", "target is missing");
        assertRefused("target=lb.sock", "\"lb.sock\" is neither unix:///PATH nor HOST:PORT");
        assertRefused("target=unix:///s\npassword=x", "unknown setting password");
        assertRefused(
                "target=unix:///s\ndeadline=soon",
                "deadline \"soon\" is not a duration from 1ms to 50s; write it as 10s");
        assertRefused("target=unix:///s\ndeadline=10m", "deadline \"10m\" is not a duration from 1ms to 50s");
        assertRefused("target=unix:///s\nca=ca.pem", "ca is for targets on a network");
        assertRefused("target=unix:///s\nserver-name=lb", "server-name is for targets on a network; a Unix socket");
        assertRefused(
                "target=unix:///s\nkeep-alive-time=9s", "keep-alive-time \"9s\" is not a duration from 10s to 1h");
        assertRefused(
                "target=unix:///s\nkeep-alive-timeout=PT10S",
                "keep-alive-timeout \"PT10S\" is not a duration from 1s to 1m");
        assertRefused("target=dns:///lb.example.com:8443", "ca is missing: over a network it needs mutual TLS");
        assertRefused(
                "target=lb.example.com:8443\nca=ca.pem\ncertificate=c.pem\nkey=k.pem",
                folder.resolve("ca.pem") + " cannot be used: ");
    }

    @Test
    void nameOfAnotherProcess_isLikeThatOfAJar() throws IOException {
        grpc("pool", "target=unix:///s");
        assertThatThrownBy(this::load).hasMessageContaining("has the name of one of Berth's own");
        Files.delete(folder.resolve("pool.grpc.properties"));
        grpc("My_LB", "target=unix:///s");
        assertThatThrownBy(this::load).hasMessageContaining("its provider's name is \"My_LB\"");
    }
}
