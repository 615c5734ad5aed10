package dev.berth.dataplane.haproxy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The answer of {@code show stat}: comma-separated values, whose first line names the columns. */
final class StatisticsTable {
    private StatisticsTable() {}

    /** One line of it. */
    record Row(Map<String, Integer> columns, List<String> values) {
        /** Empty: there is no such column, or it says nothing of this line. */
        String text(String column) {
            Integer index = columns.get(column);
            return index == null || index >= values.size() ? "" : values.get(index);
        }

        /** 0: as {@link #text} has it, or it is no number. */
        long number(String column) {
            String text = text(column);
            try {
                return text.isEmpty() ? 0 : Long.parseLong(text);
            } catch (NumberFormatException odd) {
                return 0;
            }
        }
    }

    /** Its lines; none of what is no such table. */
    static List<Row> of(String answer) {
        List<String> lines = answer.lines().filter(line -> !line.isBlank()).toList();
        if (lines.isEmpty() || !lines.getFirst().startsWith("# ")) {
            return List.of();
        }
        List<String> names = values(lines.getFirst().substring(2));
        Map<String, Integer> columns = new HashMap<>();
        for (int i = 0; i < names.size(); i++) {
            columns.put(names.get(i), i);
        }
        return lines.stream()
                .skip(1)
                .map(line -> new Row(columns, values(line)))
                .toList();
    }

    /** A value with a comma or a quote in it is in quotes, and its quotes are doubled. */
    private static List<String> values(String line) {
        List<String> values = new ArrayList<>();
        StringBuilder value = new StringBuilder();
        boolean isQuoted = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"') {
                if (isQuoted && i + 1 < line.length() && line.charAt(i + 1) == '"') {
                    value.append('"');
                    i++;
                } else {
                    isQuoted = !isQuoted;
                }
            } else if (c == ',' && !isQuoted) {
                values.add(value.toString());
                value.setLength(0);
            } else {
                value.append(c);
            }
        }
        values.add(value.toString());
        return values;
    }
}
