package dev.berth.migration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.berth.pool.Selector;
import dev.berth.pool.Selector.Operator;
import dev.berth.pool.Selector.Requirement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** An object of another controller, of whatever content: what is not as expected counts as absent. */
record Foreign(JsonNode object) {
    String name() {
        return object.path("metadata").path("name").asText("");
    }

    String namespace() {
        return object.path("metadata").path("namespace").asText("");
    }

    /** Whether a LabelSelector selects it; one with an operator that Kubernetes does not have selects nothing. */
    boolean isSelectedBy(JsonNode selector) {
        Map<String, String> labels = new TreeMap<>();
        object.path("metadata")
                .path("labels")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText("")));
        List<Requirement> requirements = new ArrayList<>();
        selector.path("matchLabels")
                .properties()
                .forEach(label -> requirements.add(new Requirement(
                        label.getKey(), Operator.IN, List.of(label.getValue().asText("")))));
        for (JsonNode expression : selector.path("matchExpressions")) {
            List<String> values = new ArrayList<>();
            expression.path("values").forEach(value -> values.add(value.asText("")));
            Operator operator;
            switch (expression.path("operator").asText("")) {
                case "In" -> operator = Operator.IN;
                case "NotIn" -> operator = Operator.NOT_IN;
                case "Exists" -> operator = Operator.EXISTS;
                case "DoesNotExist" -> operator = Operator.DOES_NOT_EXIST;
                default -> {
                    return false;
                }
            }
            requirements.add(new Requirement(expression.path("key").asText(""), operator, values));
        }
        return new Selector(requirements).matches(labels);
    }

    JsonNode spec(String field) {
        return object.path("spec").path(field);
    }

    /** Absent: it is missing, or empty. */
    Optional<String> text(String field) {
        return Optional.of(spec(field).asText("")).filter(text -> !text.isEmpty());
    }

    /** Absent: it is missing, or zero. */
    Optional<Long> number(String field) {
        return Optional.of(spec(field).asLong(0)).filter(number -> number != 0);
    }

    List<String> texts(String field) {
        return elements(field).map(one -> one.asText("")).toList();
    }

    Stream<JsonNode> elements(String field) {
        List<JsonNode> elements = new ArrayList<>();
        spec(field).elements().forEachRemaining(elements::add);
        return elements.stream();
    }

    /** Whether a field says anything: false, zero, and what is empty say nothing. */
    boolean says(String field) {
        JsonNode value = spec(field);
        return switch (value.getNodeType()) {
            case MISSING, NULL -> false;
            case BOOLEAN -> value.asBoolean();
            case NUMBER -> value.asLong() != 0;
            case STRING -> !value.asText().isEmpty();
            default -> !value.isEmpty();
        };
    }

    /** A note on each field that says anything and is none of these: MetalLB has newer ones. */
    List<String> unknown(List<String> known) {
        List<String> notes = new ArrayList<>();
        object.path("spec").fieldNames().forEachRemaining(field -> {
            if (!known.contains(field) && says(field)) {
                notes.add("%s is %s, which has no counterpart".formatted(field, spec(field)));
            }
        });
        return notes;
    }

    /** A new object of ours, and its spec to fill. */
    static ObjectNode ours(String kind, String name) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("apiVersion", "berth.dev/v1alpha1");
        object.put("kind", kind);
        object.putObject("metadata").put("name", name);
        return object;
    }
}
