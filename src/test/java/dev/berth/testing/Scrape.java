package dev.berth.testing;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The names of metrics in Prometheus' text format, and of their labels. */
public final class Scrape {
    private static final Pattern SERIES = Pattern.compile("^(\\w+)(?:\\{(.*)})? \\S+$");
    private static final Pattern LABEL = Pattern.compile("(?:^|,)(\\w+)=\"");
    private static final Pattern GROUPED = Pattern.compile("\\b(?:by|on)\\s*\\(([^)]*)\\)");
    private static final Pattern SELECTED = Pattern.compile("\\{([^}]*)}");

    /** Prometheus adds these to what it has read. */
    private static final Set<String> OF_TARGETS = Set.of("instance", "node");

    private final Map<String, Set<String>> labels = new HashMap<>();

    public Scrape(String text) {
        text.lines()
                .filter(line -> !line.startsWith("#"))
                .map(SERIES::matcher)
                .filter(series -> series.matches())
                .forEach(series -> {
                    Set<String> known = labels.computeIfAbsent(series.group(1), none -> new TreeSet<>());
                    if (series.group(2) != null) {
                        LABEL.matcher(series.group(2)).results().forEach(label -> known.add(label.group(1)));
                    }
                });
    }

    public Set<String> names() {
        return labels.keySet();
    }

    /** What a query names, and is not there: metrics, and labels that none of its metrics has. */
    public List<String> missing(Monitoring.Query query) {
        Stream<String> metrics = query.metrics().stream().filter(name -> !labels.containsKey(name));
        Set<String> known = new TreeSet<>(OF_TARGETS);
        query.metrics().forEach(name -> known.addAll(labels.getOrDefault(name, Set.of())));
        Stream<String> named = Stream.concat(
                GROUPED.matcher(query.expression()).results().flatMap(list -> words(list.group(1))),
                SELECTED.matcher(query.expression())
                        .results()
                        .flatMap(list -> LABEL.matcher(list.group(1).replaceAll("(=~|!=|!~)\"", "=\""))
                                .results())
                        .map(label -> label.group(1)));
        return Stream.concat(metrics, named.filter(label -> !known.contains(label)))
                .map(what -> what + " of " + query)
                .toList();
    }

    private static Stream<String> words(String list) {
        return Stream.of(list.split(",", -1)).map(String::strip);
    }
}
