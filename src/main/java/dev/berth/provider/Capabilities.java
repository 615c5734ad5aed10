package dev.berth.provider;

import java.util.List;

/**
 * What a provider does.
 *
 * @param addresses who chooses the address
 * @param ipModes how its packets may arrive; the first is what {@code ipMode: Auto} means
 * @param immediate whether its calls touch nothing outside Berth: they cannot leave anything behind, so
 *     the finalizer may come with the status, and no event announces them
 */
public record Capabilities(AddressSource addresses, List<IpMode> ipModes, boolean immediate) {
    public Capabilities {
        ipModes = List.copyOf(ipModes);
        if (ipModes.isEmpty()) {
            throw new IllegalArgumentException("a provider has at least one ipMode");
        }
    }

    /** Who chooses the address. */
    public enum AddressSource {
        /** Berth, from its pools. */
        POOLS,
        /** The provider itself. */
        PROVIDER
    }
}
