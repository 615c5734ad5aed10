package dev.berth.app;

import dev.berth.controller.StartGate;
import dev.berth.controller.Timer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** Does something once for many changes that come together, and not on the thread of the informer that reports them. */
final class CoalescingTask {
    private final StartGate gate;
    private final Timer later;
    private final Runnable what;
    private final AtomicBoolean will = new AtomicBoolean();

    CoalescingTask(StartGate gate, Timer later, Runnable what) {
        this.gate = gate;
        this.later = later;
        this.what = what;
    }

    /** What comes before the gate is open is done by {@link #opened}. */
    void changed() {
        if (will.compareAndSet(false, true) && gate.isOpen()) {
            begin();
        }
    }

    /** The gate is open: what has changed since the world was looked at is not lost. */
    void opened() {
        if (will.get()) {
            begin();
        }
    }

    private void begin() {
        later.after(Duration.ZERO, () -> {
            will.set(false);
            what.run();
        });
    }
}
