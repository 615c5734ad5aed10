package dev.berth;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whoever is sent to a file by CONTRIBUTING.md finds it. */
class ContributingTest {
    private static final Pattern NAME = Pattern.compile("`([A-Za-z0-9]+(?:/[A-Za-z0-9.-]+)+)`");
    private static final List<String> FOLDERS = List.of("src/main/java/dev/berth/", "src/test/java/dev/berth/");

    private static boolean isThere(String name) {
        return FOLDERS.stream().anyMatch(folder -> Files.isRegularFile(Path.of(folder + name + ".java")))
                || Files.isRegularFile(Path.of(name));
    }

    @Test
    void eachFileThatAChangeTouches_isThere() throws IOException {
        try (Stream<String> page = Files.lines(Path.of("CONTRIBUTING.md"))) {
            List<String> rows = page.dropWhile(line -> !line.equals("## Where a change goes"))
                    .takeWhile(line -> !line.equals("## When you change"))
                    .filter(line -> line.startsWith("| "))
                    .skip(1)
                    .toList();

            assertThat(rows).hasSizeGreaterThanOrEqualTo(10).allSatisfy(row -> {
                List<String> names =
                        NAME.matcher(row).results().map(MatchResult::group).toList();
                assertThat(names).hasSizeGreaterThan(3);
                assertThat(names.stream()
                                .map(name -> name.substring(1, name.length() - 1))
                                .filter(name -> !isThere(name)))
                        .as(row.substring(0, Math.min(row.length(), 40)))
                        .isEmpty();
            });
        }
    }
}
