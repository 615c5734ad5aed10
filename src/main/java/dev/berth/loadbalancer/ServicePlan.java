package dev.berth.loadbalancer;

import dev.berth.claim.AddressConstraints;
import dev.berth.claim.AddressRequest;
import dev.berth.claim.QueuePosition;
import dev.berth.reason.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is to be done for a Service. */
public sealed interface ServicePlan {
    /** The steps, in order; empty: nothing. */
    List<? extends Step> steps();

    /** What it lacks, and asks pools for. */
    default List<AddressRequest> requests() {
        List<AddressRequest> requests = new ArrayList<>();
        for (Step step : steps()) {
            if (step instanceof Step.Acquire(AddressRequest request)) {
                requests.add(request);
            }
        }
        return requests;
    }

    /** What the Service asks for itself; nothing, where it is not served. */
    default AddressConstraints constraints() {
        return AddressConstraints.NONE;
    }

    /** Whether what is planned does not depend on an address, or a class, that the Service waits for. */
    default boolean isAnothers() {
        return this instanceof NotOurs
                || (this instanceof Skip && steps().stream().noneMatch(Step.Explain.class::isInstance));
    }

    /**
     * It is ours to serve.
     *
     * @param constraints what it asks for itself
     * @param steps for its addresses; all else {@link Serving} decides, by what came of them
     * @param marks whether our finalizer, or by which class it is served, has to be put on it first
     * @param stays what stays in its status until it is known what to publish: not what is another's by now
     */
    record Serve(
            ServiceState service,
            ServedClass servedClass,
            AddressConstraints constraints,
            List<Step.Serving> steps,
            boolean marks,
            List<Published> stays)
            implements ServicePlan {
        public Serve {
            steps = List.copyOf(steps);
            stays = List.copyOf(stays);
        }

        /** Nothing that it publishes is another's. */
        Serve(
                ServiceState service,
                ServedClass servedClass,
                AddressConstraints constraints,
                List<Step.Serving> steps,
                boolean marks) {
            this(service, servedClass, constraints, steps, marks, service.ingress());
        }

        /** The same whenever it is planned again: tells that it was tried before. */
        public Attempt attempt() {
            List<Step.Serving> tried = new ArrayList<>(steps);
            tried.replaceAll(step -> step instanceof Step.Acquire(AddressRequest request)
                    ? new Step.Acquire(request.at(QueuePosition.FIRST))
                    : step);
            return new Attempt.Serve(servedClass, tried, marks);
        }

        /** Whether an address has to be chosen for it. */
        public boolean acquires() {
            return !requests().isEmpty();
        }
    }

    /**
     * It was ours and is no longer.
     *
     * @param why for the log: deleted, no longer type LoadBalancer, class changed
     */
    record TearDown(String why, List<Step.TearingDown> steps) implements ServicePlan {
        public TearDown {
            steps = List.copyOf(steps);
        }

        /** The same whenever it is planned again. */
        Attempt attempt() {
            return new Attempt.TearDown(steps);
        }

        /** The classes whose providers delete, in their order. */
        public List<ServedClass> deletes() {
            List<ServedClass> deletes = new ArrayList<>();
            for (Step.TearingDown step : steps) {
                if (step instanceof Step.DeleteLoadBalancer(ServedClass served)) {
                    deletes.add(served);
                }
            }
            return deletes;
        }
    }

    /**
     * Another controller gave it its addresses: it becomes ours as soon as it holds all of them here.
     *
     * @param request those that it publishes and does not hold
     * @param steps for as long as it cannot have them
     */
    record Adopt(ServiceState service, String className, AddressRequest request, List<Step.Skipping> steps)
            implements ServicePlan {
        public Adopt {
            steps = List.copyOf(steps);
        }
    }

    /**
     * It wants a load balancer, and is skipped.
     *
     * @param reason one of {@link #REASONS}
     * @param className the LoadBalancerClass object that would serve it; null: there is none
     * @param message what was seen, and what to set, human-readable
     */
    record Skip(
            ServiceState service, Reason reason, @Nullable String className, String message, List<Step.Skipping> steps)
            implements ServicePlan {
        /** All that it can be for. */
        public static final Set<Reason> REASONS = Collections.unmodifiableSet(EnumSet.of(
                Reason.DeferredToOther,
                Reason.ServedByOtherController,
                Reason.ClassMissing,
                Reason.ClassNotAccepted,
                Reason.ClassNotFound,
                Reason.NoDefaultClass));

        public Skip {
            if (!REASONS.contains(reason)) {
                throw new IllegalArgumentException("no reason to skip a Service: " + reason);
            }
            steps = List.copyOf(steps);
        }
    }

    /**
     * It is not for Berth; a condition from when it was goes.
     *
     * @param again when to look again if nothing happens; absent: not at all
     */
    record NotOurs(List<Step.Skipping> steps, Optional<Duration> again) implements ServicePlan {
        public NotOurs {
            steps = List.copyOf(steps);
        }

        /** One that need not be looked at again. */
        public NotOurs(List<Step.Skipping> steps) {
            this(steps, Optional.empty());
        }
    }
}
