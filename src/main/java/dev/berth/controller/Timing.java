package dev.berth.controller;

import java.time.InstantSource;

/**
 * By which clocks a control loop goes, and how long it waits.
 *
 * @param clock what time it is, for what others read
 * @param steady how time passes, for delays and the order of those that wait: nobody sets it forward or back
 * @param later for what has no object any more that would be reconciled again
 * @param backoff how long to wait after failures
 */
public record Timing(InstantSource clock, InstantSource steady, Timer later, Backoff backoff) {}
