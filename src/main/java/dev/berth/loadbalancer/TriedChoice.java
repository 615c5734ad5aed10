package dev.berth.loadbalancer;

import dev.berth.claim.Choice;
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

    TriedChoice with(Outcome.ClaimTried next) {
        List<Outcome.ClaimTried> all = new ArrayList<>(claims);
        all.add(next);
        return new TriedChoice(choice, all);
    }

    /** What of it is to be claimed next; absent: nothing was chosen, or all was tried. */
    Optional<ServingEffect> next() {
        return choice instanceof Outcome.Chosen(Choice.Assigned chosen)
                        && claims.size() < chosen.picks().size()
                ? Optional.of(new ServingEffect.ClaimChosen(chosen.picks().get(claims.size()), chosen.request()))
                : Optional.empty();
    }

    /** The families for which another operator was faster. */
    List<IpFamily> lost() {
        return claims.stream()
                .filter(claim -> claim.whose() == Whose.ANOTHERS)
                .map(claim -> claim.ip().family())
                .toList();
    }
}
