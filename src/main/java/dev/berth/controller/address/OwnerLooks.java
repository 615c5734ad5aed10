package dev.berth.controller.address;

import dev.berth.claim.Owner;
import dev.berth.controller.RetrySchedule;
import dev.berth.controller.Timing;
import dev.berth.ip.Ip;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after what is held for Services that may be gone, until it is known: no event of the Service comes, and its address
 * need have no Address that would be reconciled again.
 */
final class OwnerLooks {
    private static final Logger LOG = LoggerFactory.getLogger(OwnerLooks.class);

    /** More wait in a queue: after an outage there may be thousands, and each that is looked at takes a thread. */
    private static final int AT_ONCE = 64;

    /** An address, and for whom it is held. */
    record Held(Ip ip, Owner owner) {}

    private final Timing timing;
    private final Predicate<Held> look;

    /** What is looked after, and whether somebody has asked for it again since the last look at it began. */
    private final Map<Held, Boolean> asked = new ConcurrentHashMap<>();

    /** What is to be looked at now. */
    private final Queue<Held> ready = new ConcurrentLinkedQueue<>();

    private final Semaphore lanes = new Semaphore(AT_ONCE);
    private final RetrySchedule<Held> retries;

    /** @param look whether it is known by now, and needs no further look */
    OwnerLooks(Timing timing, Predicate<Held> look) {
        this.timing = timing;
        this.look = look;
        retries = new RetrySchedule<>(timing.backoff(), timing.steady());
    }

    /** Looks at once, if nobody looks after it yet, and until it is known. */
    void now(Ip ip, Owner owner) {
        Held what = new Held(ip, owner);
        if (asked.put(what, true) == null) {
            look(what);
        }
    }

    /** Looks after a while, and until it is known; once for all who ask. */
    void later(Ip ip, Owner owner) {
        Held what = new Held(ip, owner);
        if (asked.put(what, true) == null) {
            tryAgain(what);
        }
    }

    private void look(Held what) {
        asked.put(what, false);
        if (isKnown(what)) {
            retries.done(what);
            if (asked.remove(what, false)) {
                return;
            }
        }
        tryAgain(what);
    }

    private boolean isKnown(Held what) {
        try {
            return look.test(what);
        } catch (RuntimeException defect) {
            LOG.error(
                    "{}: cannot tell whether {} still needs it",
                    what.ip(),
                    what.owner().service(),
                    defect);
            return false;
        }
    }

    private void tryAgain(Held what) {
        timing.later().after(retries.failed(what), () -> {
            ready.add(what);
            lookAtReady();
        });
    }

    private void lookAtReady() {
        while (!ready.isEmpty() && lanes.tryAcquire()) {
            try {
                for (Held next = ready.poll(); next != null; next = ready.poll()) {
                    look(next);
                }
            } finally {
                lanes.release();
            }
        }
    }
}
