package dev.berth.app;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Something to close at the end.
 *
 * @param name what it is, human-readable
 */
record Closing(String name, AutoCloseable what) {
    private static final Logger LOG = LoggerFactory.getLogger(Closing.class);

    /**
     * Closes all of them, in this order: one that cannot be closed keeps no other open.
     *
     * @return whether all are closed; else something may go on
     */
    static boolean all(Closing... all) {
        boolean closed = true;
        for (Closing one : all) {
            try {
                one.what().close();
            } catch (Exception | LinkageError failure) {
                closed = false;
                LOG.warn("closing {}: {}", one.name(), failure.toString());
            }
        }
        return closed;
    }
}
