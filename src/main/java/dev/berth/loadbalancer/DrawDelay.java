package dev.berth.loadbalancer;

/**
 * Draw how long to wait. A part of it is left to chance, so that those who failed together do not all come back
 * together.
 *
 * @param failures how many there were in a row; at least 1
 */
public record DrawDelay(int failures) implements ServingEffect, TearDownEffect {}
