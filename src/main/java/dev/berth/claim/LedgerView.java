package dev.berth.claim;

import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.pool.Pool;
import dev.berth.pool.PoolSet;
import java.math.BigInteger;
import java.util.Collection;
import java.util.Optional;
import java.util.OptionalInt;

/** What choosing needs to know of what is held, and of who waits. Guarded by the ledger's lock. */
final class LedgerView implements Allocator.View {
    private final Holdings holdings;
    private final WaitingList waiting;

    LedgerView(Holdings holdings, WaitingList waiting) {
        this.holdings = holdings;
        this.waiting = waiting;
    }

    @Override
    public PoolSet pools() {
        return holdings.pools();
    }

    @Override
    public Optional<Holding> holding(Ip ip) {
        return Optional.ofNullable(holdings.get(ip));
    }

    @Override
    public Collection<Holding> shared(String namespace, String key) {
        return holdings.of(new SharedBy(namespace, key));
    }

    @Override
    public Optional<Ip> nextFree(Pool pool, IpFamily family, QueuePosition turn) {
        // Nobody is given what another waits for in person while there is something else.
        return waiting.hasSetAside()
                ? holdings.next(pool, family, ip -> !waiting.isSetAside(ip))
                        .or(() -> holdings.next(pool, family, ip -> waiting.isTurn(ip, turn)))
                : holdings.next(pool, family);
    }

    @Override
    public BigInteger free(Pool pool, IpFamily family) {
        return holdings.free(pool, family);
    }

    @Override
    public boolean isTurn(Pool pool, IpFamily family, QueuePosition turn) {
        return waiting.isTurn(pool, family, turn, free(pool, family));
    }

    @Override
    public boolean isTurn(Ip ip, QueuePosition turn) {
        return waiting.isTurn(ip, turn);
    }

    @Override
    public boolean isTurn(Pool pool, IpFamily family, String namespace, QueuePosition turn) {
        OptionalInt limit = pool.policy().quota().of(namespace);
        return limit.isEmpty()
                || waiting.isTurn(pool, family, namespace, turn, limit.getAsInt() - used(pool, family, namespace));
    }

    @Override
    public int used(Pool pool, IpFamily family, String namespace) {
        return holdings.counts().of(pool.name(), family, namespace);
    }
}
