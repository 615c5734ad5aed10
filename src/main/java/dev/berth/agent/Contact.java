package dev.berth.agent;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether the API server answers. A watch alone would not tell: nothing may have happened. */
final class Contact {
    private static final Logger LOG = LoggerFactory.getLogger(Contact.class);
    private static final long ASK_AGAIN = 5_000;

    /** For how long one that answered is not missed. */
    private static final long PATIENCE = 12_000;

    private final ApiServer server;
    private final Runnable lost;
    private final Runnable changed;
    private volatile long answered = now() - PATIENCE;
    private boolean isCurrent;
    private volatile boolean closed;

    /**
     * Asks nothing before {@link #start}.
     *
     * @param lost called when it does not answer: connections to it may be dead
     * @param changed called when it answers, or does not, since now
     */
    Contact(ApiServer server, Runnable lost, Runnable changed) {
        this.server = server;
        this.lost = lost;
        this.changed = changed;
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    void start() {
        Thread.ofPlatform().daemon().name("api-server").start(this::run);
    }

    boolean isCurrent() {
        return now() - answered < PATIENCE;
    }

    void close() {
        closed = true;
    }

    private void run() {
        while (!closed) {
            try {
                ask();
                if (isCurrent != isCurrent()) {
                    isCurrent = isCurrent();
                    LOG.info("the API server at {} {}", server, isCurrent ? "answers" : "does not answer");
                    changed.run();
                }
                Thread.sleep(ASK_AGAIN);
            } catch (InterruptedException stopping) {
                return;
            }
        }
    }

    private void ask() throws InterruptedException {
        try (InputStream body = server.get("/version")) {
            body.readNBytes(1 << 16);
            answered = now();
        } catch (ApiServer.Refused refused) {
            LOG.debug("{}", refused.toString());
        } catch (IOException gone) {
            LOG.debug("{}", gone.toString());
            lost.run();
        }
    }
}
