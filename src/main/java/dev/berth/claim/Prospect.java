package dev.berth.claim;

import dev.berth.ip.Ip;
import dev.berth.pool.HeldAddress;
import dev.berth.pool.Occupancy;
import dev.berth.pool.Pool;
import dev.berth.pool.PoolRequest;
import dev.berth.pool.Refusal;
import dev.berth.pool.RefusalReason;
import java.math.BigInteger;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a request could have of a pool, as the rules of the pool look at it. */
abstract sealed class Prospect implements Occupancy {
    final Allocator.View view;
    final AddressRequest request;
    final PoolRequest asked;
    final Pool pool;

    private Prospect(Allocator.View view, AddressRequest request, PoolRequest asked, Pool pool) {
        this.view = view;
        this.request = request;
        this.asked = asked;
        this.pool = pool;
    }

    /** The first rule by which the pool does not give it; absent: it does. */
    final Optional<RefusalReason> refusedBy() {
        return pool.refuses(asked, this);
    }

    /** That it does not, by this rule. */
    final Refusal refusal(RefusalReason reason) {
        return pool.refusal(reason, asked, this);
    }

    /** The same, as if nobody held anything of it, and nobody waited. */
    final Alone alone() {
        return new Alone(view, request, asked, pool);
    }

    @Override
    public @Nullable HeldAddress held() {
        return null;
    }

    @Override
    public final String whereItIs() {
        return asked.address()
                .flatMap(ip -> view.pools()
                        .whyInNone(ip)
                        .or(() -> view.pools().poolOf(ip).map(other -> "AddressPool \"" + other.name() + "\" has it")))
                .orElse("");
    }

    @Override
    public final String namespace() {
        return request.service().namespace();
    }

    @Override
    public final int used() {
        return view.used(pool, asked.family(), namespace());
    }

    @Override
    public final BigInteger free() {
        return view.free(pool, asked.family());
    }

    /** Any address, as if nobody else waited. */
    static final class Alone extends Prospect {
        Alone(Allocator.View view, AddressRequest request, PoolRequest asked, Pool pool) {
            super(view, request, asked, pool);
        }

        @Override
        public boolean isInTurn() {
            return true;
        }
    }

    /** One address, which the request gets if no rule refuses. */
    abstract static sealed class Offer extends Prospect {
        private Offer(Allocator.View view, AddressRequest request, PoolRequest asked, Pool pool) {
            super(view, request, asked, pool);
        }

        /** What it gets. */
        abstract Choice.Pick pick();

        final boolean isTurnForPool() {
            return view.isTurn(pool, asked.family(), request.turn())
                    && view.isTurn(pool, asked.family(), namespace(), request.turn());
        }
    }

    /** The free address that the pool allocates next. */
    static final class Next extends Offer {
        private @Nullable Ip found;

        Next(Allocator.View view, AddressRequest request, PoolRequest asked, Pool pool) {
            super(view, request, asked, pool);
        }

        /** It is looked for once, and by no rule before: that is most of the work. */
        @Override
        public boolean isInTurn() {
            if (found == null && isTurnForPool()) {
                found = view.nextFree(pool, asked.family(), request.turn()).orElse(null);
            }
            return found != null;
        }

        @Override
        Choice.Pick pick() {
            return new Choice.Pick(Objects.requireNonNull(found), pool.name());
        }
    }

    /** This very address, which nobody holds. */
    static final class Free extends Offer {
        private final Ip ip;

        Free(Allocator.View view, AddressRequest request, PoolRequest asked, Pool pool, Ip ip) {
            super(view, request, asked, pool);
            this.ip = ip;
        }

        @Override
        public boolean isInTurn() {
            return view.isTurn(ip, request.turn()) && isTurnForPool();
        }

        @Override
        Choice.Pick pick() {
            return new Choice.Pick(ip, pool.name());
        }
    }

    /** A share of one that others hold. */
    static final class Shared extends Offer {
        private final Share share;

        Shared(Allocator.View view, AddressRequest request, PoolRequest asked, Pool pool, Holding held) {
            super(view, request, asked, pool);
            this.share = new Share(held, request);
        }

        @Override
        public HeldAddress held() {
            return share;
        }

        @Override
        public boolean isInTurn() {
            return true;
        }

        @Override
        Choice.Pick pick() {
            return new Choice.Pick(share.held().ip(), pool.name(), share.held().claim());
        }
    }
}
