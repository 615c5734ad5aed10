package dev.berth.app;

import dev.berth.kube.LeaderLease;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a replica does that gets the Lease, and that loses it. One that holds it and does not work is worse than none: the
 * process ends, and another leads.
 */
final class Leadership {
    private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);

    private final LeaderLease lease;
    private final LongConsumer token;
    private final Consumer<Runnable> work;
    private final Runnable end;
    private volatile boolean isStopping;

    /**
     * Leads nothing yet.
     *
     * @param token gets the fencing token, before anything begins
     * @param work begins what a leader does; before the first write it calls what it is given, which throws if another
     *     leads by now
     * @param end ends the process
     */
    Leadership(LeaderLease lease, LongConsumer token, Consumer<Runnable> work, Runnable end) {
        this.lease = lease;
        this.token = token;
        this.work = work;
        this.end = end;
    }

    /** This replica has the Lease, which is not renewed before this has returned. */
    void begin() {
        try {
            token.accept(lease.takeToken());
            work.accept(lease::requireHeld);
        } catch (Throwable failure) {
            LOG.error("cannot take the lead: {}; the process ends", failure.toString());
            end.run();
        }
    }

    /** It has it no longer. The SDK only stops to renew it: its controllers work on beside those of the next leader. */
    void lost() {
        if (!isStopping) {
            LOG.error("the lease is lost; the process ends");
            end.run();
        }
    }

    /** The process ends already. */
    void stopping() {
        isStopping = true;
    }
}
