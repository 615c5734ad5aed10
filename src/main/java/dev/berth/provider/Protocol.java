package dev.berth.provider;

/** What a port carries; named as in {@code spec.ports[].protocol}. */
public enum Protocol {
    TCP,
    UDP,
    SCTP
}
