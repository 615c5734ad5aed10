package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.provider.Ingress;
import dev.berth.provider.IpMode;
import dev.berth.provider.LoadBalancerProvider;
import dev.berth.provider.LoadBalancerRequest;
import dev.berth.provider.ServiceIdentity;
import dev.berth.testing.Build;
import dev.berth.testing.SampleProvider;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What one who writes a provider gets. */
class PublishedJarsIT {
    @Test
    void sampleProvider_needsThemAlone_andPassesTheKit(@TempDir Path folder) {
        assertThat(SampleProvider.compiledInto(folder).test())
                .contains("124 tests successful", "44 tests aborted", "0 tests failed")
                .endsWith("exit code 0");
    }

    @Test
    void providerOfTheTutorial_passesTheKit_withTheFiguresThatItNames(@TempDir Path project, @TempDir Path folder)
            throws IOException {
        String page = Files.readString(Path.of("docs/write-a-provider.md"));
        assertThat(writeFiles(page, project)).hasSize(3);
        Matcher figures = Pattern.compile("Tests run: (\\d+), Failures: 0, Errors: 0, Skipped: (\\d+)")
                .matcher(page);
        assertThat(figures.find()).isTrue();
        int run = Integer.parseInt(figures.group(1));
        int skipped = Integer.parseInt(figures.group(2));

        assertThat(SampleProvider.compiledInto(project, folder).test())
                .contains((run - skipped) + " tests successful", skipped + " tests aborted", "0 tests failed")
                .endsWith("exit code 0");
    }

    @Test
    void providerOfTheTutorial_withoutACheck_failsByTheRulesThatItNames(@TempDir Path project, @TempDir Path folder)
            throws IOException {
        String page = Files.readString(Path.of("docs/write-a-provider.md"));
        for (Path file : writeFiles(page, project)) {
            String source = Files.readString(file);
            Files.writeString(file, source.replaceFirst("(?m)^ *refuseDeposed\\(request\\);\n", ""));
        }
        Matcher rules = Pattern.compile("(?m)^five do, ([^:]+):").matcher(page);
        assertThat(rules.find()).isTrue();
        Matcher said = Pattern.compile("with a lower\\s+fencing token.*").matcher(page);
        assertThat(said.find()).isTrue();

        String output = SampleProvider.compiledInto(project, folder).test();

        assertThat(Pattern.compile("required_(fencing\\d+)_\\w+\\(\\) :: FAILED")
                        .matcher(output)
                        .results()
                        .map(failed -> failed.group(1)))
                .containsExactlyInAnyOrder(rules.group(1).split(", | and ", -1));
        assertThat(output).contains("5 tests failed").contains(said.group().replaceAll("\\s+", " "));
    }

    @Test
    void providerOfTheTutorial_goesOn_afterItsProcessEndedInTheMiddleOfAWrite(
            @TempDir Path project, @TempDir Path folder, @TempDir Path world) throws Exception {
        writeFiles(Files.readString(Path.of("docs/write-a-provider.md")), project);
        SampleProvider.compiledInto(project, folder);
        try (URLClassLoader classes = new URLClassLoader(
                new URL[] {folder.resolve("main-classes").toUri().toURL()})) {
            Constructor<?> constructor =
                    classes.loadClass("com.example.FolderProvider").getDeclaredConstructor(Path.class);
            constructor.setAccessible(true);
            LoadBalancerProvider provider = (LoadBalancerProvider) constructor.newInstance(world);
            ServiceIdentity web = new ServiceIdentity("prod", "web", "u1");
            LoadBalancerRequest request = LoadBalancerRequest.builder("c1", web, IpMode.PROXY)
                    .addresses(List.of("192.0.2.1"))
                    .fencingToken(7)
                    .build();
            // Half of what the one before was about to write.
            Files.writeString(world.resolve(provider.getLoadBalancerName(web) + ".new"), "192.0.");
            Files.writeString(world.resolve("token-c1.new"), "");

            assertThat(provider.getLoadBalancer(request)).isEmpty();
            provider.ensureLoadBalancer(request);
            assertThat(provider.getLoadBalancer(request).orElseThrow().ingress())
                    .containsExactly(Ingress.ofIp("192.0.2.1", IpMode.PROXY));
            provider.ensureLoadBalancerDeleted(request);
            assertThat(provider.getLoadBalancer(request)).isEmpty();
        }
    }

    /** Each indented block that follows the name of a Java file in a line of its own, into that file of {@code project}. */
    private static List<Path> writeFiles(String page, Path project) throws IOException {
        List<Path> written = new ArrayList<>();
        Matcher blocks = Pattern.compile("(?m)^`(src/\\S+\\.java)`:\n\n((?:    .*\n|\n)+)")
                .matcher(page);
        while (blocks.find()) {
            Path file = project.resolve(blocks.group(1));
            Files.createDirectories(file.getParent());
            written.add(Files.writeString(file, blocks.group(2).indent(-4)));
        }
        return written;
    }

    @Test
    void pom_namesNothingThatTheyNeed() {
        assertThat(Build.file("flattened/pom.xml"))
                .content()
                .contains("<artifactId>berth</artifactId>")
                .doesNotContain("<dependency>", "<dependencies>", "<parent>", "<repository>");
    }

    @ParameterizedTest
    @CsvSource({
        "spi, dev/berth/provider/[^/]+[.]class",
        "spi-sources, dev/berth/provider/[^/]+[.]java",
        "tck, dev/berth/provider/tck/[^/]+[.]class",
        "tck-sources, dev/berth/provider/tck/[^/]+[.]java",
    })
    void jar_hasItsPackageAndNothingElse(String classifier, String files) throws IOException {
        assertThat(files(classifier)).hasSizeGreaterThan(5).allMatch(file -> file.matches(files));
    }

    @ParameterizedTest
    @CsvSource({
        "spi-javadoc, dev/berth/provider/LoadBalancerProvider.html",
        "tck-javadoc, dev/berth/provider/tck/LoadBalancerProviderTck.html",
    })
    void javadoc_hasWhatIsToBeImplemented(String classifier, String page) throws IOException {
        assertThat(files(classifier)).contains(page);
    }

    private static List<String> files(String classifier) throws IOException {
        try (JarFile jar = new JarFile(SampleProvider.published(classifier).toFile())) {
            return jar.stream()
                    .filter(entry -> !entry.isDirectory())
                    .map(ZipEntry::getName)
                    .filter(name -> !name.startsWith("META-INF/"))
                    .toList();
        }
    }
}
