package dev.berth.controller.service;

import dev.berth.address.ServiceKey;
import dev.berth.kube.Events;
import java.util.Optional;

/** Tells nobody. */
final class NoOpRecorder implements Events, ServiceMetrics {
    @Override
    public void normal(About about, String reason, String message) {}

    @Override
    public void warning(About about, String reason, String message) {}

    @Override
    public void ipModeDropped(boolean dropped) {}

    @Override
    public void statusOverwritten() {}

    @Override
    public void assigned() {}

    @Override
    public void leftAlone(dev.berth.loadbalancer.ServicePlan.Skip.Reason reason, int services) {}

    @Override
    public void waits(ServiceKey service, Optional<String> reason) {}

    @Override
    public void leftOver(String provider, int loadBalancers) {}

    @Override
    public void stuckCalls(String className, int calls) {}

    @Override
    public void failed() {}
}
