package dev.berth.demo;

/** Something that the demo shows is not as it should be. */
public final class Unexpected extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unexpected(String expected, String got) {
        super("expected: %s%n     got: %s".formatted(expected, got));
    }

    /** Throws one unless it is {@code asExpected}. */
    public static void unless(boolean asExpected, String expected, String got) {
        if (!asExpected) {
            throw new Unexpected(expected, got);
        }
    }
}
