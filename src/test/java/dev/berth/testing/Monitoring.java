package dev.berth.testing;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** What the component {@code monitoring} asks of Berth's metrics. */
public final class Monitoring {
    private static final Path COMPONENT = Path.of(Installation.MANIFESTS, "components/monitoring");
    private static final Pattern METRIC = Pattern.compile("\\b(?:berth|jvm)_\\w+");

    private Monitoring() {}

    /** A rule of the PrometheusRule. */
    public record Alert(String name, String expression, String severity, Map<String, String> annotations) {}

    /**
     * What is asked of Prometheus.
     *
     * @param name of the alert or panel that it is for
     */
    public record Query(String name, String expression) {
        /** The metrics that it names. */
        public Set<String> metrics() {
            return Monitoring.metrics(expression);
        }
    }

    public static List<Alert> alerts() {
        return elements(spec().path("groups"))
                .flatMap(group -> elements(group.path("rules")))
                .map(rule -> new Alert(
                        rule.path("alert").asText(),
                        rule.path("expr").asText(),
                        rule.path("labels").path("severity").asText(),
                        Serialization.jsonMapper()
                                .convertValue(
                                        rule.path("annotations"),
                                        Serialization.jsonMapper()
                                                .getTypeFactory()
                                                .constructMapType(Map.class, String.class, String.class))))
                .toList();
    }

    /** The rules as Prometheus reads them from a file. */
    public static String rules() {
        return Serialization.asYaml(spec());
    }

    private static JsonNode spec() {
        try {
            return Serialization.unmarshal(Files.readString(COMPONENT.resolve("rules.yaml")), JsonNode.class)
                    .path("spec");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Stream<JsonNode> elements(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    /** Who serves a metric. */
    public enum Source {
        OPERATOR,
        AGENT,
        HAPROXY;

        private static Source of(String metric) {
            return metric.startsWith("berth_agent_") ? AGENT : metric.startsWith("berth_haproxy_") ? HAPROXY : OPERATOR;
        }
    }

    /** What is asked of the metrics of one source alone, which each query is. */
    public static List<Query> queries(Source source) {
        return queries().stream()
                .filter(query -> query.metrics().stream().map(Source::of).allMatch(source::equals))
                .toList();
    }

    /** What all alerts and panels ask. */
    public static List<Query> queries() {
        return Stream.concat(
                        alerts().stream().map(alert -> new Query(alert.name(), alert.expression())), panels().stream())
                .toList();
    }

    /** What the dashboard asks, for intervals of 5 minutes. */
    public static List<Query> panels() {
        return elements(dashboard().path("panels"))
                .flatMap(panel -> elements(panel.path("targets"))
                        .map(target -> new Query(
                                panel.path("title").asText(),
                                target.path("expr").asText().replace("$__rate_interval", "5m"))))
                .toList();
    }

    /** What Grafana reads. */
    public static JsonNode dashboard() {
        try {
            return Serialization.jsonMapper()
                    .readTree(COMPONENT.resolve("dashboard.json").toFile());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Panels that ask one source alone. */
    public static List<Query> panels(Source source) {
        return panels().stream().filter(queries(source)::contains).toList();
    }

    private static Set<String> metrics(String expression) {
        Set<String> names = new TreeSet<>();
        METRIC.matcher(expression).results().forEach(name -> names.add(name.group()));
        return names;
    }
}
