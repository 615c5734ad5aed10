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

/** Messages that pages quote are those of the program. */
class DocumentedMessagesTest {
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

    /** What is put into a message, or stands between two parts of one. */
    private static final Pattern BETWEEN = Pattern.compile("%[sd]|\"\\s*\\+[^\"]*?\\+\\s*\"");

    private static final Pattern JOINED = Pattern.compile("\"\\s*\\+\\s*\"");

    /** Of all sources, with each literal as it is printed, and … for what differs. */
    private static String printed() throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
            for (Path source :
                    sources.filter(file -> file.toString().endsWith(".java")).toList()) {
                String joined = JOINED.matcher(Files.readString(source)).replaceAll("");
                all.append(BETWEEN.matcher(joined).replaceAll("…").replace("\\\"", "\""));
            }
        }
        return all.toString();
    }

    private static List<String> parts(String message) {
        return Stream.of(message.split("…|[0-9]+"))
                .map(String::strip)
                .filter(part -> part.length() > 3)
                .toList();
    }

    @Test
    void messagesInTheTableOfHaproxysPage() throws IOException {
        String printed = printed();
        List<String> messages = Files.readString(Path.of("docs/haproxy.md"))
                .lines()
                .dropWhile(line -> !line.equals("| message | what to do |"))
                .skip(2)
                .map(row -> row.split("\\|", -1)[1])
                .flatMap(cell -> QUOTED.matcher(cell).results().map(MatchResult::group))
                .map(quoted -> quoted.substring(1, quoted.length() - 1))
                .toList();

        assertThat(messages)
                .hasSizeGreaterThan(10)
                .allSatisfy(message -> assertThat(parts(message))
                        .allSatisfy(part -> assertThat(printed.contains(part)).isTrue()));
    }
}
