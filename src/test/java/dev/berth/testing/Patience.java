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
    /** For what needs a start of the operator, or many requests. */
    public static final Duration LONG = Duration.ofMinutes(2);

    private static final Duration DEFAULT = Duration.ofMinutes(1);

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(DEFAULT);
    }
}
