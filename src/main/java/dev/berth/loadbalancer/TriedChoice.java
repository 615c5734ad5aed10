package dev.berth.loadbalancer;

import dev.berth.claim.AddressRequest;
import dev.berth.claim.Choice;
import dev.berth.claim.Claim;
import dev.berth.ip.IpFamily;
import dev.berth.loadbalancer.Outcome.ClaimTried.Whose;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A choice of addresses, and what came of it.
 *
 * @param claims one for each address that was claimed, or was not, in the order of the choice
 */
record TriedChoice(Outcome.OfChoice choice, List<Outcome.ClaimTried> claims) {
    TriedChoice {
        claims = List.copyOf(claims);
    }

    /** By what came after the choice, up to the next one. */
    static TriedChoice of(Outcome.OfChoice choice, List<Outcome> after) {
        List<Outcome.ClaimTried> claims = new ArrayList<>();
        for (Outcome outcome : after) {
            if (outcome instanceof Outcome.OfChoice) {
                break;
            }
            if (outcome instanceof Outcome.ClaimTried tried) {
                claims.add(tried);
            }
        }
        return new TriedChoice(choice, claims);
    }

    /** What of it is to be claimed next; absent: nothing was chosen, or all was tried. */
    Optional<ServingEffect> next() {
        return choice instanceof Outcome.Chosen(Choice.Assigned chosen)
                        && claims.size() < chosen.picks().size()
                ? Optional.of(claim(chosen.picks().get(claims.size()), chosen.request()))
                : Optional.empty();
    }

    private static ServingEffect claim(Choice.Pick pick, AddressRequest request) {
        Claim shared = pick.joins();
        return shared == null
                ? new ServingEffect.CreateChosen(pick.ip(), request.claimOf(pick.pool()))
                : new ServingEffect.JoinChosen(shared, request.joining(shared));
    }

    /** The families for which another operator was faster. */
    List<IpFamily> lost() {
        List<IpFamily> lost = new ArrayList<>();
        for (Outcome.ClaimTried claim : claims) {
            if (claim.whose() == Whose.ANOTHERS) {
                lost.add(claim.ip().family());
            }
        }
        return lost;
    }
}
