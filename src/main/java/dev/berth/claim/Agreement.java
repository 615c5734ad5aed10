package dev.berth.claim;

import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compares what is kept to find or count things quickly with the things themselves. What disagrees is an
 * IllegalStateException that names it.
 */
final class Agreement {
    private Agreement() {}

    /**
     * Names the first entry that differs.
     *
     * @param index what is kept, as a noun
     * @param expected what it should be
     */
    static <K> void check(String index, Map<K, ?> kept, Map<K, ?> expected) {
        if (!kept.equals(expected)) {
            K differs = Stream.concat(expected.keySet().stream(), kept.keySet().stream())
                    .filter(key -> !Objects.equals(kept.get(key), expected.get(key)))
                    .findFirst()
                    .orElseThrow();
            check(index + " of " + differs, (Object) kept.get(differs), expected.get(differs));
        }
    }

    /** The same of a single thing; null: there is none. */
    static void check(String index, @Nullable Object kept, @Nullable Object expected) {
        check(
                Objects.equals(kept, expected),
                () -> "the " + index + " is " + kept + ", but by what is held it should be " + expected);
    }

    static void check(boolean agrees, Supplier<String> sentence) {
        if (!agrees) {
            throw new IllegalStateException(sentence.get());
        }
    }
}
