package dev.berth.agent.bgp;

/**
 * How a session does.
 *
 * @param ending why there is none, or why the one before ended; empty: not known, or there was none before
 */
public record SessionState(boolean isEstablished, String ending) {}
