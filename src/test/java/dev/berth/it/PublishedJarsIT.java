package dev.berth.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testing.Build;
import dev.berth.testing.SampleProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
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
                .contains("120 tests successful", "42 tests aborted", "0 tests failed")
                .endsWith("exit code 0");
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
