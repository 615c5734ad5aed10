package dev.berth.loadbalancer;

import dev.berth.claim.Claim;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.ip.Ip;
import dev.berth.provider.Capabilities.AddressSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What has to be made sure of before addresses are published for the first time: that each is the Service's own by now.
 * Those that were written for the Service as it is need not be written again. Pure.
 */
final class Confirming {
    private Confirming() {}

    /**
     * The next thing to do; absent: they may be published.
     *
     * @param addresses that are not made sure of in this pass yet
     * @param answered who has the addresses that its provider answered
     */
    static Optional<ServingEffect> next(
            List<Ip> addresses, ServicePlan.Serve serve, ObservedState situation, AnsweredAddresses answered) {
        Owner owner = new Owner(serve.service().key(), serve.service().uid());
        List<Claim> unsure = new ArrayList<>();
        for (Ip ip : addresses) {
            Optional<Holding> held = situation
                    .holding(ip)
                    .filter(Holding::isClaimedOrOwned)
                    .or(() -> ObservedState.holding(ip, answered.holdings()).filter(Holding::isClaimedOrOwned));
            if (held.isEmpty()) {
                // Released by another operator meanwhile, or a provider's own.
                if (serve.servedClass().capabilities().addresses() == AddressSource.POOLS) {
                    return Optional.of(new TerminalEffect.PlanAgain(true));
                }
            } else if (!situation.since().wroteAddresses().contains(ip)) {
                Claim claim = held.get().claim();
                if (claim == null || !claim.owners().contains(owner)) {
                    return Optional.of(new ServingEffect.ReadAgain(held.get()));
                }
                unsure.add(claim);
            }
        }
        return unsure.stream().findFirst().map(ServingEffect.ConfirmClaim::new);
    }
}
