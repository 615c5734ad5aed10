package dev.berth.servicecidr;

import dev.berth.claim.ServiceKey;

/**
 * A cluster IP that is kept for a Service to come.
 *
 * @param address as the administrator wrote it
 */
public record Reservation(String address, ServiceKey service) {}
