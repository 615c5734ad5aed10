package dev.berth.claim;

import dev.berth.ip.Ip;
import java.util.Optional;

/**
 * What a Service would have, if one of its addresses were taken back now.
 *
 * @param lost the one that it has
 * @param by the one that it would get; absent: none
 * @param reason why it would get none, one PascalCase word; empty: it would get one, or needs none
 */
public record Replacement(ServiceKey service, Ip lost, Optional<Ip> by, String reason) {}
