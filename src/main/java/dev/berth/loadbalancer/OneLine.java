package dev.berth.loadbalancer;

/** Texts of others, made fit for a condition, an event or a log: in one line, printable, and of bounded length. */
public final class OneLine {
    private static final int LONGEST = 1_000;

    private OneLine() {}

    /** The beginning of a text; what cannot be printed becomes one blank. */
    public static String of(String text) {
        return of(text, LONGEST);
    }

    /** The same, with at most so many characters and an ellipsis. */
    static String of(String text, int longest) {
        StringBuilder line = new StringBuilder();
        boolean blank = false;
        for (int at = 0; at < text.length(); ) {
            int point = text.codePointAt(at);
            at += Character.charCount(point);
            if (isPrinted(point)) {
                if (blank && !line.isEmpty()) {
                    line.append(' ');
                }
                blank = false;
                if (line.length() >= longest) {
                    return line.append('…').toString();
                }
                line.appendCodePoint(point);
            } else {
                blank = true;
            }
        }
        return line.toString();
    }

    /** Not what moves the cursor, turns the direction of writing, is half a character, or is blank. */
    private static boolean isPrinted(int point) {
        return !Character.isWhitespace(point)
                && !Character.isSpaceChar(point)
                && switch (Character.getType(point)) {
                    case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.UNASSIGNED -> false;
                    default -> true;
                };
    }
}
