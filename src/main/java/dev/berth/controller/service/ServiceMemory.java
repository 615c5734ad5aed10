package dev.berth.controller.service;

import dev.berth.controller.Timing;
import dev.berth.loadbalancer.ProviderState;

/**
 * What is remembered of one Service between two passes. Nothing in it must survive a restart. Used by one
 * pass at a time, but for what a part of it says otherwise.
 */
final class ServiceMemory {
    final NewestVersion version = new NewestVersion();
    final ServiceRetries retries;
    final ProviderMemory provider = new ProviderMemory();
    final StatusWrites status = new StatusWrites();

    /** Nothing is remembered. */
    ServiceMemory(Timing timing) {
        retries = new ServiceRetries(timing);
    }

    /** Nothing is left to do for now. */
    void succeeded() {
        retries.succeeded();
        provider.change(ProviderState::settled);
    }
}
