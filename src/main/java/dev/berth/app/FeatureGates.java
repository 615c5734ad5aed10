package dev.berth.app;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/** The feature gates, as Kubernetes' components take them: {@code LoadBalancerIPMode=true,…}. */
final class FeatureGates {
    /** A gate, by the name that is written on the command line. */
    enum Gate {
        /** Whether {@code status.loadBalancer.ingress[].ipMode} is written. */
        LoadBalancerIPMode(true);

        private final boolean byDefault;

        Gate(boolean byDefault) {
            this.byDefault = byDefault;
        }
    }

    private final Map<Gate, Boolean> set;

    private FeatureGates(Map<Gate, Boolean> set) {
        this.set = set;
    }

    /** Every gate as it is when nothing is said. */
    static FeatureGates defaults() {
        return new FeatureGates(new EnumMap<>(Gate.class));
    }

    /**
     * Reads {@code Gate=true,Other=false}.
     *
     * @throws IllegalArgumentException if a gate is unknown, or its value is neither true nor false
     */
    static FeatureGates parse(String text) {
        Map<Gate, Boolean> set = new EnumMap<>(Gate.class);
        for (String part : text.split(",", -1)) {
            int equals = part.indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException(
                        "\"" + part + "\" is not a feature gate; write Name=true or Name=false");
            }
            Gate gate = gate(part.substring(0, equals).trim());
            set.put(
                    gate,
                    switch (part.substring(equals + 1).trim()) {
                        case "true" -> true;
                        case "false" -> false;
                        default ->
                            throw new IllegalArgumentException("feature gate " + gate + " is true or false, not \""
                                    + part.substring(equals + 1) + "\"");
                    });
        }
        return new FeatureGates(set);
    }

    private static Gate gate(String name) {
        return Arrays.stream(Gate.values())
                .filter(gate -> gate.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown feature gate \"" + name + "\"; there is "
                        + Arrays.stream(Gate.values()).map(Gate::name).collect(Collectors.joining(", "))));
    }

    boolean isEnabled(Gate gate) {
        return set.getOrDefault(gate, gate.byDefault);
    }
}
