package dev.berth.loadbalancer;

import dev.berth.claim.AddressRequest;
import dev.berth.claim.Claim;
import dev.berth.claim.ClaimSpec;
import dev.berth.claim.Holding;
import dev.berth.claim.Owner;
import dev.berth.claim.ServiceKey;
import dev.berth.claim.Sharing;
import dev.berth.ip.Ip;
import dev.berth.pool.Pool;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What a step of the plan does to Address objects, and what follows where none could be made. Pure. */
final class Claiming {
    private final ServicePlan.Serve serve;
    private final ObservedState situation;
    private final Facts facts;
    private final ServiceKey key;
    private final Owner owner;

    Claiming(ServicePlan.Serve serve, ObservedState situation, Facts facts) {
        this.serve = serve;
        this.situation = situation;
        this.facts = facts;
        key = serve.service().key();
        owner = new Owner(key, serve.service().uid());
    }

    /** The next effect of the step at {@code index}; absent: it is done. */
    Optional<ServingEffect> of(int index, Step.OfClaims step) {
        return switch (step) {
            case Step.ConfirmClaim(Holding holding, ServedClass served) -> Optional.of(confirm(index, holding, served));
            case Step.Amend(Holding holding, ClaimSpec spec) -> Optional.of(amend(index, holding.claim(), spec));
            case Step.Acquire(AddressRequest request) -> Acquiring.next(request, serve.attempt(), facts);
        };
    }

    private static ServingEffect amend(int index, @Nullable Claim claim, ClaimSpec spec) {
        return claim == null ? new TerminalEffect.PlanAgain(false) : new ServingEffect.UpdateClaim(index, claim, spec);
    }

    private ServingEffect confirm(int index, Holding holding, ServedClass served) {
        return switch (holding.state()) {
            case HELD -> new ServingEffect.CreateClaim(index, holding.ip(), again(holding, served));
            case UNSURE -> new ServingEffect.ReadClaim(index, holding.ip());
            case CLAIMED -> takeOver(index, holding, served);
        };
    }

    /** Of the pool that has it by now. */
    private ClaimSpec again(Holding holding, ServedClass served) {
        ClaimSpec spec = holding.spec().takenFor(served.value(), UnaryOperator.identity());
        return spec.takenFrom(
                situation.pools().poolOf(holding.ip()).map(Pool::name).orElse(spec.pool()));
    }

    /** What is kept for the Service's name, or was of one that had it before, becomes its claim. */
    private ServingEffect takeOver(int index, Holding holding, ServedClass served) {
        Claim claim = holding.claim();
        if (claim == null) {
            return new TerminalEffect.PlanAgain(false);
        }
        if (!situation.isReadSince(claim) && holding.holderNamed(key).isPresent()) {
            // Only a live read tells who has the name now, and none that is older than the claim.
            return new TerminalEffect.PlanAgain(true);
        }
        ClaimSpec taken =
                claim.spec().takenFor(served.value(), other -> other.service().equals(key) ? owner : other);
        return new ServingEffect.UpdateClaim(
                index,
                claim,
                serve.constraints().retaining(shared(taken, serve.constraints().sharing()), key));
    }

    /** Nobody may join before its ports are there. */
    private ClaimSpec shared(ClaimSpec taken, @Nullable Sharing mine) {
        boolean alone = taken.owners().stream().allMatch(other -> other.isReservation() || other.equals(owner));
        Sharing terms = taken.sharing();
        if (alone) {
            return taken.shared(mine);
        }
        return mine != null && terms != null && terms.admits(mine) ? taken.joinedBy(owner, mine) : taken;
    }

    /** Whether what was found of an address whose Address was unsure is not what the step thought. */
    boolean foundAnother() {
        return facts.found()
                .filter(claim -> !claim.owners().contains(owner)
                        || !serve.servedClass().value().equals(claim.loadBalancerClass()))
                .isPresent();
    }

    /**
     * What to do about Addresses that could not be made, and may never be: others may have the addresses, and go first.
     * What is still published, or may be, stays held: it is nobody else's before it is taken off. What was chosen in this
     * pass was held for that alone. Absent: nothing, or no more.
     */
    Optional<ServingEffect> giveUp() {
        List<Ip> chosen = facts.chosenInVain();
        if (!chosen.isEmpty()) {
            return Optional.of(new ServingEffect.GiveUpClaim(chosen.getFirst()));
        }
        for (Ip ip : facts.notMade()) {
            Optional<ServingEffect> givesUp = giveUp(ip);
            if (givesUp.isPresent()) {
                return givesUp;
            }
        }
        return Optional.empty();
    }

    private Optional<ServingEffect> giveUp(Ip ip) {
        boolean isMade = situation.holding(ip).map(Holding::claim).isPresent();
        if (isMade
                || serve.service().publishes(ip)
                || situation.mayBePublished().contains(ip)) {
            return Optional.empty();
        }
        // The cache may be older than what was published last.
        if (!situation.live() && facts.readService().isEmpty()) {
            return Optional.of(new ServingEffect.ReadService());
        }
        return facts.readService().filter(read -> mayPublish(read, ip)).isPresent()
                ? Optional.empty()
                : Optional.of(new ServingEffect.GiveUpClaim(ip));
    }

    private boolean mayPublish(Outcome.OfRead read, Ip ip) {
        return switch (read) {
            case Outcome.ServiceRead(Optional<ServiceState> now) ->
                now.filter(state -> state.uid().equals(owner.uid()) && state.publishes(ip))
                        .isPresent();
            case Outcome.ServiceNotRead unknown -> true;
        };
    }
}
