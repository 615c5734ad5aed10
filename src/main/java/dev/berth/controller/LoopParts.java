package dev.berth.controller;

import dev.berth.kube.Caches;
import dev.berth.kube.Events;

/**
 * What the control loops of one operator have in common.
 *
 * @param gate opens once all that is held is known
 */
public record LoopParts(Caches caches, StartGate gate, Events events, Timing timing) {}
