package dev.berth.demo;

import dev.berth.testing.ControlPlane;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** What a demo prints. */
public final class Narration {
    private Narration() {}

    /** Runs kubectl, prints the command and its output, and returns the output. */
    public static String kubectl(ControlPlane cluster, String... arguments) {
        say("$ kubectl %s", List.of(arguments).stream().map(Narration::quoted).collect(Collectors.joining(" ")));
        String output = cluster.kubectl(arguments);
        System.out.print(output.indent(2));
        return output;
    }

    private static String quoted(String argument) {
        return argument.matches("[\\w./:,=-]*") ? argument : "'" + argument + "'";
    }

    /** Prints a headline. */
    public static void title(String text) {
        say("%n# %s", text);
    }

    /** Prints what is done, and how long it took. */
    public static <T> T timed(String what, Supplier<T> work) {
        System.out.print(what + " … ");
        System.out.flush();
        long start = System.nanoTime();
        T result = work.get();
        say("%.1f s", seconds(start));
        return result;
    }

    /** Since {@code start}, a {@link System#nanoTime()}. */
    public static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    /** Prints a line, as {@link String#format} makes it. */
    public static void say(String format, Object... values) {
        System.out.printf(format + "%n", values);
    }
}
