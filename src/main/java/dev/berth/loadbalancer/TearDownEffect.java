package dev.berth.loadbalancer;

import dev.berth.provider.LoadBalancerRequest;
import java.time.Duration;
import java.util.List;

/** The next thing to do for a Service that is served no longer, complete. */
public sealed interface TearDownEffect
        permits TearDownEffect.TakeTurn,
                TearDownEffect.StopWaiting,
                TearDownEffect.Delete,
                TearDownEffect.Clear,
                TearDownEffect.Release,
                TearDownEffect.LookAgain,
                TearDownEffect.Finish,
                DrawDelay,
                SayReleasing,
                TerminalEffect {
    /**
     * Wait for the provider's turn, before any other work is done for it.
     *
     * @param what is tried: if it was held up, it need not wait any more
     */
    record TakeTurn(ServedClass by, LoadBalancerRequest request, Attempt what) implements TearDownEffect {}

    /** It waits for no address. */
    record StopWaiting() implements TearDownEffect {}

    /**
     * Have the provider delete what it made.
     *
     * @param what is tried: not again before its time, if it fails
     * @param before what events say before the call
     */
    record Delete(
            ServiceState service, ServedClass by, LoadBalancerRequest request, Attempt what, List<ServiceEvent> before)
            implements TearDownEffect {
        public Delete {
            before = List.copyOf(before);
        }

        /**
         * What events say once it is done.
         *
         * @param called the load balancer in a sentence: its name may be known only since the call
         */
        public List<ServiceEvent> after(String called) {
            return ProviderEvents.deleted(by, called);
        }
    }

    /**
     * Take finalizer, ingress and conditions off in one patch.
     *
     * @param others the entries of the ingress that are another controller's: they stay
     * @param what is tried: not again before its time, if it fails
     */
    record Clear(ServiceState service, List<Published> others, Attempt what) implements TearDownEffect {}

    record Release(Leaving address) implements TearDownEffect {}

    /** What could not be released yet is looked at again. */
    record LookAgain(Duration delay) implements TearDownEffect {}

    /**
     * Nothing is left to do.
     *
     * @param forgets whether what its providers were asked for counts no longer, also what nobody could be asked to
     *     delete, for its class is gone: somebody took the mark off
     * @param planAgain whether it may be another's now, or ours by another class; or only one of its name was torn down
     */
    record Finish(boolean forgets, boolean planAgain) implements TearDownEffect {}
}
