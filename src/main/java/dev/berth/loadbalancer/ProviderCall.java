package dev.berth.loadbalancer;

import dev.berth.provider.Capabilities.AddressSource;
import dev.berth.provider.EnsureOutcome;
import dev.berth.provider.LoadBalancerRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

/** What the provider of a Service that is served is asked next. */
public sealed interface ProviderCall {
    /** It is made due in its turn, and looks again even if nobody could tell it. */
    Duration IN_LINE = Duration.ofMinutes(1);

    /** A call that is made. */
    sealed interface Made extends ProviderCall {
        LoadBalancerRequest request();
    }

    /** Nothing: it can make nothing for the Service, and has nothing. */
    record NothingToServe() implements ProviderCall {}

    /** Nothing: what it answered holds, and is published. */
    record Keep(EnsureOutcome.Ready answer) implements ProviderCall {}

    /** Nothing: it answered that another serves the Service. */
    record LeaveToAnother() implements ProviderCall {}

    /** Nothing yet: what is lacking is no affair of the provider's, and what it has stays. */
    record Hold(LoadBalancerRequest request, String why) implements ProviderCall {}

    /** {@code getLoadBalancer}: whether it still has what it answered. */
    record Look(LoadBalancerRequest request, EnsureOutcome.Ready known) implements Made {}

    /** It waits for its time after a failure, and for its turn. */
    sealed interface InTurn extends ProviderCall {
        LoadBalancerRequest request();
    }

    /** Nothing before the Service is read live: one that is gone has no finalizer that would have it deleted again. */
    record ReadLive(LoadBalancerRequest request) implements InTurn {}

    /** {@code updateLoadBalancer}: nothing but the targets is new. */
    record Update(LoadBalancerRequest request) implements InTurn, Made {}

    /** {@code ensureLoadBalancer}. */
    record Ensure(LoadBalancerRequest request) implements InTurn, Made {}

    /** {@code ensureLoadBalancerDeleted}: the Service lost what it was served with, and stays. */
    record Delete(LoadBalancerRequest request) implements InTurn, Made {}

    /**
     * What to ask the provider next. Pure: after each call it is asked again, with what came of it in {@code state}.
     *
     * @param finalizer whether the Service has ours: without it nothing was made before a restart
     * @param live whether the Service is as a live read found it
     * @param holds whether an answer may still be published: a pool may have come since, or another Service's claim
     */
    static ProviderCall next(
            ProviderState state,
            Demand demand,
            ServedClass served,
            boolean finalizer,
            boolean live,
            Predicate<EnsureOutcome.Ready> holds) {
        LoadBalancerRequest request = demand.request();
        boolean immediate = served.capabilities().immediate();
        if (!demand.isServable() || lacksAddress(request, served)) {
            boolean mayHave = finalizer || state.mayHaveMadeFor(request.service());
            return immediate || !mayHave || state.isDeletedFor(request.service())
                    ? new NothingToServe()
                    : new Delete(request);
        }
        if (demand.held().isPresent()) {
            return new Hold(request, demand.held().get());
        }
        Optional<EnsureOutcome.Ready> known = state.answerTo(request, served);
        if (known.filter(holds).isPresent()) {
            return state.isDoubted() && !immediate ? new Look(request, known.get()) : new Keep(known.get());
        }
        if (state.isElsewhere(request, served)) {
            return new LeaveToAnother();
        }
        if (known.isEmpty() && state.answerButForTargets(request, served).isPresent()) {
            return new Update(request);
        }
        return live || immediate ? new Ensure(request) : new ReadLive(request);
    }

    private static boolean lacksAddress(LoadBalancerRequest request, ServedClass served) {
        return served.capabilities().addresses() == AddressSource.POOLS
                && request.addresses().isEmpty();
    }
}
