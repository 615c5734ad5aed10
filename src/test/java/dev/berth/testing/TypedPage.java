package dev.berth.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a page of the documentation has typed, and printed. */
public final class TypedPage {
    /** Of code; in a list twice. */
    private static final String INDENT = "    ";

    private static final String PROMPT = "$ ";
    private static final String HERE_DOCUMENT = "<<EOF";

    private TypedPage() {}

    /**
     * What is typed, and what is printed then.
     *
     * @param line of the page, from 1
     * @param printed empty: the page does not say
     */
    public record Step(int line, String typed, String printed) {}

    /** All of them, in order. */
    public static List<Step> steps(Path page) throws IOException {
        List<String> lines = Files.readAllLines(page);
        List<Step> steps = new ArrayList<>();
        int at = 0;
        while (at < lines.size()) {
            String line = lines.get(at);
            if (!line.strip().startsWith(PROMPT) || !line.startsWith(INDENT)) {
                at++;
                continue;
            }
            int begin = at;
            String indent = line.startsWith(INDENT + INDENT) ? INDENT + INDENT : INDENT;
            StringBuilder typed = new StringBuilder(lines.get(at++).substring(indent.length() + PROMPT.length()));
            if (typed.indexOf(HERE_DOCUMENT) >= 0) {
                do {
                    typed.append('\n').append(lines.get(at).substring(indent.length()));
                } while (!lines.get(at++).equals(indent + "EOF"));
            }
            StringBuilder printed = new StringBuilder();
            while (at < lines.size()
                    && lines.get(at).startsWith(indent)
                    && !lines.get(at).startsWith(indent + PROMPT)) {
                printed.append(lines.get(at++).substring(indent.length())).append('\n');
            }
            steps.add(new Step(begin + 1, typed.toString(), printed.toString().strip()));
        }
        return steps;
    }

    /**
     * The one that is typed so.
     *
     * @throws IllegalStateException if the page does not have it
     */
    public static Step step(Path page, String typed) throws IOException {
        return steps(page).stream()
                .filter(step -> step.typed().startsWith(typed))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(page + " has no: $ " + typed));
    }

    /**
     * A block of code.
     *
     * @param line of the page, from 1
     * @param text without its indent
     */
    public record Block(int line, String text) {
        public String firstLine() {
            return text.lines().findFirst().orElseThrow();
        }
    }

    /** All of them, in order. */
    public static List<Block> blocks(Path page) throws IOException {
        List<String> lines = Files.readAllLines(page);
        List<Block> blocks = new ArrayList<>();
        int at = 0;
        while (at < lines.size()) {
            if (!lines.get(at).startsWith(INDENT)) {
                at++;
                continue;
            }
            int begin = at;
            int indent = lines.get(at).length() - lines.get(at).stripLeading().length();
            StringBuilder text = new StringBuilder();
            while (at < lines.size() && isOfBlock(lines, at)) {
                String line = lines.get(at++);
                text.append(line.substring(Math.min(indent, line.length()))).append('\n');
            }
            blocks.add(new Block(begin + 1, text.toString().stripTrailing()));
        }
        return blocks;
    }

    /** An empty line is, if the block goes on after it. */
    private static boolean isOfBlock(List<String> lines, int at) {
        return lines.get(at).startsWith(INDENT)
                || (lines.get(at).isEmpty()
                        && at + 1 < lines.size()
                        && lines.get(at + 1).startsWith(INDENT));
    }

    /**
     * The one that begins so.
     *
     * @throws IllegalStateException if the page does not have it
     */
    public static String block(Path page, String begin) throws IOException {
        return blocks(page).stream()
                .map(Block::text)
                .filter(text -> text.startsWith(begin))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(page + " has no block: " + begin));
    }

    /** Without how old things are, by which columns have other widths, too. */
    public static String withoutAges(String table) {
        return table.replaceAll("\\b[0-9]+(m[0-9]*s?|s)\\b", "AGE").replaceAll(" +", " ");
    }
}
