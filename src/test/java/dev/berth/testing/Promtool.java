package dev.berth.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Prometheus' own tool for rules and queries, which {@code make lab-tools} gets. */
public final class Promtool {
    private static final Pattern SERIES = Pattern.compile("(\\w+)(?:\\{(.*?),?})? (\\S+)");

    private Promtool() {}

    /** As root on Linux it always has to be. */
    public static boolean mayBeMissing() {
        return System.getenv("BERTH_LAB") == null
                && Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                        .noneMatch(folder -> Files.isExecutable(Path.of(folder, "promtool")));
    }

    /**
     * Runs it.
     *
     * @throws IllegalStateException with what it says, if it has something against it
     */
    public static String run(Path folder, String... arguments) {
        try {
            Process promtool = new ProcessBuilder(Stream.concat(Stream.of("promtool"), Stream.of(arguments))
                            .toList())
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .start();
            String output;
            try (InputStream said = promtool.getInputStream()) {
                output = new String(said.readAllBytes(), UTF_8);
            }
            int code = promtool.onExit().join().exitValue();
            if (code != 0) {
                throw new IllegalStateException(
                        "promtool %s: exit code %d: %s".formatted(String.join(" ", arguments), code, output));
            }
            return output;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /**
     * Has Prometheus run queries on what was scraped: as if it had been the same for half an hour.
     *
     * @param folder gets the files for it
     * @throws IllegalStateException naming those that find nothing
     */
    public static void requireAnswers(Path folder, String scraped, List<Monitoring.Query> queries) {
        String series = scraped.lines()
                .filter(line -> !line.startsWith("#") && !line.endsWith(" NaN"))
                .map(SERIES::matcher)
                .filter(Matcher::matches)
                .map(line -> "      - {series: %s, values: \"%sx30\"}"
                        .formatted(
                                quoted("%s{instance=\"scraped\",node=\"scraped\"%s}"
                                        .formatted(line.group(1), line.group(2) == null ? "" : "," + line.group(2))),
                                new BigDecimal(line.group(3)).toPlainString()))
                .collect(Collectors.joining("\n"));
        String tests = queries.stream()
                .map(query -> """
                              - expr: %s
                                eval_time: 20m
                                exp_samples: [{labels: "{}", value: 1}]
                        """.formatted(quoted("count(" + query.expression() + ") > bool 0")))
                .collect(Collectors.joining());
        try {
            Files.writeString(folder.resolve("queries.yaml"), """
                    evaluation_interval: 1m
                    tests:
                      - interval: 1m
                        input_series:
                    %s
                        promql_expr_test:
                    %s""".formatted(series, tests));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        run(folder, "test", "rules", "queries.yaml");
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}
