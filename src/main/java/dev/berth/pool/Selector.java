package dev.berth.pool;

import java.util.List;
import java.util.Map;

/**
 * A label selector: all {@code requirements} must hold. No requirement: everything matches.
 *
 * @see <a href="https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/">labels and selectors</a>
 */
public record Selector(List<Requirement> requirements) {
    public static final Selector EVERYTHING = new Selector(List.of());

    public Selector {
        requirements = List.copyOf(requirements);
    }

    /** How a label is compared. */
    public enum Operator {
        IN,
        NOT_IN,
        EXISTS,
        DOES_NOT_EXIST
    }

    /**
     * One condition on one label.
     *
     * @param values for {@code IN} and {@code NOT_IN}; else empty
     */
    public record Requirement(String key, Operator operator, List<String> values) {
        public Requirement {
            values = List.copyOf(values);
        }

        boolean matches(Map<String, String> labels) {
            String value = labels.get(key);
            return switch (operator) {
                case IN -> value != null && values.contains(value);
                case NOT_IN -> value == null || !values.contains(value);
                case EXISTS -> value != null;
                case DOES_NOT_EXIST -> value == null;
            };
        }
    }

    public boolean matches(Map<String, String> labels) {
        return requirements.stream().allMatch(requirement -> requirement.matches(labels));
    }
}
