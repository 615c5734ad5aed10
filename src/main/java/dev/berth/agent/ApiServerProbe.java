package dev.berth.agent;

import dev.berth.announce.ApiContact;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether the API server answers. A watch alone would not tell: nothing may have happened. */
final class ApiServerProbe {
    private static final Logger LOG = LoggerFactory.getLogger(ApiServerProbe.class);
    private final ApiServer server;
    private final Runnable lost;
    private final Runnable back;
    private final Runnable changed;
    private final ApiServerAvailability answers = new ApiServerAvailability(millis());
    private ApiContact said = ApiContact.LOST;
    private volatile boolean closed;

    /**
     * Asks nothing before {@link #start}.
     *
     * @param lost called when it does not answer: connections to it may be dead
     * @param back called when it answers again: who waits to ask it once more need not
     * @param changed called when this is otherwise than before
     */
    ApiServerProbe(ApiServer server, Runnable lost, Runnable back, Runnable changed) {
        this.server = server;
        this.lost = lost;
        this.back = back;
        this.changed = changed;
    }

    private static long millis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    void start() {
        Thread.ofPlatform().daemon().name("api-server").start(this::run);
    }

    ApiContact now() {
        return answers.at(millis());
    }

    void close() {
        closed = true;
    }

    private void run() {
        while (!closed) {
            try {
                ask();
                say(now());
                Thread.sleep(ApiServerAvailability.ASK_AGAIN);
            } catch (InterruptedException stopping) {
                return;
            }
        }
    }

    private void say(ApiContact now) {
        if (now == said) {
            return;
        }
        if (now == ApiContact.LOST || said == ApiContact.LOST) {
            LOG.info("the API server at {} {}", server, now == ApiContact.LOST ? "does not answer" : "answers");
        }
        said = now;
        changed.run();
    }

    private void ask() throws InterruptedException {
        try {
            server.ask("/version", Duration.ofMillis(ApiServerAvailability.TIMEOUT));
            if (answers.answered(millis())) {
                back.run();
            }
        } catch (ApiServer.Refused refused) {
            LOG.debug("{}", refused.toString());
            answers.failed();
        } catch (IOException gone) {
            LOG.debug("{}", gone.toString());
            answers.failed();
            lost.run();
        }
    }
}
