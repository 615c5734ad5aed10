package dev.berth.controller;

import dev.berth.kube.Caches;
import dev.berth.kube.Events;
import java.time.InstantSource;
import java.util.Random;

/** What a control loop is made of, where a test does not care about the rest. */
public final class SampleParts {
    private SampleParts() {}

    /** By the system's clock. */
    public static LoopParts of(Caches caches, StartGate gate, Events events) {
        return new LoopParts(caches, gate, events, timing(InstantSource.system(), InstantSource.system()));
    }

    /** What is to be done later never is. */
    public static Timing timing(InstantSource clock, InstantSource steady) {
        return new Timing(clock, steady, (delay, what) -> () -> {}, new Backoff(new Random(1)));
    }
}
