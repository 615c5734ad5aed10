package dev.berth.claim;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.Pool;
import dev.berth.pool.PoolRequest;
import dev.berth.pool.PoolSet;
import dev.berth.pool.Refusal;
import dev.berth.pool.RefusalReason;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/** Chooses addresses. Pure: it reads a {@link View} and changes nothing. */
final class Allocator {
    private Allocator() {}

    /** What choosing needs to know. */
    interface View {
        PoolSet pools();

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
    static Choice choose(View view, AddressRequest request) {
        List<Choice.Pick> picks = new ArrayList<>();
        List<Refusal> refusals = new ArrayList<>();
        boolean lacking = false;
        for (IpFamily family : request.families()) {
            ForFamily asked = new ForFamily(view, request, family);
            Optional<Choice.Pick> pick = asked.choose();
            if (pick.isPresent()) {
                picks.add(pick.get());
            } else {
                lacking = true;
                refusals.addAll(asked.refusals());
            }
        }
        boolean enough = request.allOrNone() ? !lacking : !picks.isEmpty();
        return enough ? new Choice.Assigned(request, picks, refusals) : new Choice.Refused(request, refusals);
    }

    /** The address of {@code family} asked for again that is available, no matter who waits; absent: none is. */
    static Optional<Choice.Pick> preferred(View view, AddressRequest request, IpFamily family) {
        return new ForFamily(view, request, family)
                .preferred(free -> free.alone().refusedBy().isEmpty());
    }

    /** Whether the quota of its namespace keeps the Service from another address of {@code pool}. */
    static boolean isOverQuota(View view, AddressRequest request, Pool pool, IpFamily family) {
        return pool.isOverQuota(new ForFamily(view, request, family).alone(pool));
    }

    /** Whether another of its sharing key is just claiming the address that it is to have. */
    static boolean sharesSoon(View view, AddressRequest request, IpFamily family) {
        ForFamily asked = new ForFamily(view, request, family);
        return asked.named().isEmpty()
                && asked.join().isEmpty()
                && !asked.refusals().isEmpty();
    }

    /** Whether it is to share an address of the family that others have. */
    static boolean joins(View view, AddressRequest request, IpFamily family) {
        ForFamily asked = new ForFamily(view, request, family);
        return asked.named().isEmpty() && asked.join().isPresent();
    }

    /** Whether it could have an address of the family, if nobody else waited. */
    static boolean isThere(View view, AddressRequest request, IpFamily family) {
        ForFamily asked = new ForFamily(view, request, family);
        if (asked.named().isEmpty()
                && (asked.join().isPresent() || !asked.refusals().isEmpty())) {
            return asked.refusals().isEmpty();
        }
        Optional<Holding> held = asked.named().flatMap(view::holding);
        return view.pools().pools().stream()
                .map(pool -> held.<Prospect>map(holding -> asked.share(pool, holding))
                        .orElseGet(() -> asked.alone(pool)))
                .anyMatch(prospect -> prospect.refusedBy().isEmpty());
    }

    /**
     * What is asked for of one family.
     *
     * @param refusals filled by what is tried
     */
    private record ForFamily(View view, AddressRequest request, PoolRequest asked, List<Refusal> refusals) {
        ForFamily(View view, AddressRequest request, IpFamily family) {
            this(view, request, request.ofPools(family), new ArrayList<>());
        }

        /** The very address that the Service names; absent: any will do. */
        Optional<Ip> named() {
            return asked.address();
        }

        Optional<Choice.Pick> choose() {
            if (named().isPresent()) {
                return exactly(named().get());
            }
            Optional<Choice.Pick> joined = join();
            // Who is to share an address that is just being claimed waits for it, and takes no other.
            return joined.isPresent() || !refusals.isEmpty()
                    ? joined
                    : preferred(offer -> offer.refusedBy().isEmpty()).or(() -> overPools(this::next));
        }

        private Optional<Choice.Pick> exactly(Ip ip) {
            Optional<Holding> held = view.holding(ip);
            return overPools(held.<Function<Pool, Prospect.Offer>>map(holding -> pool -> share(pool, holding))
                    .orElse(pool -> free(pool, ip)));
        }

        private Optional<Choice.Pick> overPools(Function<Pool, Prospect.Offer> of) {
            for (Pool pool : view.pools().pools()) {
                Prospect.Offer offer = of.apply(pool);
                Optional<RefusalReason> reason = offer.refusedBy();
                if (reason.isEmpty()) {
                    return Optional.of(offer.pick());
                }
                refusals.add(offer.refusal(reason.get()));
            }
            return Optional.empty();
        }

        Prospect.Alone alone(Pool pool) {
            return new Prospect.Alone(view, request, asked, pool);
        }

        private Prospect.Next next(Pool pool) {
            return new Prospect.Next(view, request, asked, pool);
        }

        private Prospect.Free free(Pool pool, Ip ip) {
            return new Prospect.Free(view, request, asked, pool, ip);
        }

        Prospect.Shared share(Pool pool, Holding held) {
            return new Prospect.Shared(view, request, asked, pool, held);
        }

        /** Of several addresses of its sharing key, the first that it can join. */
        Optional<Choice.Pick> join() {
            Sharing mine = request.constraints().sharing();
            if (mine == null) {
                return Optional.empty();
            }
            Optional<Refusal> soon = Optional.empty();
            for (Holding held : view.shared(request.service().namespace(), mine.key())) {
                Optional<Pool> pool = view.pools().poolOf(held.ip());
                if (held.ip().family() != asked.family()
                        || held.isFor(request.service(), request.uid())
                        || pool.isEmpty()) {
                    continue;
                }
                Prospect.Shared share = share(pool.get(), held);
                Optional<RefusalReason> reason = share.refusedBy();
                if (reason.isEmpty()) {
                    return Optional.of(share.pick());
                }
                if (soon.isEmpty() && reason.get() == RefusalReason.SHARED_SOON) {
                    soon = Optional.of(share.refusal(reason.get()));
                }
            }
            soon.ifPresent(refusals::add);
            return Optional.empty();
        }

        Optional<Choice.Pick> preferred(Predicate<Prospect.Free> isGiven) {
            return request.preferred().stream()
                    .filter(ip ->
                            ip.family() == asked.family() && view.holding(ip).isEmpty())
                    .flatMap(ip -> view.pools().poolOf(ip).stream().map(pool -> free(pool, ip)))
                    .filter(isGiven)
                    .map(Prospect.Free::pick)
                    .findFirst();
        }
    }
}
