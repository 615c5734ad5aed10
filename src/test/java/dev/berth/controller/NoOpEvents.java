package dev.berth.controller;

import dev.berth.kube.Events;

/** Publishes none. */
public class NoOpEvents implements Events {
    @Override
    public void normal(About about, String reason, String message) {}

    @Override
    public void warning(About about, String reason, String message) {}
}
