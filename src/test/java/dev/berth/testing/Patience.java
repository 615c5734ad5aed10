package dev.berth.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * How long a test waits for a condition that has no limit of its own. It is what a machine may take on which five JVMs and
 * their clusters share two processors; a test that passes does not wait for it.
 */
public final class Patience implements BeforeAllCallback {
    /** The default timeout of {@link Awaitility} in tests. */
    public static final Duration USUAL = Duration.ofMinutes(2);

    /** For what needs a start of the operator, or many requests. */
    public static final Duration LONG = Duration.ofMinutes(4);

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(USUAL);
    }
}
