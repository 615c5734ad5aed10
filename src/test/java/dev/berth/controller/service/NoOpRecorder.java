package dev.berth.controller.service;

import dev.berth.claim.ServiceKey;
import dev.berth.controller.NoOpEvents;
import dev.berth.reason.Reason;
import java.util.Optional;

/** Tells nobody. */
class NoOpRecorder extends NoOpEvents implements ServiceMetrics {
    @Override
    public void ipModeDropped(boolean dropped) {}

    @Override
    public void statusOverwritten() {}

    @Override
    public void assigned() {}

    @Override
    public void skipped(Reason reason, int services) {}

    @Override
    public void waits(ServiceKey service, Optional<String> reason) {}

    @Override
    public void orphaned(String provider, int loadBalancers) {}

    @Override
    public void stuckCalls(String className, int calls) {}

    @Override
    public void failed() {}
}
