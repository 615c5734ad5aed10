package dev.berth.announce;

import java.nio.charset.StandardCharsets;

/**
 * Rendezvous hashing: of several nodes the one with the highest rank for an address has it. Each is the highest for its
 * share of the addresses, and one that goes moves its own addresses only.
 *
 * @see <a href="https://en.wikipedia.org/wiki/Rendezvous_hashing">rendezvous hashing</a>
 */
public final class Rendezvous {
    private Rendezvous() {}

    /** The rank of a node for an address (FNV-1a, mixed). All nodes of a cluster have to compute it alike. */
    public static long rank(String address, String node) {
        long hash = 0xcbf29ce484222325L;
        for (byte one : (address + ' ' + node).getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ one) * 0x100000001b3L;
        }
        hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }

    /** Whether the first node comes before the second for an address; of equal ranks the higher name. */
    public static boolean outranks(String address, String one, String other) {
        int byRank = Long.compare(rank(address, one), rank(address, other));
        return byRank == 0 ? one.compareTo(other) > 0 : byRank > 0;
    }
}
