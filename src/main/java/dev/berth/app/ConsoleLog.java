package dev.berth.app;

import io.quarkus.bootstrap.logging.InitialConfigurator;
import io.quarkus.bootstrap.logging.QuarkusDelayedHandler;
import java.util.logging.Handler;
import org.jboss.logmanager.Level;
import org.jboss.logmanager.LogContext;
import org.jboss.logmanager.Logger;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.jboss.logmanager.handlers.ConsoleHandler;

/** The log of a command that runs without Quarkus, in the format of those that run with it. */
final class ConsoleLog {
    private static final String FORMAT = "%d{yyyy-MM-dd'T'HH:mm:ss.SSSZ} %-5p [%c{1}] %s%e%n";

    private ConsoleLog() {}

    /** Writes what was logged, and what is logged from now on, to standard output, unless something writes it already. */
    static void start() {
        // First: the root takes the handler below when it is made, and the handler must not make it.
        Logger root = LogContext.getLogContext().getLogger("");
        // It holds all records until Quarkus, which is not to come, has configured the log.
        QuarkusDelayedHandler waiting = InitialConfigurator.DELAYED_HANDLER;
        if (!waiting.isActivated()) {
            root.setLevel(Level.INFO);
            // gRPC asks for TCP's keep-alive on Unix sockets, too: it warns of each connection.
            LogContext.getLogContext().getLogger("io.netty.bootstrap").setLevel(Level.ERROR);
            waiting.setHandlers(new Handler[] {new ConsoleHandler(new PatternFormatter(FORMAT))});
        }
    }
}
