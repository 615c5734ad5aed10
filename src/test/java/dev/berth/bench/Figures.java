package dev.berth.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What came of the rounds of one contender. */
final class Figures {
    private final Map<Figure, List<Double>> numbers = new EnumMap<>(Figure.class);

    /** Of one round; it is printed at once. NaN is none. */
    void add(Figure figure, double number) {
        if (!Double.isNaN(number)) {
            System.out.println("  " + figure.text + ": " + text(figure, number));
            numbers.computeIfAbsent(figure, _ -> new ArrayList<>()).add(number);
        }
    }

    /** How often it was measured. */
    int count(Figure figure) {
        return sorted(figure).size();
    }

    /** NaN: it was not measured. */
    double median(Figure figure) {
        List<Double> sorted = sorted(figure);
        if (sorted.isEmpty()) {
            return Double.NaN;
        }
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    /** The median, and the least and the most in parentheses where they differ from it; "-": it was not measured. */
    String text(Figure figure) {
        List<Double> sorted = sorted(figure);
        if (sorted.isEmpty()) {
            return "-";
        }
        String median = text(figure, median(figure));
        String least = text(figure, sorted.getFirst());
        String most = text(figure, sorted.getLast());
        return least.equals(most) ? median : median + " (" + least + "–" + most + ")";
    }

    private static String text(Figure figure, double number) {
        return String.format(Locale.ROOT, "%." + figure.digits + "f", number);
    }

    private List<Double> sorted(Figure figure) {
        List<Double> sorted = new ArrayList<>(numbers.getOrDefault(figure, List.of()));
        Collections.sort(sorted);
        return sorted;
    }
}
