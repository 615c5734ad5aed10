package dev.berth.pool;

import java.util.Optional;

/** An address that others hold, as one sees it who asks for it. */
public interface HeldAddress {
    /** Whether those who hold it share it by the key of the request, in its namespace. */
    boolean isOfItsKey();

    /** Who has it, as a clause. */
    String holder();

    /** Why the request cannot share it, though it is of its key, as a clause; absent: it can. */
    Optional<String> obstacle();

    /** Whether its Address object is there, so that the request can be added to it. */
    boolean canBeJoined();
}
