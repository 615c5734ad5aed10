package dev.berth.controller;

import dev.berth.kube.Events;
import dev.berth.reason.Reason;

/** Publishes none. */
public class NoOpEvents implements Events {
    @Override
    public void normal(About about, Reason reason, String message) {}

    @Override
    public void warning(About about, Reason reason, String message) {}
}
