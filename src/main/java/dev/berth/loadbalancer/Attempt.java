package dev.berth.loadbalancer;

import dev.berth.claim.AddressRequest;
import dev.berth.provider.LoadBalancerRequest;
import java.util.List;

/**
 * What is tried for a Service. Two that are equal are the same attempt: what failed is not tried again before its time, and
 * anything else at once.
 */
public sealed interface Attempt
        permits Attempt.Call,
                Attempt.Serve,
                Attempt.TearDown,
                Attempt.TakeOver,
                Publication.Difference,
                ServingEffect.Mark,
                ServingEffect.NodePorts {
    /** To ask its provider this. */
    record Call(LoadBalancerRequest request) implements Attempt {}

    /** To give it its addresses, whatever its place among those that wait. */
    record Serve(ServedClass servedClass, List<Step.Serving> steps, boolean marks) implements Attempt {}

    /** To undo what was done for it. */
    record TearDown(List<Step.TearingDown> steps) implements Attempt {}

    /** To take over the addresses that another controller gave it. */
    record TakeOver(AddressRequest request) implements Attempt {}
}
