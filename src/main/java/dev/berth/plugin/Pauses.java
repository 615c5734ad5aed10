package dev.berth.plugin;

import java.time.Duration;

/** How time passes between two tries. */
interface Pauses {
    Pauses REAL = new Pauses() {
        @Override
        public Duration now() {
            return Duration.ofNanos(System.nanoTime());
        }

        @Override
        public void pause(Duration duration) throws InterruptedException {
            Thread.sleep(duration);
        }
    };

    /** Of a steady clock, from any moment on. */
    Duration now();

    /** Returns when so much time has passed. */
    void pause(Duration duration) throws InterruptedException;
}
