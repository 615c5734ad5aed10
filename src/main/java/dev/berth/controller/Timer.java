package dev.berth.controller;

import java.time.Duration;

/** Does things after a delay, whatever the system's clock is set to. */
public interface Timer {
    /**
     * Does {@code what} when {@code delay} has passed.
     *
     * @return what cancels it, unless it has begun
     */
    Runnable after(Duration delay, Runnable what);
}
