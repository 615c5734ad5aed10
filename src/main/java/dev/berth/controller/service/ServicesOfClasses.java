package dev.berth.controller.service;

import dev.berth.controller.loadbalancerclass.ClassControl;
import dev.berth.loadbalancer.ClassSet;
import dev.berth.loadbalancer.Deference;
import java.util.Optional;

/** What the status of a LoadBalancerClass says of Services: each part knows one of it. */
record ServicesOfClasses(
        ServiceParts.Environment environment, ForeignServices foreign, SkippedServices skipped, StuckCalls stuck)
        implements ClassControl.Services {
    /** Why Services without a class are left to another, with the classes as they are judged now; absent: they are not. */
    Optional<Deference> deference() {
        return deference(environment.classes().get());
    }

    @Override
    public Optional<Deference> deference(ClassSet judged) {
        return judged.deference(environment.cloudNode().get(), foreign.sign());
    }

    @Override
    public Optional<String> servedByAnother(String className) {
        return skipped.byAnother(className);
    }

    @Override
    public Optional<String> stuckCalls(String className) {
        return stuck.of(className);
    }
}
