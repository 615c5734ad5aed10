package dev.berth.claim;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.Pool;
import dev.berth.pool.PoolBook;
import dev.berth.pool.Refusal;
import dev.berth.pool.RefusalReason;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiPredicate;
import java.util.function.Function;

/** Chooses addresses. Pure: it reads a {@link View} and changes nothing. */
public final class Allocator {
    private Allocator() {}

    /** What choosing needs to know. */
    public interface View {
        PoolBook pools();

        /** Who holds {@code ip}; absent: nobody. */
        Optional<Holding> holding(Ip ip);

        /** The addresses that are shared by this key in this namespace. */
        Collection<Holding> shared(String namespace, String key);

        /**
         * The address of {@code family} that {@code pool} allocates next, none that somebody ahead of {@code
         * turn} waits for; absent: there is none.
         */
        Optional<Ip> nextFree(Pool pool, IpFamily family, QueuePosition turn);

        /** How many addresses of {@code family} in {@code pool} nobody holds. */
        BigInteger free(Pool pool, IpFamily family);

        /** Whether a free address would be left for {@code turn} after all who wait ahead of it for this pool. */
        boolean isTurn(Pool pool, IpFamily family, QueuePosition turn);

        /** Whether nobody ahead of {@code turn} waits for this very address. */
        boolean isTurn(Ip ip, QueuePosition turn);

        /** Whether the namespace's quota would not be used up by those of it who wait ahead of {@code turn}. */
        boolean isTurn(Pool pool, IpFamily family, String namespace, QueuePosition turn);

        /** How many addresses of {@code family} in {@code pool} are the namespace's. */
        int used(Pool pool, IpFamily family, String namespace);
    }

    /**
     * Chooses the address that each requested family gets: the very one that the Service names; else one
     * that it shares; else one asked for again if it is available and nobody ahead waits; else the next free one of the
     * first pool,
     * by priority and name, that allows it.
     *
     * @return {@link Choice.Assigned}, or {@link Choice.Refused} with the first rule of every pool that
     *     refused
     */
    public static Choice choose(View view, AddressRequest request) {
        List<Choice.Pick> picks = new ArrayList<>();
        List<Refusal> refusals = new ArrayList<>();
        boolean lacking = false;
        for (IpFamily family : request.families()) {
            List<Refusal> said = new ArrayList<>();
            Optional<Choice.Pick> pick = new ForFamily(view, request, family, said).choose();
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

    /** The address of {@code family} asked for again that is available, no matter who waits; absent: none is. */
    static Optional<Choice.Pick> preferred(View view, AddressRequest request, IpFamily family) {
        return new ForFamily(view, request, family, new ArrayList<>()).preferred((ip, pool) -> true);
    }

    /** The limit that keeps the Service from another address of {@code pool}, as a phrase; absent: none. */
    static Optional<String> overQuota(View view, AddressRequest request, Pool pool, IpFamily family) {
        String namespace = request.service().namespace();
        OptionalInt limit = pool.policy().quota().of(namespace);
        if (limit.isEmpty()) {
            return Optional.empty();
        }
        int used = view.used(pool, family, namespace);
        return used < limit.getAsInt()
                ? Optional.empty()
                : Optional.of("namespace " + namespace + " has " + used + " of " + limit.getAsInt());
    }

    /** Whether another of its sharing key is just claiming the address that it is to have. */
    static boolean sharesSoon(View view, AddressRequest request, IpFamily family) {
        List<Refusal> said = new ArrayList<>();
        return request.wishes().address(family).isEmpty()
                && new ForFamily(view, request, family, said).join().isEmpty()
                && !said.isEmpty();
    }

    /** Whether it could have an address of the family, if nobody else waited. */
    static boolean isThere(View view, AddressRequest request, IpFamily family) {
        ForFamily asked = new ForFamily(view, request, family, new ArrayList<>());
        Optional<Ip> named = request.wishes().address(family);
        if (named.isEmpty() && (asked.join().isPresent() || !asked.refusals().isEmpty())) {
            return asked.refusals().isEmpty();
        }
        Optional<Holding> held = named.flatMap(view::holding);
        return view.pools().pools().stream()
                .filter(pool -> pool.forbids(request.ofPools(family)).isEmpty())
                .anyMatch(pool -> held.isPresent()
                        ? asked.joining(pool, held.get()) instanceof ForFamily.Answer.Yes
                        : overQuota(view, request, pool, family).isEmpty()
                                && view.free(pool, family).signum() > 0);
    }

    private record ForFamily(View view, AddressRequest request, IpFamily family, List<Refusal> refusals) {
        Optional<Choice.Pick> choose() {
            Optional<Ip> named = request.wishes().address(family);
            if (named.isPresent()) {
                return overPools(pool -> exactly(pool, named.get()));
            }
            Optional<Choice.Pick> joined = join();
            // Who is to share an address that is just being claimed waits for it, and takes no other.
            return joined.isPresent() || !refusals.isEmpty()
                    ? joined
                    : preferred(this::isTurn).or(() -> overPools(this::next));
        }

        private sealed interface Answer {
            record Yes(Choice.Pick pick) implements Answer {}

            record No(RefusalReason rule, String detail) implements Answer {}
        }

        private static Answer yes(Ip ip, Pool pool) {
            return new Answer.Yes(new Choice.Pick(ip, pool.name()));
        }

        private static Answer no(RefusalReason rule) {
            return new Answer.No(rule, "");
        }

        private Optional<Choice.Pick> overPools(Function<Pool, Answer> answer) {
            for (Pool pool : view.pools().pools()) {
                Optional<RefusalReason> forbidden = pool.forbids(request.ofPools(family));
                switch (forbidden.isPresent() ? forbidden(forbidden.get()) : answer.apply(pool)) {
                    case Answer.Yes(Choice.Pick pick) -> {
                        return Optional.of(pick);
                    }
                    case Answer.No no -> refusals.add(refusal(pool, no));
                }
            }
            return Optional.empty();
        }

        private Answer forbidden(RefusalReason rule) {
            return rule == RefusalReason.NOT_ITS_ADDRESS
                    ? new Answer.No(
                            rule,
                            request.wishes()
                                    .address(family)
                                    .map(this::whereItIs)
                                    .orElse(""))
                    : no(rule);
        }

        private String whereItIs(Ip ip) {
            return view.pools()
                    .whyInNone(ip)
                    .or(() -> view.pools().poolOf(ip).map(pool -> "AddressPool \"" + pool.name() + "\" has it"))
                    .orElse("");
        }

        private Refusal refusal(Pool pool, Answer.No no) {
            return new Refusal(
                    pool.name(), family, no.rule(), no.detail(), view.free(pool, family), pool.capacity(family));
        }

        private Answer next(Pool pool) {
            Optional<String> quota = overQuota(view, request, pool, family);
            if (quota.isPresent()) {
                return new Answer.No(RefusalReason.OVER_QUOTA, quota.get());
            }
            if (view.free(pool, family).signum() <= 0) {
                return no(RefusalReason.FULL);
            }
            Optional<Ip> free = isTurn(pool) ? view.nextFree(pool, family, request.turn()) : Optional.empty();
            return free.isPresent() ? yes(free.get(), pool) : no(RefusalReason.OTHERS_WAIT);
        }

        private boolean isTurn(Pool pool) {
            return view.isTurn(pool, family, request.turn())
                    && view.isTurn(pool, family, request.service().namespace(), request.turn());
        }

        private Answer exactly(Pool pool, Ip ip) {
            Optional<Holding> held = view.holding(ip);
            if (held.isPresent()) {
                return joining(pool, held.get());
            }
            Optional<String> quota = overQuota(view, request, pool, family);
            if (quota.isPresent()) {
                return new Answer.No(RefusalReason.OVER_QUOTA, quota.get());
            }
            return isTurn(ip, pool) ? yes(ip, pool) : no(RefusalReason.OTHERS_WAIT);
        }

        /** A share of an address that others have. */
        private Answer joining(Pool pool, Holding held) {
            Sharing mine = request.wishes().sharing();
            Sharing theirs = held.spec().sharing();
            boolean sameNamespace = held.owners().stream()
                    .allMatch(owner ->
                            owner.service().namespace().equals(request.service().namespace()));
            if (mine == null
                    || theirs == null
                    || held.spec().phase() != ClaimSpec.Phase.BOUND
                    || !sameNamespace
                    || !mine.key().equals(theirs.key())) {
                return new Answer.No(RefusalReason.IN_USE, heldBy(held, sameNamespace));
            }
            if (!request.loadBalancerClass().equals(held.loadBalancerClass())) {
                return new Answer.No(
                        RefusalReason.NOT_SHAREABLE, held.ip() + " is of class " + held.loadBalancerClass());
            }
            if (!mine.terms().equals(theirs.terms())) {
                return new Answer.No(
                        RefusalReason.NOT_SHAREABLE,
                        held.ip() + " is shared by " + theirs.terms() + ", not " + mine.terms());
            }
            if (held.spec().isFullFor(request.service())) {
                return new Answer.No(RefusalReason.NOT_SHAREABLE, "as many Services share " + held.ip() + " as can");
            }
            Optional<Sharing.Port> clash = theirs.clash(mine.ports());
            if (clash.isPresent()) {
                return new Answer.No(
                        RefusalReason.NOT_SHAREABLE,
                        clash.get() + " of " + held.ip() + " is of Service "
                                + clash.get().service());
            }
            Claim claim = held.claim();
            // What one of its name held before is taken over or given back first, not shared with it.
            return claim == null
                            || held.state() != Holding.State.CLAIMED
                            || held.predecessorOf(request.service(), request.uid())
                                    .isPresent()
                    ? no(RefusalReason.SHARED_SOON)
                    : new Answer.Yes(new Choice.Pick(held.ip(), pool.name(), claim));
        }

        private static String heldBy(Holding held, boolean sameNamespace) {
            String ip = held.ip().toString();
            return switch (held.spec().phase()) {
                case RESERVED -> ip + " is reserved";
                case COOLING -> ip + " was released a short while ago";
                case BOUND ->
                    sameNamespace
                            ? ip + " is of Service " + held.owners().getFirst().service()
                            : ip + " is of a Service of another namespace";
            };
        }

        /** Of several addresses of its sharing key, the first that it can join. */
        private Optional<Choice.Pick> join() {
            Sharing mine = request.wishes().sharing();
            if (mine == null) {
                return Optional.empty();
            }
            Optional<Refusal> soon = Optional.empty();
            for (Holding held : view.shared(request.service().namespace(), mine.key())) {
                Optional<Pool> pool = view.pools().poolOf(held.ip());
                if (held.ip().family() != family
                        || held.isFor(request.service(), request.uid())
                        || pool.isEmpty()
                        || pool.get().forbids(request.ofPools(family)).isPresent()) {
                    continue;
                }
                switch (joining(pool.get(), held)) {
                    case Answer.Yes(Choice.Pick pick) -> {
                        return Optional.of(pick);
                    }
                    case Answer.No no -> {
                        if (soon.isEmpty() && no.rule() == RefusalReason.SHARED_SOON) {
                            soon = Optional.of(refusal(pool.get(), no));
                        }
                    }
                }
            }
            soon.ifPresent(refusals::add);
            return Optional.empty();
        }

        private boolean isTurn(Ip ip, Pool pool) {
            return view.isTurn(ip, request.turn()) && isTurn(pool);
        }

        Optional<Choice.Pick> preferred(BiPredicate<Ip, Pool> isTurn) {
            return request.preferred().stream()
                    .filter(ip -> ip.family() == family && view.holding(ip).isEmpty())
                    .flatMap(ip -> view.pools().poolOf(ip).stream()
                            .filter(pool -> pool.forbids(request.ofPools(family))
                                            .isEmpty()
                                    && overQuota(view, request, pool, family).isEmpty()
                                    && isTurn.test(ip, pool))
                            .map(pool -> new Choice.Pick(ip, pool.name())))
                    .findFirst();
        }
    }
}
