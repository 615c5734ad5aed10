package dev.berth.loadbalancer;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What somebody may have meant who wrote a word that is not known. Pure; of its own, because the core imports nothing but the
 * JDK.
 */
public final class Spelling {
    /** Further apart than so many edits, two words are different ones. */
    private static final int MOST_EDITS = 3;

    private static final int MOST_NAMED = 3;

    /** Longer words are not compared: it takes the product of their lengths. */
    private static final int LONGEST = 320;

    private Spelling() {}

    /** The candidate that is nearest to {@code word}, the first of equals; absent: none is near. */
    static Optional<String> nearest(String word, Collection<String> candidates) {
        return candidates.stream()
                .filter(candidate -> isNear(word, candidate))
                .min(Comparator.comparingInt(candidate -> edits(word, candidate)));
    }

    /** A parenthesis to put after the word; empty: none is near. */
    public static String didYouMean(String word, Collection<String> candidates) {
        return nearest(word, candidates)
                .map(meant -> " (did you mean \"" + meant + "\"?)")
                .orElse("");
    }

    /** {@link #didYouMean}, or, where none is near, the first few candidates. */
    static String meantOrThere(String word, Collection<String> candidates) {
        String meant = didYouMean(word, candidates);
        List<String> all = candidates.stream().distinct().sorted().toList();
        if (!meant.isEmpty() || all.isEmpty()) {
            return meant;
        }
        return all.stream()
                .limit(MOST_NAMED)
                .collect(Collectors.joining(
                        "\", \"",
                        all.size() == 1 ? " (there is \"" : " (there are \"",
                        all.size() > MOST_NAMED ? "\" and more)" : "\")"));
    }

    /** Whether a third of the word at most is different. */
    static boolean isNear(String word, String candidate) {
        int most = Math.min(MOST_EDITS, Math.max(word.length(), candidate.length()) / 3);
        return word.length() <= LONGEST
                && candidate.length() <= LONGEST
                && Math.abs(word.length() - candidate.length()) <= most
                && edits(word, candidate) <= most;
    }

    /**
     * How many characters are inserted, deleted, replaced, or swapped with the next one, to make one of the other; case
     * does not count.
     *
     * @see <a href="https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance">optimal string alignment</a>
     */
    static int edits(String one, String other) {
        int[] beforeLast = new int[other.length() + 1];
        int[] last = new int[other.length() + 1];
        int[] row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int[] spare = beforeLast;
            beforeLast = last;
            last = row;
            row = spare;
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = last[j - 1] + (isSame(one, i - 1, other, j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, 1 + Math.min(last[j], row[j - 1]));
                if (i > 1 && j > 1 && isSame(one, i - 1, other, j - 2) && isSame(one, i - 2, other, j - 1)) {
                    row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
                }
            }
        }
        return row[other.length()];
    }

    private static boolean isSame(String one, int at, String other, int there) {
        return Character.toLowerCase(one.charAt(at)) == Character.toLowerCase(other.charAt(there));
    }
}
