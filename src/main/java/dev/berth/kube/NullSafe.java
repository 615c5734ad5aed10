package dev.berth.kube;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What an object says where it may say nothing at all: a field that is left out or null, an entry that is null. */
final class NullSafe {
    private static final int SHOWN = 80;

    private NullSafe() {}

    /** Without the entries that are null; empty: it is left out. */
    static <T> List<T> list(@Nullable List<T> list) {
        if (list == null) {
            return List.of();
        }
        return list.stream().anyMatch(Objects::isNull)
                ? list.stream().filter(Objects::nonNull).toList()
                : list;
    }

    /** Without the entries that are null; empty: it is left out. */
    static Map<String, String> map(@Nullable Map<String, String> map) {
        if (map == null) {
            return Map.of();
        }
        if (!map.containsValue(null)) {
            return map;
        }
        Map<String, String> given = new LinkedHashMap<>(map);
        given.values().removeIf(Objects::isNull);
        return given;
    }

    /** Human-readable: as much as fits into a sentence, without control characters. */
    static String shortened(String text) {
        String clean = text.replaceAll("\\p{Cntrl}", "?");
        return clean.length() <= SHOWN ? clean : clean.substring(0, SHOWN) + "...";
    }

    /** Empty: it is left out. */
    static String text(@Nullable String text) {
        return Objects.requireNonNullElse(text, "");
    }
}
