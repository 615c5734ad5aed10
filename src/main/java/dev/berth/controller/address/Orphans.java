package dev.berth.controller.address;

import dev.berth.claim.Owner;
import org.jspecify.annotations.Nullable;

/** Deletes what a provider made for a Service that is gone. */
public interface Orphans {
    /**
     * Deletes it.
     *
     * @param className what the address was claimed for; null: not known
     * @return false if it could not be done: try again later
     */
    boolean delete(Owner owner, @Nullable String className);
}
