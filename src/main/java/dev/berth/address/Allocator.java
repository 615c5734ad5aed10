package dev.berth.address;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Chooses addresses. Pure: it reads a {@link View} and changes nothing. */
public final class Allocator {
    private Allocator() {}

    /** What choosing needs to know. */
    public interface View {
        PoolBook pools();

        /** Whether nobody holds {@code ip}. */
        boolean isFree(Ip ip);

        /** The lowest address of {@code family} in {@code pool} that nobody holds; absent: it is full. */
        Optional<Ip> lowestFree(Pool pool, IpFamily family);

        /** How many addresses of {@code family} in {@code pool} nobody holds. */
        BigInteger free(Pool pool, IpFamily family);

        /** Whether a free address would be left for {@code turn} after all who wait ahead of it for this pool. */
        boolean isTurn(Pool pool, IpFamily family, WaitTurn turn);
    }

    /**
     * Chooses the address that each requested family gets: an address asked for again if it can be had,
     * else the lowest free one of the first pool, by priority and name, that allows it.
     *
     * @return {@link Choice.Assigned}, or {@link Choice.Refused} with the first rule of every pool that
     *     said no
     */
    public static Choice choose(View view, AddressRequest request) {
        List<Choice.Pick> picks = new ArrayList<>();
        List<Refusal> refusals = new ArrayList<>();
        boolean lacking = false;
        for (IpFamily family : request.families()) {
            List<Refusal> said = new ArrayList<>();
            Optional<Choice.Pick> pick = preferred(view, request, family).or(() -> first(view, request, family, said));
            if (pick.isPresent()) {
                picks.add(pick.get());
            } else {
                lacking = true;
                refusals.addAll(said);
            }
        }
        boolean enough = request.allOrNone() ? !lacking : !picks.isEmpty();
        return enough ? new Choice.Assigned(request, picks, refusals) : new Choice.Refused(request, refusals);
    }

    /** The address of {@code family} asked for again that can be had; absent: none can. */
    static Optional<Choice.Pick> preferred(View view, AddressRequest request, IpFamily family) {
        return request.preferred().stream()
                .filter(ip -> ip.family() == family && view.isFree(ip))
                .flatMap(ip -> view.pools().poolOf(ip).stream()
                        .filter(pool -> pool.forbids(request, family).isEmpty())
                        .map(pool -> new Choice.Pick(ip, pool.name())))
                .findFirst();
    }

    private static Optional<Choice.Pick> first(
            View view, AddressRequest request, IpFamily family, List<Refusal> refusals) {
        for (Pool pool : view.pools().pools()) {
            Optional<Rule> forbidden = pool.forbids(request, family);
            if (forbidden.isEmpty()) {
                Optional<Ip> free = view.lowestFree(pool, family);
                if (free.isPresent() && view.isTurn(pool, family, request.turn())) {
                    return Optional.of(new Choice.Pick(free.get(), pool.name()));
                }
                forbidden = Optional.of(free.isPresent() ? Rule.OTHERS_WAIT : Rule.FULL);
            }
            refusals.add(
                    new Refusal(pool.name(), family, forbidden.get(), view.free(pool, family), pool.capacity(family)));
        }
        return Optional.empty();
    }
}
