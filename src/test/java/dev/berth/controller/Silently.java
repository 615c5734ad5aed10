package dev.berth.controller;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** For {@link ExtendWith}: Berth logs nothing while the tests of the class run. */
public final class Silently implements BeforeAllCallback, AfterAllCallback {
    private static final Logger LOG = Logger.getLogger("dev.berth");

    @Override
    public void beforeAll(ExtensionContext context) {
        LOG.setLevel(Level.OFF);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        LOG.setLevel(null);
    }
}
