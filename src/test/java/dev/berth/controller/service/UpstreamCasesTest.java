package dev.berth.controller.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Some pages say which test holds Berth to which of upstream's. */
class UpstreamCasesTest {
    private static final Pattern NAMED = Pattern.compile("`(\\w+(?:Test|IT))\\.(\\w+)`");

    @ParameterizedTest
    @CsvSource({"docs/service-controller.md,40", "src/test/resources/dev/berth/servicecidr/upstream-cases.md,20"})
    void everyTestThatThePageNames_isThere(Path page, int least) throws IOException {
        List<MatchResult> named =
                NAMED.matcher(Files.readString(page)).results().toList();

        assertThat(named)
                .hasSizeGreaterThan(least)
                .allSatisfy(test -> assertThat(source(test.group(1))).contains("void " + test.group(2) + "("));
    }

    private static String source(String testClass) {
        try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
            Path file = files.filter(path -> path.endsWith(testClass + ".java"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("there is no " + testClass));
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
