package dev.berth.app;

import java.util.logging.Level;
import org.jboss.logmanager.LogContext;
import org.jboss.logmanager.Logger;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.jboss.logmanager.handlers.ConsoleHandler;

/** The log of a command that runs without Quarkus, in the format of those that run with it. */
final class ConsoleLog {
    private static final String FORMAT = "%d{yyyy-MM-dd'T'HH:mm:ss.SSSZ} %-5p [%c{1}] %s%e%n";

    private ConsoleLog() {}

    /** Writes what is logged from now on to standard output, unless something writes it already. */
    static void start() {
        Logger root = LogContext.getLogContext().getLogger("");
        if (root.getHandlers().length == 0) {
            root.setLevel(Level.INFO);
            root.addHandler(new ConsoleHandler(new PatternFormatter(FORMAT)));
        }
    }
}
