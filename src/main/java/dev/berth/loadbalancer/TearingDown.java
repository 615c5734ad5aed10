package dev.berth.loadbalancer;

import dev.berth.address.Ip;
import dev.berth.loadbalancer.Facts.Done;
import dev.berth.loadbalancer.Serving.Waits;
import dev.berth.provider.LoadBalancerRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

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
     * @param live whether the Service is as a live read found it
     * @param provider what is known of its providers
     * @param request what the provider of a class is asked to delete
     * @param waits how long what is about to be tried must still wait
     * @param releasing whether the Service says by now that it releases addresses
     */
    public record Known(
            boolean live,
            ProviderState provider,
            Function<ServedClass, LoadBalancerRequest> request,
            Waits waits,
            boolean releasing) {}

    private TearingDown(ServicePlan.TearDown down, Optional<ServiceState> service, Known known, Facts facts) {
        this.down = down;
        this.service = service;
        this.known = known;
        this.facts = facts;
    }

    /**
     * Decides.
     *
     * @param service empty: it is gone
     */
    public static TearDownEffect next(
            ServicePlan.TearDown down, Optional<ServiceState> service, Known known, Facts facts) {
        return new TearingDown(down, service, known, facts).next();
    }

    private TearDownEffect next() {
        Optional<ServedClass> deletes = service.isEmpty() ? Optional.empty() : nextToDelete();
        if (!facts.did(Done.TURN_TAKEN)) {
            if (deletes.isPresent()) {
                return new TearDownEffect.TakeTurn(
                        deletes.get(), known.request().apply(deletes.get()));
            }
            Optional<Duration> delay = known.waits().delay(down.steps());
            if (delay.isPresent() && facts.equals(Facts.NONE)) {
                return new TearDownEffect.Wait(delay.get());
            }
        }
        if (!known.live() && needsLiveRead()) {
            return new TearDownEffect.ReadLive();
        }
        if (!facts.did(Done.QUEUE_LEFT)) {
            return new TearDownEffect.StopWaiting();
        }
        if (deletes.isPresent()) {
            return new TearDownEffect.Delete(deletes.get(), known.request().apply(deletes.get()));
        }
        return clear().or(this::release).orElseGet(this::done);
    }

    /** One class after the other: a Service has one place in line, so that it would never get two that are full in turn. */
    private Optional<ServedClass> nextToDelete() {
        for (Step.TearingDown step : down.steps()) {
            if (step instanceof Step.DeleteLoadBalancer(ServedClass served)
                    && !known.provider()
                            .isDeletedBy(known.request().apply(served).service(), served)) {
                return Optional.of(served);
            }
        }
        return Optional.empty();
    }

    /** A patch with a resource version tells what was published last, but comes too late where the provider has deleted. */
    private boolean needsLiveRead() {
        return service.isPresent()
                && down.steps().stream()
                        .anyMatch(step -> step instanceof Step.DeleteLoadBalancer(ServedClass served)
                                && !served.capabilities().immediate());
    }

    private Optional<TearDownEffect> clear() {
        if (facts.did(Done.CLEARED) || service.isEmpty()) {
            return Optional.empty();
        }
        ServiceState state = service.get();
        return down.steps().stream()
                .flatMap(step -> step instanceof Step.Clear(List<Published> others) && !isClean(state, others)
                        ? Stream.of(new TearDownEffect.Clear(state, others))
                        : Stream.<TearDownEffect>empty())
                .findFirst();
    }

    private static boolean isClean(ServiceState state, List<Published> others) {
        return !state.hasOurFinalizer()
                && !state.hasOurConditions()
                && state.ingress().equals(others);
    }

    private Optional<TearDownEffect> release() {
        return facts.did(Done.RELEASED)
                ? Optional.empty()
                : down.steps().stream()
                        .flatMap(step -> step instanceof Step.Release(List<Ip> addresses)
                                ? Stream.of(new TearDownEffect.Release(addresses))
                                : Stream.<TearDownEffect>empty())
                        .findFirst();
    }

    private TearDownEffect done() {
        if (facts.again().isPresent()) {
            return new TearDownEffect.LookAgain(facts.again().get());
        }
        boolean isItsOwn = down.steps().stream().anyMatch(Step.Clear.class::isInstance);
        boolean staysLoadBalancer =
                service.filter(ServiceState::wantsLoadBalancer).isPresent();
        return new TearDownEffect.Finish(
                isItsOwn && service.filter(this::isMarkOfAnotherClassOff).isPresent(),
                service.isPresent() && (!isItsOwn || staysLoadBalancer || known.releasing()));
    }

    /** Whether somebody took off the mark of the class that is remembered, and it is to be served by another now. */
    private boolean isMarkOfAnotherClassOff(ServiceState state) {
        String named = state.loadBalancerClass();
        return named != null
                && state.wantsLoadBalancer()
                && state.servedByClass().isEmpty()
                && !known.provider().bringsItsOwn(state.uid()).equals(Optional.of(named));
    }
}
