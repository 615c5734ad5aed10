package dev.berth.loadbalancer;

import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.provider.LoadBalancerRequest;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What to do next for a Service that is served no longer: the providers delete, one class after the other, then the
 * status is cleared, and last the addresses are released. Pure: whoever does it asks again with what came of it.
 */
public final class TearingDown {
    private final ServicePlan.TearDown down;
    private final Optional<ServiceState> service;
    private final Known known;
    private final Facts facts;

    /**
     * What is known beside the plan, now.
     *
     * @param key of the Service, which may be gone
     * @param requests what the provider of each class that deletes is asked to, by the class value; empty where the Service
     *     is gone
     */
    public record Known(ServiceKey key, ObservedState situation, Map<String, LoadBalancerRequest> requests) {
        public Known {
            requests = Collections.unmodifiableMap(requests);
        }

        private LoadBalancerRequest request(ServedClass by) {
            return Objects.requireNonNull(requests.get(by.value()));
        }
    }

    private TearingDown(ServicePlan.TearDown down, Optional<ServiceState> service, Known known, Facts facts) {
        this.down = down;
        this.service = service;
        this.known = known;
        this.facts = facts;
    }

    /**
     * What to do next for a Service that is served no longer.
     *
     * @param service empty: it is gone
     */
    public static TearDownEffect next(
            ServicePlan.TearDown down, Optional<ServiceState> service, Known known, Facts facts) {
        return new TearingDown(down, service, known, facts).next();
    }

    private TearDownEffect next() {
        if (facts.planAgain().isPresent()) {
            return facts.planAgain().get();
        }
        if (facts.trouble().isPresent()) {
            return new TerminalEffect.Fail(facts.trouble().get(), false, facts.again());
        }
        // First, for it wants no address: those behind it must not wait until its provider can be called.
        if (known.situation().isQueued()) {
            return leaveQueue();
        }
        Optional<ServedClass> deletes = service.isEmpty() ? Optional.empty() : nextToDelete();
        Optional<TearDownEffect> hindered = deletes.isPresent() ? hindersCall(deletes.get()) : hindersStart();
        if (hindered.isPresent()) {
            return hindered.get();
        }
        if (needsLiveRead() || !facts.did(Done.QUEUE_LEFT)) {
            return leaveQueue();
        }
        if (service.isPresent() && deletes.isPresent()) {
            return delete(service.get(), deletes.get());
        }
        return clear().or(this::release).orElseGet(this::done);
    }

    private TearDownEffect leaveQueue() {
        return needsLiveRead() ? new TerminalEffect.PlanAgain(true) : new TearDownEffect.StopWaiting();
    }

    private TearDownEffect delete(ServiceState state, ServedClass by) {
        LoadBalancerRequest request = known.request(by);
        String called = known.situation().named().called(by, request.service().uid());
        return new TearDownEffect.Delete(state, by, request, down.attempt(), ProviderEvents.deleting(by, called));
    }

    /** Of a Service that is gone no timer comes: what failed while it was there does not hold it up. */
    private Optional<TearDownEffect> hindersStart() {
        return facts.areNone() && service.isPresent()
                ? known.situation().waits().delay(down::attempt).map(TerminalEffect.Wait::new)
                : Optional.empty();
    }

    /** Why the provider may not be called now, or has to be given its turn first; absent: it may be called. */
    private Optional<TearDownEffect> hindersCall(ServedClass by) {
        return switch (CallTurn.of(known.situation().waits().on(down.attempt()), facts)) {
            case CallTurn.Taken taken -> Optional.empty();
            case CallTurn.Untried untried ->
                Optional.of(new TearDownEffect.TakeTurn(by, known.request(by), down.attempt()));
            case CallTurn.NotYet(Postponed postponed) -> Optional.of(new TerminalEffect.Wait(postponed.left()));
            case CallTurn.InLine inLine -> Optional.of(new TerminalEffect.Wait(ProviderCall.IN_LINE));
            case CallTurn.Stuck(String message) ->
                Optional.of(new TerminalEffect.Fail(
                        ServiceFailure.ofDeleting(known.request(by).service(), message, down.attempt())
                                .heldUpByEarlierCall(),
                        false,
                        facts.again()));
        };
    }

    /** One class after the other: a Service has one place in line, so that it would never get two that are full in turn. */
    private Optional<ServedClass> nextToDelete() {
        for (ServedClass served : down.deletes()) {
            if (!known.situation().provider().isDeletedBy(known.request(served).service(), served)) {
                return Optional.of(served);
            }
        }
        return Optional.empty();
    }

    /** A patch with a resource version tells what was published last, but comes too late where the provider has deleted. */
    private boolean needsLiveRead() {
        if (service.isPresent() && !known.situation().live()) {
            for (ServedClass served : down.deletes()) {
                if (!served.capabilities().immediate()) {
                    return true;
                }
            }
        }
        return false;
    }

    private Optional<TearDownEffect> clear() {
        if (facts.did(Done.CLEARED) || service.isEmpty()) {
            return Optional.empty();
        }
        ServiceState state = service.get();
        for (Step.TearingDown step : down.steps()) {
            if (step instanceof Step.Clear(List<Published> others) && !isClean(state, others)) {
                return Optional.of(new TearDownEffect.Clear(state, others, down.attempt()));
            }
        }
        return Optional.empty();
    }

    private static boolean isClean(ServiceState state, List<Published> others) {
        return !state.hasOurFinalizer()
                && !state.hasOurConditions()
                && state.ingress().equals(others);
    }

    private Optional<TearDownEffect> release() {
        for (Step.TearingDown step : down.steps()) {
            if (step instanceof Step.Release(List<Ip> addresses)) {
                Optional<TearDownEffect> release = release(addresses);
                if (release.isPresent()) {
                    return release;
                }
            }
        }
        return Optional.empty();
    }

    /** One address after the other; absent: nobody of this name holds them, or all were tried. */
    private Optional<TearDownEffect> release(List<Ip> addresses) {
        Releasing releasing = new Releasing(addresses, known.key(), service, known.situation());
        return releasing
                .next(facts.triedToRelease())
                .map(leaving -> releasing.isOutdated()
                        ? new TerminalEffect.PlanAgain(false)
                        : service.flatMap(state -> releasing.first(addresses, state, down.attempt()))
                                .<TearDownEffect>map(first -> first)
                                .orElseGet(() -> new TearDownEffect.Release(leaving)));
    }

    /** Whether the Service says by now that it releases addresses. */
    private boolean saysReleasing() {
        return service.map(state -> known.situation().since().newest().orElse(state))
                .flatMap(newest -> newest.condition(WellKnownNames.RELEASING))
                .isPresent();
    }

    private TearDownEffect done() {
        if (facts.needsDelayForRelease()) {
            return new DrawDelay(DrawDelay.Of.RELEASE, 1);
        }
        if (facts.again().isPresent()) {
            return new TearDownEffect.LookAgain(facts.again().get());
        }
        boolean isItsOwn = down.steps().stream().anyMatch(Step.Clear.class::isInstance);
        boolean staysLoadBalancer =
                service.filter(ServiceState::wantsLoadBalancer).isPresent();
        return new TearDownEffect.Finish(
                isItsOwn && service.filter(this::isMarkOfAnotherClassOff).isPresent(),
                service.isPresent() && (!isItsOwn || staysLoadBalancer || saysReleasing()));
    }

    /** Whether somebody took off the mark of the class that is remembered, and it is to be served by another now. */
    private boolean isMarkOfAnotherClassOff(ServiceState state) {
        String named = state.loadBalancerClass();
        return named != null
                && state.wantsLoadBalancer()
                && state.servedByClass().isEmpty()
                && !known.situation().provider().bringsItsOwn(state.uid()).equals(Optional.of(named));
    }
}
