package dev.berth.loadbalancer;

import dev.berth.claim.Holding;
import dev.berth.claim.ServiceKey;
import dev.berth.ip.Ip;
import dev.berth.reason.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Who leaves which address, and what comes first. A Service that was not written since it was looked at is written before
 * it releases an address, so that a write of before does not publish it afterwards. Pure.
 */
final class Releasing {
    private final List<Leaving> leaving;
    private final Optional<Holding> unsaid;
    private final ObservedState situation;

    /** Of {@code addresses}, those that nobody of this name holds stay what they are. */
    Releasing(List<Ip> addresses, ServiceKey key, Optional<ServiceState> service, ObservedState situation) {
        this.situation = situation;
        leaving = new ArrayList<>();
        Optional<Holding> itsOwn = Optional.empty();
        for (Ip ip : addresses) {
            Optional<Holding> held = situation.holding(ip);
            Optional<Leaving> one = held.flatMap(holding -> leaving(holding, key, service));
            one.ifPresent(leaving::add);
            if (itsOwn.isEmpty() && one.filter(Leaving.Itself.class::isInstance).isPresent()) {
                itsOwn = held;
            }
        }
        unsaid = situation.since().wroteService() ? Optional.empty() : itsOwn;
    }

    /** One that had the name before goes first. */
    private Optional<Leaving> leaving(Holding holding, ServiceKey key, Optional<ServiceState> service) {
        return service.flatMap(state -> holding.predecessorOf(key, state.uid()))
                .or(() -> holding.holderNamed(key))
                .map(owner ->
                        service.filter(state -> state.uid().equals(owner.uid())).isPresent()
                                ? new Leaving.Itself(
                                        holding.ip(), owner, situation.since().beforeWriting(holding.ip()))
                                : new Leaving.Former(holding.ip(), owner));
    }

    /** Who leaves next; absent: nobody, or all of them were tried. */
    Optional<Leaving> next(List<Ip> tried) {
        for (Leaving one : leaving) {
            if (!tried.contains(one.ip())) {
                return Optional.of(one);
            }
        }
        return Optional.empty();
    }

    /** Whether an Address is another than when the plan was made: somebody may have written it to publish it. */
    boolean isOutdated() {
        return unsaid.map(Holding::claim)
                .filter(claim -> !situation.since().isAsPlanned(claim))
                .isPresent();
    }

    /**
     * What has to be written first; absent: nothing.
     *
     * @param addresses that are released, for people
     * @param attempt what is not tried again before its time, if it fails
     */
    Optional<SayReleasing> first(List<Ip> addresses, ServiceState planned, Attempt attempt) {
        ServiceState state = situation.since().newest().orElse(planned);
        return unsaid.map(holding -> new SayReleasing(
                state,
                ServiceConditions.releasing(state, addresses, situation.now()),
                new ServiceFailure("releasing " + addresses, Reason.ReleaseFailed, "", attempt)));
    }
}
