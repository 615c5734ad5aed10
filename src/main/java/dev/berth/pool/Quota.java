package dev.berth.pool;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * How many addresses of one family of a pool the Services of a namespace may have, reserved and cooling
 * ones included; a shared address counts once.
 *
 * @param perNamespace for every namespace not named; null: any number
 * @param namespaces for those named
 */
public record Quota(@Nullable Integer perNamespace, Map<String, Integer> namespaces) {
    public static final Quota NONE = new Quota(null, Map.of());

    public Quota {
        namespaces = new LinkedHashMap<>(namespaces);
    }

    /** The limit of {@code namespace}; empty: none. */
    public OptionalInt of(String namespace) {
        Integer limit = namespaces.getOrDefault(namespace, perNamespace);
        return limit == null ? OptionalInt.empty() : OptionalInt.of(limit);
    }
}
