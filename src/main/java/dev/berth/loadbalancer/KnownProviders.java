package dev.berth.loadbalancer;

import dev.berth.provider.Capabilities;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What is known of the providers, each by its name.
 *
 * @param capabilities of those that have said what they can do
 * @param away why the others have not, human-readable
 */
public record KnownProviders(Map<String, Capabilities> capabilities, Map<String, String> away) {
    /** There are none. */
    public static final KnownProviders NONE = new KnownProviders(Map.of(), Map.of());

    public KnownProviders {
        capabilities = Collections.unmodifiableMap(new LinkedHashMap<>(capabilities));
        away = Collections.unmodifiableMap(new LinkedHashMap<>(away));
    }

    /** With those that can do such things among the others, for the reason {@code why}. */
    public KnownProviders without(Predicate<Capabilities> such, String why) {
        Map<String, Capabilities> rest = new LinkedHashMap<>(capabilities);
        Map<String, String> others = new LinkedHashMap<>(away);
        capabilities.forEach((name, can) -> {
            if (such.test(can)) {
                rest.remove(name);
                others.put(name, why);
            }
        });
        return new KnownProviders(rest, others);
    }

    List<String> names() {
        return Stream.concat(capabilities.keySet().stream(), away.keySet().stream())
                .sorted()
                .toList();
    }
}
