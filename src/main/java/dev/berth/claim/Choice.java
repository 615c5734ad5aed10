package dev.berth.claim;

import dev.berth.ip.Ip;
import dev.berth.pool.Refusal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What {@link Allocator#choose} answers. */
public sealed interface Choice {
    /**
     * One address out of one pool.
     *
     * @param joins the claim of those who have it already, and share it; null: it is free
     */
    record Pick(Ip ip, String pool, @Nullable Claim joins) {
        Pick(Ip ip, String pool) {
            this(ip, pool, null);
        }
    }

    /**
     * Addresses that are free, or shared; {@link Ledger#take} holds them.
     *
     * @param picks one per family, in the order asked; not empty
     * @param missing why a family that could be done without has none; empty: all were found
     */
    record Assigned(AddressRequest request, List<Pick> picks, List<Refusal> missing) implements Choice {
        public Assigned {
            picks = List.copyOf(picks);
            missing = List.copyOf(missing);
        }
    }

    /**
     * Nothing.
     *
     * @param refusals every pool and the first rule by which it refused, for each family that lacks; empty:
     *     there is no pool at all
     */
    record Refused(AddressRequest request, List<Refusal> refusals) implements Choice {
        public Refused {
            refusals = List.copyOf(refusals);
        }
    }
}
