package dev.berth.plan;

import dev.berth.provider.Capabilities;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What is known of the providers, each by its name.
 *
 * @param capabilities of those that have said what they can do
 * @param away why the others have not, for people
 */
public record KnownProviders(Map<String, Capabilities> capabilities, Map<String, String> away) {
    /** There are none. */
    public static final KnownProviders NONE = new KnownProviders(Map.of(), Map.of());

    public KnownProviders {
        capabilities = Collections.unmodifiableMap(new LinkedHashMap<>(capabilities));
        away = Collections.unmodifiableMap(new LinkedHashMap<>(away));
    }

    List<String> names() {
        return Stream.concat(capabilities.keySet().stream(), away.keySet().stream())
                .sorted()
                .toList();
    }
}
