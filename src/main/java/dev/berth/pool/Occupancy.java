package dev.berth.pool;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * Who holds what of a pool, and who waits for it: all that its rules have to know of that, for one request. It is asked
 * for what a rule looks at, and for nothing else.
 */
public interface Occupancy {
    /** The very address that it is about, as others hold it; null: nobody holds it, or any free one will do. */
    @Nullable HeldAddress held();

    /** In which AddressPool, or whose, the address is that the request names, as a clause; empty: it names none. */
    String whereItIs();

    /** Whose addresses a quota counts. */
    String namespace();

    /** How many addresses of the family are the namespace's. */
    int used();

    /** How many addresses of the family nobody holds. */
    BigInteger free();

    /** Whether there is a free one for the request, after all who wait ahead of it. */
    boolean isInTurn();
}
