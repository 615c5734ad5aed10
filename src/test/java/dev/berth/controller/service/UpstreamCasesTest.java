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
import org.junit.jupiter.api.Test;

/** docs/service-controller.md says which test holds Berth to which of upstream's. */
class UpstreamCasesTest {
    private static final Pattern NAMED = Pattern.compile("`(\\w+(?:Test|IT))\\.(\\w+)`");

    @Test
    void everyTestThatThePageNames_isThere() throws IOException {
        String page = Files.readString(Path.of("docs/service-controller.md"));
        List<MatchResult> named = NAMED.matcher(page).results().toList();

        assertThat(named)
                .hasSizeGreaterThan(40)
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
